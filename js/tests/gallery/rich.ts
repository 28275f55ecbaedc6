/** Scripted sessions of what an answer and a card may hold: formulas, long code, frames, figures, each tool's card. */

import type { Event, JsonObject } from "../../src/shared/events";
import { Script } from "../building";
import { request, resolved, rich, type Session, tool, type Words } from "./telling";

function written(say: Words): Session {
  const script = new Script("r-1");
  return {
    state: {},
    events: [
      script.start(say("How is the regression done?", "回归是怎么做的？")),
      script.say(say(WRITTEN_EN, WRITTEN_ZH)),
      script.done(),
    ],
  };
}

const FORMULAS = `$$
\\hat\\beta = (X^\\top X)^{-1} X^\\top y, \\qquad S(\\beta) = \\sum_{i=1}^{n} \\bigl(y_i - x_i^\\top \\beta\\bigr)^2
$$`;

const MORE = `\\[
\\begin{aligned} \\int_0^1 x^2\\,dx &= \\tfrac13 \\\\ f(x) &= \\begin{cases} 1 & x > 0 \\\\ 0 & x \\le 0 \\end{cases} \\end{aligned}
\\quad A = \\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix} \\quad a + b + c + d + e + f + g + h + i + j + k = \\sqrt{\\frac{x}{y}}
\\]`;

const CODE = `\`\`\`python
from sklearn.linear_model import LinearRegression

@timed
def fit(frame: pd.DataFrame, *, target: str = "revenue") -> LinearRegression:
    """Fit one line."""  # the price is $5 to $10
    return LinearRegression().fit(frame.drop(columns=target), frame[target] ** 2)
\`\`\`

\`\`\`sql
SELECT region, sum(revenue) FROM sales WHERE month = 3 GROUP BY region ORDER BY 2 DESC
\`\`\``;

const WRITTEN_EN = `## Least squares

For each month $t$ the revenue is $y_t = \\beta_0 + \\beta_1 p_t + \\varepsilon_t$, and the price went from $5 to $10:

${FORMULAS}

1. The slope $\\beta_1$ is **negative**:
   - in *East*, \\(\\beta_1 = -0.42\\)
   - in West, nearly $0$
2. What can't be read stays: $\\frac{1}{$

${MORE}

> A note says: ~~costs fell~~ costs rose by $700 [1].

${CODE}

| Region | March | Change | Slope $\\beta_1$ | Remark that is rather long |
|:--|--:|--:|:-:|---|
| East | $812 | −$728 | $-0.42$ | No oolong from the 8th to the 24th of March |
| West | $1,541 | +$32 | $0.01$ | As before |
`;

const WRITTEN_ZH = `## 最小二乘

对每个月 $t$，收入为 $y_t = \\beta_0 + \\beta_1 p_t + \\varepsilon_t$，价格从 $5 涨到 $10：

${FORMULAS}

1. 斜率$\\beta_1$为**负：**
   - *东区* \\(\\beta_1 = -0.42\\)
   - 西区接近$0$
2. 读不懂的保持原样：$\\frac{1}{$

${MORE}

> 笔记说：~~成本下降~~ 成本上升 $700 [1]。

${CODE}

| 地区 | 三月 | 变化 | 斜率 $\\beta_1$ | 一条比较长的备注 |
|:--|--:|--:|:-:|---|
| 东区 | $812 | −$728 | $-0.42$ | 三月 8 日至 24 日没有乌龙茶 |
| 西区 | $1,541 | +$32 | $0.01$ | 照旧 |
`;

const row = (n: number, say: Words): string =>
  `<tr><th>${n}</th><td>2026-03-${String((n % 28) + 1).padStart(2, "0")}</td><td>${say("East", "东区")}</td><td>${((n * 377) % 1000) / 4}</td><td>${n === 2 ? "NaN" : n * 1_000_003}</td><td>${say("a remark that is rather long for one cell", "一条比较长的备注")}</td></tr>`;

