/** Scripted sessions of the rarer moments of a round: sub-agents, refusals, a stop, a rule, pictures, trouble. */

import { Script } from "../building";
import { request, resolved, rich, type Session, tool, type Words } from "./telling";

const LONG_CODE = `${Array.from({ length: 40 }, (_, n) => `step_${n} = prepare(sales, month=${(n % 12) + 1})  # one month`).join("\n")}\n`;
const LONG_LINE = `result = ${Array.from({ length: 30 }, (_, n) => `column_${n}`).join(" + ")}\n`;

function subagents(say: Words): Session {
  const script = new Script("r-1");
  const state = (
    task_id: string,
    title: string,
    state: string,
    steps: number,
    text: string,
  ): ReturnType<Script["say"]> =>
    script.event("SubagentUpdate", { task_id, title, state, steps, tokens: steps * 800, text });
  const report = say("East had **no oolong** from 8 to 24 March.", "东区 3 月 8 日至 24 日没有乌龙茶。");
  return {
    state: { busy: true },
    events: [
      script.start(say("Compare the three regions", "比较三个地区")),
      script.event("ToolStart", {
        call_id: "c1",
        tool: "delegate_tasks",
        arguments: { tasks: [{ title: say("East", "东区"), prompt: say("Read the notes", "读笔记") }] },
      }),
      state("t1", say("East: what the notes and the stock table say", "东区：笔记与库存表怎么说"), "done", 4, report),
      state("t2", say("North", "北区"), "running", 2, "scan_table"),
      state("t3", say("West", "西区"), "failed", 1, say("The table was not there.", "没有这张表。")),
      state("t4", say("Last year", "去年"), "waiting", 0, ""),
      state("t5", say("The year before", "前年"), "cancelled", 1, ""),
    ],
  };
}

function refused(say: Words): Session {
  const script = new Script("r-1");
  const outcomes = ["rejected", "expired", "cancelled"] as const;
  return {
    state: {},
    events: [
      script.start(say("Tidy up my notes", "整理我的笔记")),
      ...outcomes.flatMap((outcome) => [
        script.event("ToolStart", { call_id: outcome, tool: "run_python", arguments: { code: "del sales" } }),
        request(script, outcome, "run_python", "del sales", ""),
        resolved(script, outcome, outcome),
        script.event("ToolFinish", {
          call_id: outcome,
          tool: "run_python",
          ok: false,
          result: say("The user rejected it: keep the data", "用户拒绝了：保留数据"),
          elapsed_s: 0,
        }),
      ]),
      script.say(say("I left everything as it was.", "我什么都没有动。")),
      script.done(),
    ],
    press: ["details > summary"],
  };
}

function stopped(say: Words): Session {
  const script = new Script("r-1");
  const code = "import time\nfor month in range(12):\n    print(month)\n    time.sleep(10)";
  return {
    state: {},
    events: [
      script.start(say("Go through all months", "逐月处理")),
      script.event("ToolStart", { call_id: "c1", tool: "run_python", arguments: { code } }),
      request(script, "c1", "run_python", code, ""),
      resolved(script, "c1", "approved", code),
      script.event("ToolFinish", {
        call_id: "c1",
        tool: "run_python",
        ok: false,
        result: "0\n1\nKeyboardInterrupt\nThe code was interrupted before it had ended.",
        elapsed_s: 14.2,
      }),
      script.done("stopped"),
    ],
  };
}

function failed(say: Words): Session {
  const script = new Script("r-1");
  const trace = ["Traceback (most recent call last)", "Cell In[1], line 2", "ZeroDivisionError: division by zero"];
  return {
    state: {
      notice: say("Undone: 2 restored, 1 left as it is.\nsales: it changed since", "已撤销：恢复 2 项，保留 1 项"),
    },
    events: [
      script.start(say("Divide them", "相除")),
      script.event("ToolStart", { call_id: "c1", tool: "run_python", arguments: { code: "print('begin')\n1 / 0" } }),
      request(script, "c1", "run_python", "print('begin')\n1 / 0", ""),
      resolved(script, "c1", "approved", "print('begin')\n1 / 0"),
      script.event("ToolFinish", {
        call_id: "c1",
        tool: "run_python",
        ok: false,
        result: `begin\n${trace.join("\n")}`,
        elapsed_s: 0.1,
      }),
      ...tool(script, "c2", "scan_table", { name: "sale" }, say("No table 'sale'.", "没有表 'sale'。"), false),
      script.event("LoopError", {
        code: "busy",
        message: say("The provider is overloaded (503).", "服务过载（503）。"),
        retryable: true,
      }),
      script.done("error"),
    ],
  };
}

function ruled(say: Words): Session {
  const script = new Script("r-1");
  const usage = { input: 0, output: 0, cached: 0, reasoning: 0, total: 0, steps: 0 };
  return {
    state: { tier: "lite", host: "", model: "" },
    events: [
      script.event("RoundStart", {
        text: say("show table sales", "显示表 sales"),
        mode: "agent",
        tier: "lite",
        host: "",
      }),
      ...tool(script, "rule-1", "scan_table", { name: "sales" }, "| region | revenue |\n|---|---|\n| East | 812 |"),
      script.say(
        `| region | revenue |\n|---|--:|\n| East | 812.40 |\n| North | 1322.10 |\n\n${say("*No model was used:*", "*未使用模型：*")} \`scan_table(name="sales")\``,
      ),
      script.event("LoopDone", { finish: "rule", usage, sources: [], numbers: [] }),
    ],
  };
}

