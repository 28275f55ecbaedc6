/** One sub-agent: its part of the task, how far it is, what it brought back; it can be stopped alone. */

import type { JSX } from "preact";
import type { Part } from "../round";
import { isWord } from "../strings";
import { useSurroundings } from "./context";
import { Markdown } from "./markdown";

type SubagentPart = Extract<Part, { type: "subagent" }>;

const STAGES: { [state: string]: string } = {
  waiting: "queued",
  running: "running",
  done: "done",
  failed: "failed",
  timeout: "failed",
  cancelled: "cut",
};

export function SubagentCard({ part, running }: { part: SubagentPart; running: boolean }): JSX.Element {
  const { say, send } = useSurroundings();
  const over = !running || !["waiting", "running"].includes(part.state);
  const state = over && ["waiting", "running"].includes(part.state) ? "cancelled" : part.state;
  const word = `subagent.${state}`;
  const spent = part.steps > 0 ? say("subagent.spent", { steps: part.steps, tokens: part.tokens }) : "";
  const doing = !over && part.text ? part.text : "";
  return (
    <div class="nph-tool nph-subagent" data-stage={STAGES[state] ?? "running"}>
      <div class="nph-tool-head">
        <span class="nph-dot" aria-hidden="true" />
        <span class="nph-tool-name">{say("subagent")}</span>
        <span class="nph-tool-told" title={part.title}>
          {part.title}
        </span>
        <span class="nph-tool-state">
          {[isWord(word) ? say(word) : state, doing, spent].filter(Boolean).join(" · ")}
        </span>
        {over ? null : (
          <button
            type="button"
            class="nph-copy"
            aria-label={say("subagent.stop", { title: part.title })}
            onClick={() => send({ type: "cancel_task", task_id: part.task_id })}
          >
            {say("composer.stop")}
          </button>
        )}
      </div>
      {over && part.text ? (
        <details class="nph-report">
          <summary>{say("subagent.report")}</summary>
          <Markdown text={part.text} />
        </details>
      ) : null}
    </div>
  );
}