function frames(say: Words): Session {
  const script = new Script("r-1");
  const names = ["", "date", "region", "revenue", "units", "remark"].map((name) => `<th>${name}</th>`).join("");
  const rows = [0, 1, 2, 3, 4].map((n) => row(n, say)).join("");
  const gap = "<tr><th>...</th><td>...</td><td>...</td><td>...</td><td>...</td><td>...</td></tr>";
  const last = [995, 996, 997, 998, 999].map((n) => row(n, say)).join("");
  const long = `<table class="dataframe"><thead><tr>${names}</tr></thead><tbody>${rows}${gap}${last}</tbody></table><p>1000 rows × 5 columns</p>`;
  const polars = `<small>shape: (2, 2)</small><table class="dataframe"><thead><tr><th>tea</th><th>sold</th></tr><tr><td>str</td><td>i64</td></tr></thead><tbody><tr><td>"oolong"</td><td>3</td></tr><tr><td>"puer"</td><td>null</td></tr></tbody></table>`;
  return {
    state: {},
    events: [
      script.start(say("Show me the sales", "看看销售额")),
      ...ran(script, "c1", "sales", [rich({ "text/html": long, "text/plain": "…" })]),
      ...ran(script, "c2", "tea", [rich({ "text/html": polars, "text/plain": "…" })]),
      ...ran(script, "c3", "tea", [rich({ "text/html": polars, "text/plain": "…" })]),
      script.done(),
    ],
    press: ["[data-call-card=c1] .nph-data th:nth-child(4) button", "[data-call-card=c3] summary"],
  };
}

function ran(script: Script, call_id: string, code: string, outputs: ReturnType<typeof rich>[], result = "…"): Event[] {
  return [
    script.event("ToolStart", { call_id, tool: "run_python", arguments: { code, description: "Look at it" } }),
    request(script, call_id, "run_python", code, ""),
    resolved(script, call_id, "approved", code),
    ...outputs.map((output) => script.event("ToolOutput", { call_id, output })),
    script.event("ToolFinish", { call_id, tool: "run_python", ok: true, result, elapsed_s: 0.31 }),
  ];
}

const CHART = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480" viewBox="0 0 640 480">
<rect width="640" height="480" fill="#fff"/><path d="M40 400 L200 120 L360 300 L600 60" fill="none" stroke="#4c78a8" stroke-width="4"/>
<g font-family="sans-serif" font-size="16" fill="#333"><text x="40" y="440">January</text><text x="560" y="440">April</text></g></svg>`;

const figure = (say: Words): Session => {
  const script = new Script("r-1");
  return {
    state: {},
    events: [
      script.start(say("Draw it", "画出来")),
      ...ran(script, "c1", "plot()", [
        rich({ "image/svg+xml": CHART, "text/plain": "<Figure size 640x480 with 1 Axes>" }),
      ]),
      script.done(),
    ],
  };
};

const zoomed = (say: Words): Session => ({ ...figure(say), press: [".nph-figure"] });

function cards(say: Words): Session {
  const script = new Script("r-1");
  const lines = Array.from({ length: 60 }, (_, n) => `2026-03-${n % 28},East,Oolong,${n * 31}`).join("\n");
  const calls: [string, JsonObject, string][] = [
    [
      "search_notes",
      { query: say("oolong out of stock", "乌龙茶 缺货"), k: 8, tags: ["tea", "sales"] },
      "[1] Supplier delay\n…",
    ],
    ["read_note", { content_id: "n-4be1c09d2f", start: 4000 }, "# Supplier delay\n\nMeeting of 12 March."],
    [
      "scan_table",
      { name: "sales", columns: ["date", "revenue"], where: "revenue > 100", order_by: "revenue desc", offset: 0 },
      lines,
    ],
    ["graph_query", { content_id: "n-4be1c09d2f", hops: 2, kinds: ["wiki_link"] }, "n-2 · wiki_link"],
    ["inspect_variables", { names: ["sales", "inventory"] }, "sales: DataFrame 1204 × 6"],
    [
      "memory_write",
      {
        title: say("Units", "单位"),
        type: "project",
        text: say("Revenue is in thousands.\nAlways.", "收入以千为单位。\n一直如此。"),
      },
      "ok",
    ],
    ["load_skill", { name: "check-numbers" }, "# Check numbers"],
    ["open_view", { view: "table", target: "sales" }, "opened"],
    [
      "my_own_tool",
      { city: "Hangzhou", days: 3, nested: { deep: [1, 2, { x: true }], none: null } },
      '{"temperature": 21}',
    ],
  ];
  return {
    state: {},
    events: [
      script.start(say("Use every tool", "用上每个工具")),
      ...calls.flatMap(([name, args, result], at) => tool(script, `c${at}`, name, args, result)),
      ...ran(script, "p", "for row in rows:\n    print(row)", [], lines),
      script.event("ToolStart", {
        call_id: "q",
        tool: "run_python",
        arguments: { code: "x = 1", description: say("Set x", "设 x") },
      }),
    ],
    press: [".nph-tool summary"],
  };
}

export const kinds = { written, frames, figure, zoomed, cards };
