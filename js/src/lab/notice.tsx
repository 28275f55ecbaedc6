/** What the panel says in place of a conversation, or above one that can't go on, and the one click that helps. */

import type { JSX } from "preact";
import type { Say, Word } from "../shared/strings";
import type { Standing } from "./line";

export interface NoticeProps {
  /** null: there is no notebook. */
  standing: Standing | null;
  say: Say;
  onLoad: () => void;
  onAgain: () => void;
}

const LOADABLE: readonly Standing["kind"][] = ["absent", "restarted"];
const AGAIN: readonly Standing["kind"][] = ["lost", "failed", "trouble"];

export function Notice({ standing, say, onLoad, onAgain }: NoticeProps): JSX.Element | null {
  if (standing?.kind === "connected") return null;
  const word: Word = standing ? `panel.${standing.kind}` : "panel.no_notebook";
  const reason = standing && "reason" in standing ? standing.reason : "";
  return (
    <div class="nph-panel-notice" role="status">
      <p>{say(word, { reason })}</p>
      {standing && LOADABLE.includes(standing.kind) ? (
        <button type="button" class="nph-panel-primary" onClick={onLoad}>
          {say("panel.load")}
        </button>
      ) : null}
      {standing && AGAIN.includes(standing.kind) ? (
        <button type="button" onClick={standing.kind === "failed" ? onLoad : onAgain}>
          {say("panel.again")}
        </button>
      ) : null}
    </div>
  );
}
