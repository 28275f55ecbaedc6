/** Scripted sessions of the card that asks: each state it can be in while it waits, and what is left of it. */

import type { Event } from "../../src/shared/events";
import { Script } from "../building";
import { request, resolved, type Session, type Words } from "./telling";

const CODE = `march = sales[sales["date"].dt.month == 3]
by_region = march.groupby("region")["revenue"].sum()
by_region.to_csv("march.csv")
print(by_region.sort_values())
`;

const binds = (say: Words): string[] => [
  say("Writes, moves or deletes files: march.csv", "写入、移动或删除文件：march.csv"),
  say("Sets the names march, by_region", "设置变量 march, by_region"),
  say("Reads sales", "读取 sales"),
  say(
    "Runs in your live kernel, where it can read and change anything you can.",
    "在你正在使用的内核中运行，你能读取和更改的，它都能。",
  ),
];

const why = (say: Words): string => say("Sums March by region into a file.", "按地区汇总三月，写入文件。");

function call(script: Script, say: Words, call_id = "c1", more: Parameters<typeof request>[5] = {}): Event[] {
  const description = why(say);
  return [
    script.event("ToolStart", { call_id, tool: "run_python", arguments: { code: CODE, description } }),
    request(script, call_id, "run_python", CODE, description, { effects: binds(say), ...more }),
  ];
}

const finish = (script: Script, call_id: string, ok: boolean, result: string): Event =>
  script.event("ToolFinish", { call_id, tool: "run_python", ok, result, elapsed_s: ok ? 0.2 : 0 });

function asked(say: Words): Session {
  const script = new Script();
  return { state: { busy: true }, events: [script.start(say("Sum March", "汇总三月")), ...call(script, say)] };
}

/** Edited, with the difference open, while a cell of the user's holds the kernel. */
function edited(say: Words): Session {
  const place = say(
    "A rather long name of a notebook (copy 2).ipynb · Python 3.11.9",
    "销售分析.ipynb · Python 3.11.9",
  );
  return {
    ...asked(say),
    state: { busy: true, cell_running: true, place },
    edited: CODE.replace("march.csv", "sums/march.csv").replace("print(", "# in order\nprint("),
    press: [".nph-change > summary"],
  };
}

/** Little time is left, and nobody can tell what it would do. */
function unknown(say: Words): Session {
  const script = new Script();
  const code = "%run clean_up.py\nexec(plan)";
  const effects = [
    say("Can't tell what it does: it isn't plain Python.", "无法判断它会做什么：这不是普通的 Python。"),
    ...binds(say).slice(-1),
  ];
  return {
    state: { busy: true },
    events: [
      script.start(say("Tidy up", "整理")),
      script.event("ToolStart", { call_id: "c1", tool: "run_python", arguments: { code } }),
      request(script, "c1", "run_python", code, "", { effects, for_round: false, left: 9 }),
    ],
  };
}

/** Clicked here after it was decided in another view. */
function elsewhere(say: Words): Session {
  return {
    ...asked(say),
    decided: { approval_id: "a-c1", ok: false, message: say("It was already decided.", "已有决定。") },
  };
}

/** One word for the round, and what followed under it. */
function covered(say: Words): Session {
  const script = new Script();
  const ran = (id: string, by: "user" | "round"): Event[] => [
    ...call(script, say, id),
    resolved(script, id, "approved", CODE, { by, for_round: by === "user" }),
    finish(script, id, true, "East    812.4\nNorth  1322.1"),
  ];
  return {
    state: {},
    events: [
      script.start(say("Sum each month", "逐月汇总")),
      ...ran("c1", "user"),
      ...ran("c2", "round"),
      script.say(say("Both months are summed.", "两个月都已汇总。")),
      script.done(),
    ],
    press: ["details > summary"],
  };
}

/** Nobody answered in time: it can be asked again. */
function undecided(say: Words): Session {
  const script = new Script();
  const again = new Script("r-2");
  return {
    state: { busy: true },
    events: [
      script.start(say("Sum March", "汇总三月")),
      ...call(script, say),
      resolved(script, "c1", "expired"),
      finish(script, "c1", false, say("Nobody answered in time.", "没有人及时回应。")),
      script.say(say("Nobody approved it, so I stopped here.", "没有得到批准，我先停在这里。")),
      script.done(),
      again.start(say("Run it now: Sums March by region into a file.", "现在运行：按地区汇总三月，写入文件。")),
      ...call(again, say, "c2"),
    ],
  };
}

export const asking = { asked, edited, unknown, elsewhere, covered, undecided };
