/** Earlier messages brought back with the arrow keys, as in a terminal; the draft comes back at the end. */

import { useRef } from "preact/hooks";

export interface Recall {
  /** Return what a press of the up (-1) or down (1) key brings into the field, or null where it only moves there. */
  step(field: HTMLTextAreaElement, by: 1 | -1): string | null;
  forget(): void;
}

export function useRecall(said: readonly string[]): Recall {
  const place = useRef<{ at: number; draft: string; shown: string } | null>(null);
  return {
    step(field, by) {
      const { value, selectionStart, selectionEnd } = field;
      const held = place.current?.shown === value ? place.current : null;
      const atEdge =
        selectionStart === selectionEnd && (by < 0 ? selectionStart === 0 : selectionStart === value.length);
      // A message just brought back is left by either key; one's own text only from its first line's beginning.
      if (!held && (by > 0 || !atEdge)) return null;
      const at = (held?.at ?? said.length) + by;
      if (at < 0 || at > said.length) return null;
      const draft = held?.draft ?? value;
      const shown = at === said.length ? draft : (said[at] ?? "");
      place.current = at === said.length ? null : { at, draft, shown };
      return shown;
    },
    forget() {
      place.current = null;
    },
  };
}
