/** What the user said. */

import type { JSX } from "preact";
import { useSurroundings } from "./context";

export function Said({ text, mode }: { text: string; mode?: string }): JSX.Element {
  const { say } = useSurroundings();
  return (
    <div class="nph-said" role="note" aria-label={say("you")}>
      <div class="nph-bubble">{text}</div>
      {mode === "research" ? <span class="nph-tag">{say("mode.research")}</span> : null}
    </div>
  );
}
