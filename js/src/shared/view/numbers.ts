/** Marks in a drawn answer the numbers that came out of a call; it changes no text, and what isn't listed stays as it is. */

import type { NumberLink } from "../events";
import type { Say } from "../strings";

const NOT_IN = "pre, code, a, button, math";
const MARK = "nph-number";

/** Wrap each text that a link names in a button; those whose call is stale say so. May be called again and again. */
export function markNumbers(
  root: HTMLElement,
  links: readonly NumberLink[],
  stale: ReadonlySet<string>,
  say: Say,
): void {
  const calls = new Map(links.map((link) => [link.text, link.call_id]));
  if (calls.size > 0) for (const node of textNodes(root)) split(node, calls);
  for (const mark of root.querySelectorAll<HTMLElement>(`button.${MARK}`)) {
    const old = stale.has(mark.dataset["call"] ?? "");
    mark.toggleAttribute("data-stale", old);
    mark.title = say(old ? "number.stale" : "number.from");
  }
}

/** Return the call that a click on a number leads to, or null for a click elsewhere. */
export function callOf(target: EventTarget | null): string | null {
  const mark = target instanceof Element ? target.closest<HTMLElement>(`button.${MARK}`) : null;
  return mark?.dataset["call"] ?? null;
}

/** Open the card of a call in the round that the element stands in, and go there. */
export function openCall(from: Element, call: string): void {
  const round = from.closest(".nph-round") ?? document;
  const card = [...round.querySelectorAll<HTMLElement>("[data-call-card]")].find(
    (each) => each.dataset["callCard"] === call,
  );
  if (!card) return;
  const details = card.querySelector("details");
  if (details) details.open = true;
  card.querySelector<HTMLElement>("summary")?.focus();
}

function textNodes(root: HTMLElement): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (/\d/.test(node.data) && !node.parentElement?.closest(NOT_IN)) found.push(node);
  }
  return found;
}

function split(node: Text, calls: ReadonlyMap<string, string>): void {
  const longestFirst = [...calls.keys()].sort((a, b) => b.length - a.length).map(literal);
  const pattern = new RegExp(`(?<![\\w.,[])(?:${longestFirst.join("|")})(?![\\w]|[.,]\\d)`, "g");
  let rest = node;
  let from = 0;
  for (const found of node.data.matchAll(pattern)) {
    const number = rest.splitText(found.index - from);
    rest = number.splitText(found[0].length);
    from = found.index + found[0].length;
    const mark = document.createElement("button");
    mark.type = "button";
    mark.className = MARK;
    mark.dataset["call"] = calls.get(found[0]) ?? "";
    number.replaceWith(mark);
    mark.append(number);
  }
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
