/** Copying code by its button; it never reads the clipboard. */

import type { Say } from "../strings";

const SHOWN_MS = 1500;

/** Handle a click that may have hit a copy button: copy the code of its block and say so on the button. */
export function copyFrom(event: Event, say: Say): void {
  const button = event.target instanceof Element ? event.target.closest("button.nph-copy") : null;
  const code = button?.closest(".nph-code")?.querySelector("pre")?.textContent;
  if (!button || code == null) return;
  void writeClipboard(code).then((done) => {
    if (!done) return;
    button.textContent = say("copied");
    setTimeout(() => {
      button.textContent = say("copy");
    }, SHOWN_MS);
  });
}

/** Put a text on the clipboard; false where that can't be done. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page served without TLS has no clipboard API; the old command works there.
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
