/** One round: what the user said, all that followed in order, and how it ended. */

import type { JSX } from "preact";
import { Component } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { NumberLink } from "../events";
import { type Part, type Round, wasStopped } from "../round";
import { isWord, type Say } from "../strings";
import { useSurroundings } from "./context";
import { Ending } from "./ending";
import { Markdown } from "./markdown";
import { SubagentCard } from "./subagent";
import { ToolCard } from "./tool";

export interface RoundProps {
  round: Round;
  running: boolean;
  /** The calls whose data has changed since, with spaces between them. */
  stale: string;
  say: Say;
}

/** Drawn again only when something of its own changed: rounds of the past cost nothing while one streams. */
export class RoundView extends Component<RoundProps> {
  override shouldComponentUpdate(next: RoundProps): boolean {
    const { round, running, stale, say } = this.props;
    return round !== next.round || running !== next.running || stale !== next.stale || say !== next.say;
  }

  override render({ round, running, stale }: RoundProps): JSX.Element {
    return (
      <article class="nph-round">
        <Said text={round.text} mode={round.mode} />
        <Body round={round} running={running} stale={stale} />
        <Ending round={round} running={running} />
      </article>
    );
  }
}

function Body({ round, running, stale }: Omit<RoundProps, "say">): JSX.Element {
  const end = round.parts.length - 1;
  const answer = round.done ? round.parts.findLastIndex((part) => part.type === "answer") : -1;
  const ties = useMemo(
    () => ({ numbers: round.done?.numbers ?? [], stale: new Set(stale.split(" ")) }),
    [round.done, stale],
  );
  return (
    <div class="nph-reply">
      {round.parts.map((part, index) => (
        <PartView
          key={index}
          part={part}
          running={running}
          last={index === end}
          stopped={part.type === "tool" && wasStopped(round, part)}
          {...(index === answer ? ties : {})}
        />
      ))}
      {running && isQuiet(round) ? <Working /> : null}
    </div>
  );
}

/** Nothing on screen moves by itself at this moment. */
function isQuiet(round: Round): boolean {
  const last = round.parts.at(-1);
  return last === undefined || last.type === "remark" || (last.type === "tool" && last.finished !== null);
}

export function Said({ text, mode }: { text: string; mode?: string }): JSX.Element {
  const { say } = useSurroundings();
  return (
    <div class="nph-said" role="note" aria-label={say("you")}>
      <div class="nph-bubble">{text}</div>
      {mode === "research" ? <span class="nph-tag">{say("mode.research")}</span> : null}
    </div>
  );
}

function Meanwhile({ text }: { text: string }): JSX.Element {
  const { say } = useSurroundings();
  return (
    <div class="nph-said nph-meanwhile">
      <span class="nph-tag">{say("remark")}</span>
      <div class="nph-bubble">{text}</div>
    </div>
  );
}

function Working(): JSX.Element {
  const { say } = useSurroundings();
  return <div class="nph-working">{say("working")}</div>;
}

interface PartProps {
  part: Part;
  running: boolean;
  last: boolean;
  stopped: boolean;
  numbers?: readonly NumberLink[];
  stale?: ReadonlySet<string>;
}

function PartView({ part, running, last, stopped, ...ties }: PartProps): JSX.Element | null {
  const { say } = useSurroundings();
  switch (part.type) {
    case "answer":
      return <Markdown text={part.text} live={running && last} {...ties} />;
    case "remark":
      return <Meanwhile text={part.text} />;
    case "thinking":
      return <Thinking text={part.text} live={running && last} />;
    case "tool":
      return <ToolCard part={part} running={running} stopped={stopped} />;
    case "progress":
      return running && last ? <ProgressLine part={part} /> : null;
    case "subagent":
      return <SubagentCard part={part} running={running} />;
    case "navigate":
      return <Navigation view={part.view} target={part.target} running={running} />;
    case "unreadable":
      return <div class="nph-line">{say("unreadable", { name: part.name })}</div>;
  }
}

/** While the round runs the view is opened at once; afterwards it can be opened again. */
function Navigation({ view, target, running }: { view: string; target: string; running: boolean }): JSX.Element {
  const { say, send, close } = useSurroundings();
  const word = `view.${view}`;
  const open = (): void => {
    if (view === "chat") close();
    else send({ type: "open", view, target });
  };
  useEffect(() => {
    if (running) open();
  }, []);
  return (
    <div class="nph-line">
      {say("navigate", { view: isWord(word) ? say(word) : view, target })}{" "}
      <button type="button" class="nph-copy" onClick={open}>
        {say("open")}
      </button>
    </div>
  );
}

function ProgressLine({ part }: { part: Extract<Part, { type: "progress" }> }): JSX.Element {
  const { say } = useSurroundings();
  const { label, done, total } = part;
  const count = total === null ? say("progress.open", { label, done }) : say("progress", { label, done, total });
  return (
    <div class="nph-line">
      <span>{done === 0 ? label : count}</span>
      {total === null ? null : <progress value={done} max={total} aria-label={label} />}
    </div>
  );
}

/** Thinking is plain text, drawn only while it is open. */
function Thinking({ text, live }: { text: string; live: boolean }): JSX.Element {
  const { say } = useSurroundings();
  const [open, setOpen] = useState(false);
  return (
    <details class="nph-thinking" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{say(live ? "thinking" : "thought")}</summary>
      {open ? <div class="nph-thinking-text">{text}</div> : null}
    </details>
  );
}
