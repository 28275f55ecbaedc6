/** Marks a span of a markdown text in what it was drawn as: the two are matched letter by letter, signs left out. */

import { type Labels, renderMarkdown } from "../../markdown";

interface Spot {
  node: Text;
  at: number;
  end: number;
}

const LETTER = /[\p{L}\p{N}]/u;
const LABELS: Labels = { copy: "", imageBlocked: "" };

/** Mark the code units `from` to `to` of a text that is drawn in `root`; returns the first mark, null for none. */
export function markSpan(root: HTMLElement, text: string, from: number, to: number): HTMLElement | null {
  const spots = spotsOf(root);
  const wanted = lettersOf(text.slice(from, to));
  if (wanted.length === 0) return null;
  const about = lettersOf(text.slice(0, from)).length;
  const drawn = spots.map(({ node, at, end }) => node.data.slice(at, end));
  const first = nearest(drawn, wanted, about);
  return wrap(spots.slice(first, first + wanted.length));
}

/** The letters of a piece of markdown once it is drawn. */
function lettersOf(markdown: string): string[] {
  const box = document.createElement("template");
  box.innerHTML = renderMarkdown(markdown, LABELS);
  return spotsOf(box.content).map(({ node, at, end }) => node.data.slice(at, end));
}

function spotsOf(root: Node): Spot[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const spots: Spot[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Text) || node.parentElement?.closest(".nph-code-bar")) continue;
    let at = 0;
    for (const character of node.data) {
      const end = at + character.length;
      if (LETTER.test(character)) spots.push({ node, at, end });
      at = end;
    }
  }
  return spots;
}

/** Where the letters stand that are wanted: of several places the one nearest to where they should, else just there. */
function nearest(drawn: readonly string[], wanted: readonly string[], about: number): number {
  let best = -1;
  const last = drawn.length - wanted.length;
  for (let at = 0; at <= last; at += 1) {
    if (best >= 0 && at - about > Math.abs(best - about)) break;
    if (drawn[at] !== wanted[0] || wanted.some((letter, n) => drawn[at + n] !== letter)) continue;
    if (best < 0 || Math.abs(at - about) < Math.abs(best - about)) best = at;
  }
  return best >= 0 ? best : Math.max(0, Math.min(about, last));
}

function wrap(spots: readonly Spot[]): HTMLElement | null {
  const marks: HTMLElement[] = [];
  for (let at = 0; at < spots.length; ) {
    const { node, at: start } = spots[at] as Spot;
    let next = at;
    while (spots[next + 1]?.node === node) next += 1;
    const mark = document.createElement("mark");
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, (spots[next] as Spot).end);
    at = next + 1;
    marks.push(mark);
    range.surroundContents(mark);
  }
  return marks[0] ?? null;
}
