/** Scripted sessions in which something is opened over the conversation: a note, rows, lists, a fault. */

import { conversation, opened } from "./opened";
import { records } from "./records";
import type { Session, Words } from "./telling";

const note = opened(
  (say) => {
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
      about: "2026-03-12 · notes/suppliers/2026/delay.md",
      text,
      tags: ["tea", "sales"].map((tag) => ({ view: "graph", target: `tag:${tag}`, title: `#${tag}`, about: "" })),
      items: [
        {
          view: "note",
          target: "n-2",
          title: say("Price list", "价目表"),
          about: "[[Price list]]",
          group: "out",
          kind: "wiki",
        },
        {
          view: "table",
          target: "sales",
          title: "sales",
          about: say("see sales", "见 sales"),
          group: "out",
          kind: "table",
        },
        {
          view: "note",
          target: "n-3",
          title: say("March in review", "三月回顾"),
          about: say("after the [[Supplier delay]]", "在 [[供应商延期]] 之后"),
          group: "in",
          kind: "wiki",
        },
      ],
      span: [before.length, before.length + meant.length],
      offset: 5000,
      whole: 90_000,
    };
  },
  { press: [".nph-page-links summary"] },
);

const table = opened((say) => ({
  view: "table",
  target: "sales",
  title: "sales",
  about: say("Rows 51 to 90 of 1,204, version 3", "第 51 至 90 行，共 1,204 行，版本 3"),
  columns: [
    ["date", "date32[day]"],
    ["region", "string"],
    ["product", "string"],
    ["revenue", "double"],
    ["units", "int64"],
    ["a_column_with_a_rather_long_name", "string"],
    ["remark", "string"],
  ],
  order_by: '"revenue" desc',
  where: [
    ["region", "contains", say("East", "东")],
    ["units", ">=", "0"],
  ],
  version: 3,
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

const found = opened((say) => ({
  view: "notes",
  target: say("oolong delay", "乌龙茶 延期"),
  title: say("Notes and tables", "笔记与表"),
  items: [
    {
      view: "note",
      target: "n-1",
      title: say("Supplier delay", "供应商延期"),
      about: say("Oolong could not be delivered to East from 8 to 24 March", "3 月 8 日至 24 日乌龙茶无法送到东区"),
      kind: "note",
      channels: [
        ["text", "oolong delay"],
        ["vector", "0.81"],
      ],
    },
    { view: "table", target: "stock", title: "stock", about: "…", kind: "table", channels: [["title", "stock"]] },
  ],
  whole: 2,
}));

const searchless = opened((say) => ({ view: "notes", target: say("zebra", "斑马"), title: say("Notes", "笔记") }));

const intake = (running: boolean): object => ({
  path: "~/notes/2026",
  label: "suppliers-and-other-rather-long-names-of-files.md",
  done: 41,
  total: 212,
  running,
  report: running
    ? []
    : ["40 added, 1 updated, 170 unchanged.", "- skipped ~/notes/2026/a.xyz: files of type .xyz are not read"],
  fault: "",
});
const bare = (say: Words): object => ({ view: "notes", title: say("Notes and tables", "笔记与表") });
const adding = opened(bare, { intake: intake(true) });
const added = opened(bare, { intake: intake(false) });
const noNotes = opened(bare, { press: [".nph-page-adding summary"] });

const opening = (say: Words): Session => ({
  state: {},
  events: conversation(say),
  press: [".nph-header .nph-link"],
});

const missing = opened((say) => ({
  view: "note",
  target: "n-9",
  title: "n-9",
  fault: say("There is no note 'n-9'. It may have been removed.", "没有笔记 'n-9'，可能已被删除。"),
}));

const wrongFilter = opened((say) => ({
  view: "table",
  target: "sales",
  title: "sales",
  columns: [
    ["date", "date32[day]"],
    ["units", "int64"],
  ],
  where: [["units", "=", "many"]],
  fault: say("Column 'units' holds int64, so 'many' can't match it.", "列 'units' 的类型是 int64，与 'many' 不符。"),
}));

export const places = {
  ...{ note, table, wrongFilter, notes, found, searchless, noNotes, adding, added, opening },
  ...records,
  missing,
};
