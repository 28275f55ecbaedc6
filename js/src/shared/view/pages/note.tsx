/** A note as it reads, at the span that was meant, with what it is tagged with, leads to, and is led to by. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Item, Page } from "../../pages";
import type { Word } from "../../strings";
import { useSurroundings } from "../context";
import { writeClipboard } from "../copy";
import { Markdown } from "../markdown";
import { Items, Opening, written } from "./list";
import { markSpan } from "./marking";

export function Note({ page }: { page: Page }): JSX.Element {
  const { say } = useSurroundings();
  const text = page.text ?? "";
  const body = useMark(page, text);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="nph-page-body nph-page-text" ref={body} tabIndex={0}>
      <div class="nph-page-tools">
        {page.tags.map((tag) => (
          <Opening key={tag.target} item={tag} />
        ))}
        <Citation page={page} />
      </div>
      <Parts page={page} />
      {text.trim() ? <Markdown text={text} /> : <p class="nph-muted">{say("page.empty.note")}</p>}
      <Parts page={page} />
      <Links items={page.items} group="out" />
      <Links items={page.items} group="in" />
    </div>
  );
}

/** Mark the span and go to it; again where it was drawn anew, as formulas are once their typesetter has come. */
function useMark(page: Page, text: string): { current: HTMLDivElement | null } {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = body.current;
    const root = box?.querySelector<HTMLElement>(".nph-markdown");
    if (!box || !root) return;
    if (!page.span) {
      box.scrollTop = 0;
      return;
    }
    const [from, to] = inUnits(text, page.span);
    const first = markSpan(root, text, from, to);
    // The text moves first, so that the notebook around it need move only as far as it must.
    if (first) box.scrollTop = first.offsetTop - box.clientHeight / 3;
    first?.scrollIntoView?.({ block: "nearest" });
    const observer = new MutationObserver(() => {
      if (!root.querySelector("mark")) markSpan(root, text, from, to);
    });
    observer.observe(root, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [page, text]);
  return body;
}

/** The kernel counts characters, a string here counts code units: some characters take two. */
function inUnits(text: string, [from, to]: readonly [number, number]): [number, number] {
  let unit = 0;
  let point = 0;
  let start = text.length;
  for (const character of text) {
    if (point === from) start = unit;
    if (point === to) return [start, unit];
    point += 1;
    unit += character.length;
  }
  return [start, text.length];
}

/** Which part of a long note this is, and the ways to the parts before and after. */
function Parts({ page }: { page: Page }): JSX.Element | null {
  const { say, send } = useSurroundings();
  const shown = [...(page.text ?? "")].length;
  const last = page.offset + shown;
  if (shown >= page.whole) return null;
  const open = (offset: number): void => {
    send({ type: "open", view: "note", target: page.target, offset });
  };
  return (
    <p class="nph-page-steps">
      <button type="button" disabled={page.offset === 0} onClick={() => open(Math.max(page.offset - PART, 0))}>
        ↑ {say("page.text.earlier")}
      </button>
      <button type="button" disabled={last >= page.whole} onClick={() => open(last)}>
        ↓ {say("page.text.later")}
      </button>
      <span class="nph-muted">{say("page.part", written({ from: page.offset, to: last, whole: page.whole }))}</span>
    </p>
  );
}

/** About as many characters as the kernel sends of a long note at once. */
const PART = 38_000;

function Links({ items, group }: { items: readonly Item[]; group: "in" | "out" }): JSX.Element | null {
  const { say } = useSurroundings();
  const found = items.filter((item) => item.group === group);
  if (found.length === 0) return null;
  return (
    <details class="nph-page-links">
      <summary>{say(`page.links.${group}` as Word, { count: found.length })}</summary>
      <Items items={found} />
    </details>
  );
}

function Citation({ page }: { page: Page }): JSX.Element {
  const { say } = useSurroundings();
  const [copied, setCopied] = useState(false);
  const [from, to] = page.span ?? [0, [...(page.text ?? "")].length];
  const place = { from: page.offset + from, to: page.offset + to };
  const cited = say("page.citation", { title: page.title, target: page.target, about: page.about, ...written(place) });
  const copy = (): void => void writeClipboard(cited).then(setCopied);
  return (
    <button type="button" class="nph-link" title={cited} onClick={copy}>
      {say(copied ? "copied" : "page.cite")}
    </button>
  );
}
