/** Scripted sessions in which something is opened over the conversation: a note, rows, lists, a fault. */

import { Script } from "../building";
import type { Session, Words } from "./telling";

const conversation = (say: Words): Session["events"] => {
  const script = new Script("r-1");
  return [script.start(say("Why did sales fall?", "销售额为什么下降？")), script.say("…"), script.done()];
};

const opened =
  (page: (say: Words) => object) =>
  (say: Words): Session => ({
    state: {},
    events: conversation(say),
    page: {
      target: "",
      about: "",
      fault: "",
      text: null,
      span: null,
      columns: [],
      rows: [],
      items: [],
      offset: 0,
      whole: 0,
      ...page(say),
    },
  });

const note = opened((say) => {
  const before = say("# Supplier delay\n\nMeeting of 12 March.\n\n", "# 供应商延期\n\n3 月 12 日会议。\n\n");
  const meant = say(
    "Oolong could not be delivered to East from 8 to 24 March.",
    "3 月 8 日至 24 日乌龙茶无法送到东区。",
  );
  const after = say("\n\nThe supplier offered a rebate.\n\n".repeat(20), "\n\n供应商同意打折。\n\n".repeat(20));
  const text = before + meant + after;
  return {
    view: "note",
    target: "n-1",
    title: say("Supplier delay (minutes of the meeting)", "供应商延期（会议记录）"),
    about: "2026-03-12 · #tea #sales · notes/suppliers/2026/delay.md",
    text,
    span: [before.length, before.length + meant.length],
    offset: 5000,
    whole: 90_000,
  };
});

const table = opened((say) => ({
  view: "table",
  target: "sales",
  title: "sales",
  about: say("Rows 51 to 90 of 1,204, version 3", "第 51 至 90 行，共 1,204 行，版本 3"),
  columns: ["date", "region", "product", "revenue", "units", "a_column_with_a_rather_long_name", "remark"],
  rows: Array.from({ length: 40 }, (_, n) => [
    `2026-03-${String((n % 28) + 1).padStart(2, "0")}`,
    say("East", "东区"),
    say("Oolong", "乌龙茶"),
    (n * 31.7).toFixed(2),
    String(n),
    "",
    say(
      "a remark that is much too long to be shown whole in one cell of the table",
      "一条很长很长的备注，放不进一个单元格，需要截断",
    ),
  ]),
  offset: 50,
  whole: 1204,
}));

const notes = opened((say) => ({
  view: "notes",
  title: say("Notes and tables", "笔记与表"),
  items: [
    { view: "table", target: "sales", title: "sales", about: "" },
    {
      view: "note",
      target: "n-1",
      title: say("Supplier delay", "供应商延期"),
      about: say(
        "Oolong could not be delivered to East from 8 to 24 March, and the supplier offered a rebate",
        "3 月 8 日至 24 日乌龙茶无法送到东区",
      ),
    },
    {
      view: "note",
      target: "n-2",
      title: say(
        "A title that is so long that it takes more than one line in a narrow window",
        "一个很长的标题，在窄窗口里会占多行",
      ),
      about: "",
    },
  ],
  whole: 214,
}));

const graph = opened((say) => ({
  view: "graph",
  target: "n-1",
  title: say("Supplier delay", "供应商延期"),
  about: say("What is linked with it, up to two steps away", "两步之内与它相连的内容"),
  items: [
    { view: "note", target: "n-2", title: say("Price list", "价目表"), about: "wiki_link", distance: 1 },
    { view: "graph", target: "tag:tea", title: "#tea", about: "tag", distance: 1 },
    { view: "table", target: "sales", title: "sales", about: "wiki_link → mention", distance: 2 },
  ],
  whole: 3,
}));

const memory = opened((say) => ({
  view: "memory",
  title: say("Memory", "记忆"),
  items: [
    {
      view: "memory",
      target: "units",
      title: say("Units", "单位"),
      about: say("Revenue is in thousands", "收入以千为单位"),
    },
  ],
  whole: 1,
}));

const journal = opened((say) => ({
  view: "journal",
  title: say("Journal", "日志"),
  items: [
    {
      view: "round",
      target: "r-2",
      title: say("run_python: Compare March with February", "run_python: 对比三月与二月"),
      about: "2026-03-30 14:02",
    },
    {
      view: "round",
      target: "r-1",
      title: "create_note: Why March fell",
      about: say("2026-03-30 13:58 · undone · Why did March fall?", "2026-03-30 13:58 · 已撤销"),
    },
  ],
  whole: 2,
}));

const missing = opened((say) => ({
  view: "note",
  target: "n-9",
  title: "n-9",
  fault: say("There is no note 'n-9'. It may have been removed.", "没有笔记 'n-9'，可能已被删除。"),
}));

export const places = { note, table, notes, graph, memory, journal, missing };
