/** The button that shows what is open in a place of its own, where the host has one. */

import type { JSX } from "preact";
import { useSurroundings } from "./context";

export function Detach(): JSX.Element | null {
  const { say, detach } = useSurroundings();
  if (!detach) return null;
  return (
    <button type="button" class="nph-detach" onClick={detach}>
      ⧉ {say("page.detach")}
    </button>
  );
}
