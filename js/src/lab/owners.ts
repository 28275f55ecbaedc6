/** Which notebook a piece of the page belongs to, also where its output is shown in a place of its own. */

import type { NotebookPanel } from "@jupyterlab/notebook";

const OWNERS = new WeakMap<Element, NotebookPanel>();

export function own(element: Element, notebook: NotebookPanel): void {
  OWNERS.set(element, notebook);
}

export function ownerOf(element: Element): NotebookPanel | undefined {
  for (let at: Element | null = element; at; at = at.parentElement) {
    const owner = OWNERS.get(at);
    if (owner) return owner;
  }
  return undefined;
}
