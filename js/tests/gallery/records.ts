/** Scripted sessions of links, memory and the journal, opened over the conversation. */

import { opened } from "./opened";

const graph = opened((say) => {
  const names = say("Price list,Tea,Harvest,Routes,Rebates,Contracts", "价目表,茶,收成,路线,折扣,合同").split(",");
  const near = [
    { view: "note", target: "n-2", title: names[0], kind: "note", link: "wiki" },
    { view: "graph", target: "tag:tea", title: "#tea", kind: "tag", link: "tag" },
    { view: "table", target: "sales", title: "sales", kind: "table", link: "table" },
  ].map((item) => ({ ...item, node: item.target, distance: 1, parent: -1, about: "" }));
  const far = Array.from({ length: 14 }, (_, n) => ({
    ...{ view: "note", target: `f-${n}`, node: `f-${n}`, kind: "note", link: "mention", distance: 2, parent: n % 3 },
    title: `${names[n % names.length]} ${n + 1} ${n % 4 === 0 ? say("with a title that is rather long", "标题相当长的一篇") : ""}`,
    about: say("… as the price list says …", "……如价目表所述……"),
  }));
  return {
    view: "graph",
    target: "n-1",
    title: say("Supplier delay (minutes of the meeting)", "供应商延期（会议记录）"),
    about: say("What is linked with it, up to two steps away", "两步之内与它相连的内容"),
    items: [...near, ...far],
    edges: [[-1, 0], [-1, 1], [-1, 2], [0, 1], ...far.map((item, n) => [item.parent, n + 3]), [2, 6]],
    whole: 40,
  };
});

const graphStart = opened((say) => ({
  view: "graph",
  title: say("Links: where to begin", "关联：从哪里开始"),
  items: [
    { view: "graph", target: "tag:tea", title: "#tea", about: "", kind: "tag" },
    { view: "graph", target: "table:sales", title: "sales", about: "", kind: "table" },
    { view: "graph", target: "n-1", title: say("Supplier delay", "供应商延期"), about: "", kind: "note" },
  ],
  whole: 3,
}));

const memory = opened((say) => ({
  view: "memory",
  title: say("Memory", "记忆"),
  items: [
    { group: "user", title: say("Likes tea", "喜欢茶"), about: say("Oolong, in the morning", "早上喝乌龙茶") },
    { group: "correction", title: say("Units", "单位"), about: say("Revenue is in thousands", "收入以千为单位") },
  ].map((card, n) => ({ view: "memory", target: `card-${n}`, ...card })),
  whole: 2,
}));

const card = opened(
  (say) => ({
    view: "memory",
    target: "units",
    title: say("Units", "单位"),
    about: say("correction · 2026-03-02 · Revenue is in thousands", "更正 · 2026-03-02 · 收入以千为单位"),
    text: say("Revenue in `sales` is in **thousands**.", "`sales` 的收入以**千**为单位。"),
  }),
  { press: [".nph-page-body .nph-link"] },
);

const noMemory = opened((say) => ({ view: "memory", title: say("Memory", "记忆") }));
const noJournal = opened((say) => ({ view: "journal", title: say("Journal", "日志") }));

const journal = opened(
  (say) => ({
    view: "journal",
    title: say("Journal", "日志"),
    rounds: [
      {
        round: "r-2",
        title: say("Compare March with February", "对比三月与二月"),
        about: "2026-03-30 14:02",
        operations: [
          { tool: "run_python", title: say("Compare March", "对比三月"), fate: "open", why: "" },
          {
            tool: "run_python",
            title: "report.csv",
            fate: "stays",
            why: say("report.csv: a file was written", "report.csv：写入了文件"),
          },
        ],
      },
      {
        round: "r-1",
        title: say("Why did March fall?", "三月为什么下降？"),
        about: "2026-03-30 13:58",
        undone: true,
        operations: [{ tool: "create_note", title: say("Why March fell", "三月为何下降"), fate: "taken", why: "" }],
      },
      {
        round: "h-1",
        title: say("Done by hand", "手动操作"),
        about: "2026-03-29 09:10",
        operations: [{ tool: "memory.delete", title: say("Units", "单位"), fate: "open", why: "" }],
      },
    ],
    whole: 3,
  }),
  { press: [".nph-journal > li:first-child .nph-link"] },
);

export const records = { graph, graphStart, memory, card, noMemory, journal, noJournal };
