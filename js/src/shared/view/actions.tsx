/** What can be done with a round that is over: ask again, edit, copy, leave out of the context. */

import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import { type Round, wordsOf } from "../round";
import { asMarkdown } from "./as_markdown";
import { TalkContext, useSurroundings } from "./context";
import { writeClipboard } from "./copy";

const SHOWN_MS = 1500;

export function Actions({ round, retry }: { round: Round; retry: boolean }): JSX.Element {
  const { say, send, edit } = useSurroundings();
  const { busy, single } = useContext(TalkContext);
  return (
    <fieldset class="nph-actions" aria-label={say("actions")}>
      {retry ? <Retry round={round} /> : null}
      {single ? null : (
        <button type="button" disabled={busy} title={say("edit.title")} onClick={() => edit(round.id)}>
          {say("edit")}
        </button>
      )}
      <CopyAll round={round} />
      {round.done ? (
        <button
          type="button"
          disabled={busy}
          title={say("leave.title")}
          onClick={() => send({ type: "context", round_id: round.id, in_context: false })}
        >
          {say("leave")}
        </button>
      ) : null}
    </fieldset>
  );
}

/** Ask the same in a new round that takes the place of this one. */
export function Retry({ round }: { round: Round }): JSX.Element | null {
  const { say, ask } = useSurroundings();
  const { busy, sent, single } = useContext(TalkContext);
  if (single) return null;
  const again = (): void => {
    const chosen = round.mode === "chat" ? "chat" : "agent";
    // Where no loop was to be had, nobody chose its mode.
    const mode = round.tier === "lite" ? null : chosen;
    ask({ text: wordsOf(round), mode, research: round.mode === "research", instead: round.id });
  };
  return (
    <button type="button" disabled={busy || sent} title={say("retry.title")} onClick={again}>
      {say("retry")}
    </button>
  );
}

function CopyAll({ round }: { round: Round }): JSX.Element {
  const { say } = useSurroundings();
  const [done, setDone] = useState<boolean | null>(null);
  const copy = async (): Promise<void> => {
    setDone(await writeClipboard(asMarkdown(round, say)));
    setTimeout(() => setDone(null), SHOWN_MS);
  };
  return (
    <button type="button" title={say("copy.title")} onClick={() => void copy()}>
      {say(done === null ? "copy" : done ? "copied" : "copy.failed")}
    </button>
  );
}
