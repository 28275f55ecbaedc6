/** Brings the keyboard to what asks the user, without taking it from what they type, and back when it is settled. */

import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

const FIELD = "textarea.nph-field";
const ASKS = "[data-nph-asks]";

/** Where the keyboard is, also in a view that lives in a shadow tree. */
const focusedIn = (element: Element): Element | null => (element.getRootNode() as Document | ShadowRoot).activeElement;

/** The field where messages are written, of the view that holds an element. */
export const fieldOf = (element: Element | null): HTMLTextAreaElement | null =>
  element?.closest(".nph")?.querySelector<HTMLTextAreaElement>(FIELD) ?? null;

export function useAttention(card: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const element = card.current;
    const view = element?.closest(".nph");
    if (!element || !view) return;
    const focused = focusedIn(element);
    // Nothing is being written: the message just sent has left its field, and the keyboard there.
    if (focused instanceof HTMLTextAreaElement && focused === fieldOf(element) && focused.value === "") element.focus();
    return () => {
      if (!element.contains(focusedIn(element))) return;
      setTimeout(() => (view.querySelector<HTMLElement>(ASKS) ?? fieldOf(view))?.focus());
    };
  }, [card]);
}
