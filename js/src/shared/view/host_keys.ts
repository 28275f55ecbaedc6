/** Keeps what is typed in the view from the host's shortcuts, saving aside; it acts on no key itself. */

const SUPPRESS = "lmSuppressShortcuts";

/** Let no key press out of the element, but for the one that saves the notebook, until the signal says to end. */
export function keepKeys(root: HTMLElement, signal: AbortSignal): void {
  root.dataset[SUPPRESS] = "true";
  const stay = (event: Event): void => {
    if (!saves(event)) event.stopPropagation();
  };
  for (const type of ["keydown", "keypress", "keyup"]) root.addEventListener(type, stay, { signal });
  // The host looks for the mark on the way down, at the document, from the element that has the focus upwards, and
  // some of its shortcuts mean that very element: this comes before it, and before its next key.
  const mark = (event: Event): void => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLElement) || !root.contains(target)) return;
    const marked = [target, root];
    for (const element of marked) element.dataset[SUPPRESS] = "true";
    if (saves(event)) for (const element of marked) delete element.dataset[SUPPRESS];
    setTimeout(() => {
      delete target.dataset[SUPPRESS];
      root.dataset[SUPPRESS] = "true";
    });
  };
  window.addEventListener("keydown", mark, { capture: true, signal });
}

function saves(event: Event): boolean {
  if (!(event instanceof KeyboardEvent) || event.altKey || event.shiftKey || event.isComposing) return false;
  return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
}
