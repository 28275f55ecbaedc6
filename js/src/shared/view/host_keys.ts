/** Keeps what is typed in the view from the host's shortcuts, saving aside; it acts on no key itself. */

const SUPPRESS = "lmSuppressShortcuts";

/** Let no key press out of the element, but for the one that saves the notebook, until the signal says to end. */
export function keepKeys(root: HTMLElement, signal: AbortSignal): void {
  root.dataset[SUPPRESS] = "true";
  const stay = (event: Event): void => {
    if (!saves(event)) event.stopPropagation();
  };
  for (const type of ["keydown", "keypress", "keyup"]) root.addEventListener(type, stay, { signal });
  // The host looks for the mark on the way down, at the document: this comes before it, and before its next key.
  const letThrough = (event: Event): void => {
    if (!saves(event) || !event.composedPath().includes(root)) return;
    delete root.dataset[SUPPRESS];
    setTimeout(() => {
      root.dataset[SUPPRESS] = "true";
    });
  };
  window.addEventListener("keydown", letThrough, { capture: true, signal });
}

function saves(event: Event): boolean {
  if (!(event instanceof KeyboardEvent) || event.altKey || event.shiftKey || event.isComposing) return false;
  return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
}
