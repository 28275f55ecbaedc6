/** A round that the model no longer gets: one line that opens, and the way back. */

import type { ComponentChildren, JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Why } from "../protocol";
import { type Round, wordsOf } from "../round";
import { TalkContext, useSurroundings } from "./context";

interface Props {
  round: Round;
  why: Why;
  children: () => ComponentChildren;
}

export function Aside({ round, why, children }: Props): JSX.Element {
  const { say, send } = useSurroundings();
  const { busy } = useContext(TalkContext);
  const [open, setOpen] = useState(false);
  return (
    <div class="nph-aside" data-why={why}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class="nph-tag">{say(`aside.${why}`)}</span> <span class="nph-aside-words">{wordsOf(round)}</span>
        </summary>
        {open ? children() : null}
      </details>
      <button
        type="button"
        class="nph-link"
        disabled={busy}
        title={say("aside.back.title")}
        onClick={() => send({ type: "context", round_id: round.id, in_context: true })}
      >
        {say("aside.back")}
      </button>
    </div>
  );
}
