/** Putting code into the notebook by its button, where there is a notebook; it reads only the block it stands on. */

import type { Surroundings } from "./context";

const SHOWN_MS = 1500;

/** Handle a click that may have hit an insert button: hand over the code of its block and say on it how that went. */
export function insertFrom(event: Event, { insert, say }: Surroundings): void {
  const button = event.target instanceof Element ? event.target.closest("button.nph-insert") : null;
  const code = button?.closest(".nph-code")?.querySelector("pre")?.textContent;
  if (!button || code == null || !insert) return;
  button.textContent = say(insert(code) ? "inserted" : "insert.failed");
  setTimeout(() => {
    button.textContent = say("insert");
  }, SHOWN_MS);
}