function skilled(say: Words): Session {
  const script = new Script("r-1");
  const card = {
    title: say("Units", "单位"),
    summary: say("Revenue is in thousands", "收入以千为单位"),
    type: "correction",
    body: say("Revenue in `sales` is in **thousands**.", "`sales` 的收入以**千**为单位。"),
  };
  return {
    state: { busy: true, tier: "tempest", host: "platform.example.com", model: "" },
    events: [
      script.start(say("Check the monthly numbers", "核对月度数字")),
      ...tool(script, "c1", "load_skill", { name: "check-numbers" }, "# Check numbers\n\nRecompute each total."),
      ...tool(script, "c2", "load_tools", { names: ["memory_write"] }, "memory_write"),
      ...tool(script, "c3", "open_view", { view: "table", target: "sales" }, "ok"),
      script.event("NavigateView", { view: "table", target: "sales" }),
      script.event("NavigateView", { view: "notes", target: "" }),
      script.event("Steer", { text: say("East only, please", "只看东区") }),
      script.event("CreditsUpdate", { spent: 1.5, balance: 98.5 }),
      script.event("ToolStart", { call_id: "c4", tool: "memory_write", arguments: card }),
      request(script, "c4", "memory_write", null, ""),
    ],
  };
}

function pictured(say: Words): Session {
  const script = new Script("r-1");
  const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const words = say("What does this chart show?", "这张图说明什么？");
  const named = say("Pictures attached: chart.png (640×480)", "附图：chart.png（640×480）");
  return {
    state: {},
    events: [
      script.start(`${words}\n\n${named}`),
      script.event("ToolStart", { call_id: "c1", tool: "run_python", arguments: { code: "plt.show()" } }),
      script.event("ToolOutput", { call_id: "c1", output: rich({ "image/png": dot }) }),
      script.event("ToolOutput", { call_id: "c1", output: rich({ "text/plain": "<Figure size 640x480>" }) }),
      script.event("ToolFinish", { call_id: "c1", tool: "run_python", ok: true, result: "", elapsed_s: 0.3 }),
      script.say(
        say("It *falls*. ![tracker](https://example.com/a.png)", "它在*下降*。![](https://example.com/a.png)"),
      ),
      script.done(),
    ],
  };
}

function crowded(say: Words): Session {
  const script = new Script("r-1");
  const wide = Array.from({ length: 14 }, (_, n) => `column_${n}`);
  const table = `| ${wide.join(" | ")} |\n|${wide.map(() => "--:|").join("")}\n| ${wide.map((_, n) => n * 1234.5).join(" | ")} |`;
  const path = "https://example.com/a/very/long/address/that/does/not/end/anywhere/near/here/and/goes/on/and/on";
  return {
    state: {
      busy: true,
      model: "organisation/a-model-with-a-very-long-name-0123456789",
      host: "gateway.of.a.company.example.com:8443",
    },
    events: [
      script.start(
        say(
          "Averyveryverylongwordwithoutanyspaceinitthatgoesonandonandonandon ".repeat(2),
          "没有空格的很长的一句话".repeat(12),
        ),
      ),
      script.say(
        `# ${say("Heading", "标题")}\n\n${table}\n\n> ${say("A quotation", "引文")}\n\n1. [link](${path})\n2. \`inline_code_that_is_long_enough_to_break_the_line_in_a_narrow_window\`\n\n- [x] ${say("done", "完成")}\n- [ ] ${say("open", "未完")}\n`,
      ),
      ...tool(
        script,
        "c0",
        "search_notes",
        { query: say("a very long question about everything ".repeat(6), "很长的检索词".repeat(30)), k: 8 },
        "x\n".repeat(60),
      ),
      script.event("ToolStart", { call_id: "c1", tool: "run_python", arguments: { code: LONG_CODE } }),
      request(script, "c1", "run_python", LONG_CODE + LONG_LINE, say("Prepares all months.", "准备所有月份。")),
    ],
  };
}

function composing(say: Words): Session {
  const about = say("How to check the totals of a table before they are reported", "报告之前如何核对表的合计");
  return {
    state: {},
    events: [],
    typed: say("compare @sa", "比较 @sa"),
    pictures: 6,
    choices: [
      { kind: "variable", label: "sales", text: "sales ", about: "DataFrame" },
      { kind: "table", label: "sales", text: "sales ", about: "" },
      {
        kind: "note",
        label: say("Sales plan for the third quarter of the year", "第三季度销售计划（草稿）"),
        text: "",
        about: "",
      },
      { kind: "skill", label: "check-numbers", text: "", about },
    ],
  };
}

export const moments = { composing, subagents, refused, stopped, failed, ruled, skilled, pictured, crowded };
