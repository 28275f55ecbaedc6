/** The card that asks the user before something runs or is written: all of it, readable, and the ways to decide. */

import type { JSX, RefObject } from "preact";
import { useContext, useId, useRef } from "preact/hooks";
import type { Approval, ToolPart } from "../round";
import type { Say } from "../strings";
import { Arguments } from "./arguments";
import { fieldOf, useAttention } from "./attention";
import { ChangeView } from "./change";
import type { CodeEditor } from "./code_editor";
import { PlaceContext, useSurroundings } from "./context";
import { Countdown, useSecondsLeft } from "./countdown";
import { type Decision, type Sent, useDecision } from "./decision";
import { Editor } from "./editor";
import { isComposing, isMac, isSubmit } from "./keys";
import { Preview } from "./preview";

export function ApprovalCard({ part, approval }: { part: ToolPart; approval: Approval }): JSX.Element {
  const { say } = useSurroundings();
  const box = useRef<HTMLElement>(null);
  const editor = useRef<CodeEditor>(null);
  const card = useDecision(approval, editor);
  const seconds = useSecondsLeft(approval.expires_at);
  const locked = card.sent === "waiting" || seconds === 0 || approval.answer !== null;
  const ways = waysOf(box, card, locked);
  const id = useId();
  useAttention(box);
  return (
    <section
      ref={box}
      class="nph-approval"
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-what ${id}-about`}
      tabIndex={-1}
      data-nph-asks=""
      onKeyDown={(event) => onKey(event, ways)}
    >
      <header>
        <strong id={`${id}-title`}>{title(part.tool, approval, say)}</strong>
        <Countdown seconds={seconds} />
      </header>
      <p id={`${id}-what`}>{approval.description}</p>
      {approval.code === null ? (
        <Plain part={part} />
      ) : (
        <CodeToRun
          proposal={approval.code}
          code={card.code}
          handle={editor}
          locked={locked}
          onChange={card.setCode}
          onApprove={ways.approve}
          onLeave={ways.toButtons}
        />
      )}
      <div id={`${id}-about`}>
        <Effects effects={approval.effects} />
        <Where code={approval.code} />
      </div>
      <Actions approval={approval} card={card} ways={ways} locked={locked} />
      <Heard approval={approval} sent={card.sent} />
    </section>
  );
}

function title(tool: string, approval: Approval, say: Say): string {
  if (approval.code !== null) return say("approval.title");
  return say(WRITES.has(tool) ? "approval.title.write" : "approval.title.other");
}

const WRITES = new Set(["create_note", "memory_write"]);

/** What buttons and keys do; the keyboard stays on the card while an answer is on its way. */
interface Ways {
  approve(): void;
  approveForRound(): void;
  reject(): void;
  edit(): void;
  toReason(): void;
  toButtons(): void;
  back(): void;
}

function waysOf(box: RefObject<HTMLElement>, card: Decision, locked: boolean): Ways {
  const to = (selector: string): void => box.current?.querySelector<HTMLElement>(selector)?.focus();
  const unlessLocked = (act: () => void) => (): void => {
    if (locked) return;
    if (box.current?.matches(":focus-within")) box.current.focus();
    act();
  };
  return {
    approve: unlessLocked(() => card.approve()),
    approveForRound: unlessLocked(() => card.approve(true)),
    reject: unlessLocked(card.reject),
    edit: () => to(".cm-content, .nph-plain-editor, .nph-primary"),
    toReason: () => to(".nph-reason"),
    toButtons: () => to(".nph-primary"),
    back: () => fieldOf(box.current)?.focus(),
  };
}

/** The keys of the card itself; what a field or the editor has taken is none of them. */
function onKey(event: KeyboardEvent, ways: Ways): void {
  const { key, currentTarget, target } = event;
  if (event.defaultPrevented || isComposing(event)) return;
  const onCard = target === currentTarget;
  const writing = target instanceof HTMLElement && target.matches("input, textarea, [contenteditable]");
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) ways.approve();
  else if (modified) return;
  else if (key === "Escape") ways.back();
  else if ((key === "Delete" || key === "Backspace") && !writing) ways.toReason();
  else if (key === "Enter" && onCard) ways.edit();
  else {
    // Whoever goes on writing a message does so in its field, where this very key still arrives.
    if (key.length === 1 && onCard) ways.back();
    return;
  }
  event.preventDefault();
}

interface CodeToRunProps {
  proposal: string;
  code: string;
  locked: boolean;
  handle: RefObject<CodeEditor>;
  onChange(code: string): void;
  onApprove(): void;
  onLeave(): void;
}

function CodeToRun(props: CodeToRunProps): JSX.Element {
  const { say } = useSurroundings();
  const edited = props.code !== props.proposal;
  return (
    <div class="nph-code-to-run">
      <Editor {...props} label={say("approval.code")} />
      <div class="nph-editor-foot">
        <span>{say("approval.lines", { count: props.code.split("\n").length })}</span>
        {edited ? (
          <button type="button" class="nph-link" onClick={() => props.handle.current?.replace(props.proposal)}>
            {say("approval.restore")}
          </button>
        ) : null}
      </div>
      {edited ? <ChangeView proposal={props.proposal} code={props.code} /> : null}
    </div>
  );
}

/** What a call without code would do: its arguments, long texts as a preview with the exact source beside it. */
function Plain({ part }: { part: ToolPart }): JSX.Element {
  const texts = ["text", "body"].filter((name) => typeof part.arguments[name] === "string");
  return (
    <>
      <Arguments args={part.arguments} without={texts} />
      {texts.map((name) => (
        <Preview key={name} text={String(part.arguments[name])} />
      ))}
    </>
  );
}

function Effects({ effects }: { effects: string[] }): JSX.Element | null {
  const { say } = useSurroundings();
  if (effects.length === 0) return null;
  return (
    <div class="nph-effects">
      <span>{say("approval.effects")}</span>
      <ul>
        {effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </div>
  );
}

/** Where code will run, and what it waits for there. */
function Where({ code }: { code: string | null }): JSX.Element | null {
  const { say } = useSurroundings();
  const { place, cell_running } = useContext(PlaceContext);
  if (code === null) return null;
  return (
    <div class="nph-where">
      {place ? <span>{say("approval.place", { place })}</span> : null}
      {/* Always there, so that what comes into it is heard. */}
      <span role="status">{cell_running ? say("approval.busy") : ""}</span>
    </div>
  );
}

interface ActionsProps {
  approval: Approval;
  card: Decision;
  ways: Ways;
  locked: boolean;
}

function Actions({ approval, card, ways, locked }: ActionsProps): JSX.Element {
  const { say } = useSurroundings();
  const code = approval.code !== null;
  const mod = isMac() ? "⌘" : "Ctrl";
  return (
    <>
      <div class="nph-decide">
        <button
          type="button"
          class="nph-primary"
          aria-keyshortcuts="Control+Enter"
          disabled={locked}
          onClick={ways.approve}
        >
          {say(card.edited ? "approval.approve.edited" : "approval.approve")}
        </button>
        {approval.for_round ? (
          <button
            type="button"
            disabled={locked}
            title={say(code ? "approval.for_round.title" : "approval.for_round.plain")}
            onClick={ways.approveForRound}
          >
            {say("approval.for_round")}
          </button>
        ) : null}
        <button type="button" disabled={locked} onClick={ways.reject}>
          {say("approval.reject")}
        </button>
        <input
          type="text"
          class="nph-reason"
          value={card.reason}
          disabled={locked}
          placeholder={say("approval.reason")}
          aria-label={say("approval.reason")}
          onInput={(event) => card.setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isSubmit(event)) ways.reject();
            else if (event.key === "Escape" && !isComposing(event)) ways.toButtons();
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <p class="nph-keys">{say(code ? "approval.keys" : "approval.keys.plain", { key: mod })}</p>
    </>
  );
}

function Heard({ approval, sent }: { approval: Approval; sent: Sent }): JSX.Element | null {
  const { say } = useSurroundings();
  if (approval.answer && !approval.answer.ok) {
    return <p role="status">{approval.answer.message || say("approval.elsewhere")}</p>;
  }
  if (sent === "no") return null;
  return <p role="status">{say(sent === "waiting" ? "approval.sent" : "approval.again")}</p>;
}
