/** The card that asks the user before something runs or is written: all of it, readable, and the ways to decide. */

import type { JSX, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Approval, ToolPart } from "../round";
import type { Say } from "../strings";
import { Arguments } from "./arguments";
import type { CodeEditor } from "./code_editor";
import { useSurroundings } from "./context";
import { Countdown, useSecondsLeft } from "./countdown";
import { Editor } from "./editor";
import { isComposing, isMac, isSubmit } from "./keys";
import { Preview } from "./preview";

/** After this long without an answer the buttons work again: the first decision wins, so a second does no harm. */
const ANSWER_MS = 6000;

export function ApprovalCard({ part, approval }: { part: ToolPart; approval: Approval }): JSX.Element {
  const { say } = useSurroundings();
  const editor = useRef<CodeEditor>(null);
  const card = useDecision(approval, editor);
  const seconds = useSecondsLeft(approval.expires_at);
  const locked = card.sent === "waiting" || seconds === 0 || approval.answer !== null;
  const approveButton = useRef<HTMLButtonElement>(null);
  const approve = (): void => {
    if (!locked) card.approve();
  };
  return (
    <section class="nph-approval" aria-label={title(part.tool, approval, say)}>
      <header>
        <strong>{title(part.tool, approval, say)}</strong>
        <Countdown seconds={seconds} />
      </header>
      {approval.description ? <p>{approval.description}</p> : null}
      {approval.code === null ? (
        <Plain part={part} />
      ) : (
        <CodeToRun
          proposal={approval.code}
          code={card.code}
          handle={editor}
          locked={locked}
          onChange={card.setCode}
          onApprove={approve}
          onLeave={() => approveButton.current?.focus()}
        />
      )}
      <Effects effects={approval.effects} />
      <div class="nph-actions">
        <button ref={approveButton} type="button" class="nph-primary" disabled={locked} onClick={approve}>
          {say(card.edited ? "approval.approve.edited" : "approval.approve")}
        </button>
        <button type="button" disabled={locked} onClick={card.reject}>
          {say("approval.reject")}
        </button>
        <input
          type="text"
          value={card.reason}
          disabled={locked}
          placeholder={say("approval.reason")}
          aria-label={say("approval.reason")}
          onInput={(event) => card.setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isSubmit(event) && card.reason.trim() !== "") card.reject();
            else if (event.key === "Escape" && !isComposing(event)) approveButton.current?.focus();
          }}
        />
      </div>
      <Heard approval={approval} sent={card.sent} />
    </section>
  );
}

function title(tool: string, approval: Approval, say: Say): string {
  if (approval.code !== null) return say("approval.title");
  return say(WRITES.has(tool) ? "approval.title.write" : "approval.title.other");
}

const WRITES = new Set(["create_note", "memory_write"]);

type Sent = "no" | "waiting" | "unanswered";

interface Decision {
  code: string;
  edited: boolean;
  reason: string;
  sent: Sent;
  setCode(code: string): void;
  setReason(reason: string): void;
  approve(): void;
  reject(): void;
}

/** What the user has typed into the card so far, and the two ways to send it. */
function useDecision(approval: Approval, editor: RefObject<CodeEditor>): Decision {
  const { send } = useSurroundings();
  const [code, setCode] = useState(approval.code ?? "");
  const [reason, setReason] = useState("");
  const [sent, setSent] = useState<Sent>("no");
  useEffect(() => {
    if (sent !== "waiting") return;
    const timer = setTimeout(() => setSent("unanswered"), ANSWER_MS);
    return () => clearTimeout(timer);
  }, [sent]);
  const edited = approval.code !== null && code !== approval.code;
  const decide = (action: "approve" | "reject"): void => {
    // What stands in the editor at this moment: the last key may not have been drawn yet.
    const stands = editor.current?.code() ?? approval.code;
    const changed = action === "approve" && stands !== approval.code ? stands : null;
    const why = action === "reject" ? reason.trim() : "";
    const ok = send({ type: "decide", approval_id: approval.id, action, code: changed, reason: why });
    if (ok) setSent("waiting");
  };
  return {
    ...{ code, edited, reason, sent, setCode, setReason },
    approve: () => decide("approve"),
    reject: () => decide("reject"),
  };
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
        <span>{say("approval.keys", { key: isMac() ? "⌘" : "Ctrl" })}</span>
        {edited ? (
          <button type="button" class="nph-link" onClick={() => props.handle.current?.replace(props.proposal)}>
            {say("approval.restore")}
          </button>
        ) : null}
      </div>
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

function Heard({ approval, sent }: { approval: Approval; sent: Sent }): JSX.Element | null {
  const { say } = useSurroundings();
  if (approval.answer && !approval.answer.ok) {
    return <p role="status">{approval.answer.message || say("approval.elsewhere")}</p>;
  }
  if (sent === "no") return null;
  return <p role="status">{say(sent === "waiting" ? "approval.sent" : "approval.again")}</p>;
}
