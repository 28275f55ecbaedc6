/** One round: what the user said, all that followed in order, and how it ended. */

import type { JSX } from "preact";
import { Component } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { NumberLink } from "../events";
import type { Why } from "../protocol";
import { type Part, type Round, wasStopped } from "../round";
import { isWord, type Say } from "../strings";
import { Aside } from "./aside";
import { useSurroundings } from "./context";
import { Ending } from "./ending";
import { Markdown } from "./markdown";
import { Said } from "./said";
import { SubagentCard } from "./subagent";
import { ToolCard } from "./tool";

export interface RoundProps {
  round: Round;
  running: boolean;
  /** The calls whose data has changed since, with spaces between them. */
  stale: string;
  /** Why the model no longer gets the round. */
  aside: Why | undefined;
  say: Say;
}

/** Drawn again only when something of its own changed: rounds of the past cost nothing while one streams. */
export class RoundView extends Component<RoundProps> {
  override shouldComponentUpdate(next: RoundProps): boolean {
    const { round, running, stale, aside, say } = this.props;
    const same = round === next.round && running === next.running && stale === next.stale;
    return !same || aside !== next.aside || say !== next.say;
  }

  override getSnapshotBeforeUpdate(): boolean {
    return this.base instanceof Element && this.base.contains(document.activeElement);
  }

  /** Whoever took the round out of the context, or put it back, goes on from where they were. */
  override componentDidUpdate(before: RoundProps, _state: unknown, held: boolean): void {
    if (!held || before.aside === this.props.aside || !(this.base instanceof Element)) return;
    this.base.querySelector<HTMLElement>(".nph-aside summary, .nph-actions button:last-child")?.focus();
  }

  override render({ round, running, stale, aside }: RoundProps): JSX.Element {
    const whole = (): JSX.Element => (
      <>
        <Said text={round.text} mode={round.mode} />
        <Body round={round} running={running} stale={stale} />
        <Ending round={round} running={running} aside={aside !== undefined} />
      </>
    );
    return (
      <article class="nph-round">
        {aside ? (
          <Aside round={round} why={aside}>
            {whole}
          </Aside>
        ) : (
          whole()
        )}
      </article>
    );
  }
}

function Body({ round, running, stale }: Omit<RoundProps, "say" | "aside">): JSX.Element {
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
      return running && last && part.done !== part.total ? <ProgressLine part={part} /> : null;
    case "subagent":
      return <SubagentCard part={part} running={running} />;
    case "navigate":
      return <Navigation view={part.view} target={part.target} />;
    case "unreadable":
      return <div class="nph-line">{say("unreadable", { name: part.name })}</div>;
  }
}

/** What was opened when this came can be opened again. */
function Navigation({ view, target }: { view: string; target: string }): JSX.Element {
  const { say, send, close } = useSurroundings();
  const word = `view.${view}`;
  const open = (): void => {
    if (view === "chat") close();
    else send({ type: "open", view, target });
  };
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
