/** The card of one tool call: its name in words, what it was asked, how it goes, what came out. */

import type { JSX } from "preact";
import type { Output } from "../events";
import { plainOf } from "../nbformat";
import type { ToolPart } from "../round";
import type { Say } from "../strings";
import { ApprovalCard } from "./approval";
import { Arguments, headline, toolTitle } from "./arguments";
import { Code, Folded } from "./code";
import { useSurroundings } from "./context";
import { AskAgain, OutcomeView, outcomeWords } from "./outcome";
import { OutputView } from "./output";

type Stage = "waiting" | "running" | "done" | "failed" | "refused" | "stopped" | "cut";

/** `stopped`: the round was stopped and this call was its last, so that it did not fail by itself. */
function stageOf(part: ToolPart, running: boolean, stopped: boolean): Stage {
  const outcome = part.approval?.resolved?.outcome;
  if (outcome && outcome !== "approved" && outcome !== "edited") return "refused";
  if (part.finished) return part.finished.ok ? "done" : stopped ? "stopped" : "failed";
  if (!running) return "cut";
  return part.approval && !part.approval.resolved ? "waiting" : "running";
}

export interface ToolCardProps {
  part: ToolPart;
  running: boolean;
  /** It ended because the round was stopped. */
  stopped: boolean;
}

export function ToolCard({ part, running, stopped }: ToolCardProps): JSX.Element {
  const { say } = useSurroundings();
  const stage = stageOf(part, running, stopped);
  // The card that asks says it whole.
  const told = stage === "waiting" ? "" : headline(part.tool, part.arguments, say);
  const head = (
    <>
      <span class="nph-dot" aria-hidden="true" />
      <span class="nph-tool-name">{toolTitle(part.tool, say)}</span>
      <span class="nph-tool-told" title={told}>
        {told}
      </span>
      <span class="nph-tool-state">{stateWords(part, stage, say)}</span>
    </>
  );
  if (stage === "waiting" && part.approval) {
    return (
      <div class="nph-tool" data-stage={stage} data-call-card={part.call_id}>
        <div class="nph-tool-head">{head}</div>
        <ApprovalCard part={part} approval={part.approval} />
      </div>
    );
  }
  const shown = shownOutputs(part);
  const text = textOf(part, stage, shown);
  return (
    <div class="nph-tool" data-stage={stage} data-call-card={part.call_id}>
      <details>
        <summary class="nph-tool-head">{head}</summary>
        <Inside part={part} stage={stage} />
      </details>
      {part.approval ? <AskAgain approval={part.approval} /> : null}
      {text || shown.length > 0 ? (
        <div class="nph-outputs">
          {text ? <Folded text={text} kind={stage === "failed" ? "nph-stderr" : ""} /> : null}
          {shown.map((output, index) => (
            <OutputView key={index} output={output} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** What code prints is shown piece by piece while it runs; afterwards the result holds it whole. */
function shownOutputs(part: ToolPart): readonly Output[] {
  const whole = part.tool === "run_python" && part.finished !== null;
  return whole ? part.outputs.filter((output) => output.output_type !== "stream") : part.outputs;
}

/**
 * What stands under the card's head as text: what code printed or why a call failed. The kernel tells it within the
 * result, after the change that the user made and among the plain forms of the rich outputs.
 */
function textOf(part: ToolPart, stage: Stage, shown: readonly Output[]): string {
  const ended = stage === "failed" || stage === "stopped";
  if (!part.finished || !(ended || (stage === "done" && part.tool === "run_python"))) return "";
  if (shown.some((output) => output.output_type === "error")) return "";
  const diff = part.approval?.resolved?.diff.trim() ?? "";
  let text = diff ? (part.finished.result.split(diff).at(-1) ?? "") : part.finished.result;
  for (const plain of shown.map((output) => plainOf(output).trimEnd())) {
    if (plain) text = text.replace(plain, () => "");
  }
  return text.replace(/\n{3,}/g, "\n\n").replace(/^\s*\n|\s+$/g, "");
}

/** The folded part: all arguments or the decided code, and what the model was told. */
function Inside({ part, stage }: { part: ToolPart; stage: Stage }): JSX.Element {
  const { say } = useSurroundings();
  const code = part.arguments["code"];
  const result = part.finished?.result ?? "";
  const told = textOf(part, stage, shownOutputs(part)) === result ? "" : result;
  return (
    <div class="nph-tool-inside">
      {part.approval ? <OutcomeView approval={part.approval} /> : null}
      {!part.approval && typeof code === "string" ? <Code code={code} language="python" /> : null}
      <Arguments args={part.arguments} without={["code", "description"]} />
      {told ? (
        <>
          <div class="nph-label">{say("tool.result")}</div>
          <Folded text={told} />
        </>
      ) : null}
    </div>
  );
}

function stateWords(part: ToolPart, stage: Stage, say: Say): string {
  const resolved = part.approval?.resolved;
  switch (stage) {
    case "waiting":
      return say("tool.waiting");
    case "running":
      return say("tool.running");
    case "cut":
      return say("tool.cut");
    case "refused":
      return resolved ? outcomeWords(resolved, say) : say("outcome.rejected");
    case "stopped":
      return `${say("tool.stopped")} · ${elapsed(part, say)}`;
    case "failed":
      return `${say("tool.failed")} · ${elapsed(part, say)}`;
    case "done":
      // Nobody clicked for this one: that it ran all the same is told beside its name.
      return resolved?.by === "round" ? `${outcomeWords(resolved, say)} · ${elapsed(part, say)}` : elapsed(part, say);
  }
}

function elapsed(part: ToolPart, say: Say): string {
  const seconds = part.finished?.elapsed_s ?? 0;
  return say("tool.seconds", { seconds: seconds < 10 ? seconds.toFixed(1) : Math.round(seconds) });
}
