/** A list that leads on, in parts; what an item is and what it says of itself is the kernel's. */

import type { ComponentChildren, JSX } from "preact";
import type { Item, Page } from "../../pages";
import { isWord, type Say } from "../../strings";
import { useSurroundings } from "../context";

export function Items({
  items,
  also,
}: {
  items: readonly Item[];
  also?: (item: Item) => ComponentChildren;
}): JSX.Element {
  const { say } = useSurroundings();
  return (
    <ul class="nph-page-items">
      {items.map((item, index) => (
        <li key={`${index} ${item.target}`}>
          <Opening item={item} />
          {item.kind === "table" || item.kind === "tag" ? (
            <span class="nph-kind">{kindWord(item.kind, say)}</span>
          ) : null}
          {item.channels.length > 0 ? <Channels item={item} /> : null}
          {also?.(item)}
          {item.about ? <span class="nph-muted nph-page-about">{item.about}</span> : null}
        </li>
      ))}
    </ul>
  );
}

export function Opening({ item }: { item: Item }): JSX.Element {
  const { send } = useSurroundings();
  const { view, target, span } = item;
  return (
    <button type="button" onClick={() => send({ type: "open", view, target, ...(span ? { span } : {}) })}>
      {item.title}
    </button>
  );
}

function Channels({ item }: { item: Item }): JSX.Element {
  const { say } = useSurroundings();
  return (
    <>
      {item.channels.map(([name, why]) => (
        <span key={name} class="nph-kind" title={why || undefined}>
          {channelWord(name, say)}
        </span>
      ))}
    </>
  );
}

/** The ways to the parts before and after; `shown` things of the whole stand here. */
export function Steps(props: {
  page: Page;
  shown: number;
  open: (offset: number) => void;
  size: number;
}): JSX.Element | null {
  const { say } = useSurroundings();
  const { page, shown, open, size } = props;
  const last = page.offset + shown;
  if (page.offset === 0 && last >= page.whole) return null;
  const values = { from: page.offset + 1, to: last, whole: page.whole };
  return (
    <p class="nph-page-steps">
      <button type="button" disabled={page.offset === 0} onClick={() => open(Math.max(page.offset - size, 0))}>
        ↑ {say("page.earlier")}
      </button>
      <button type="button" disabled={last >= page.whole} onClick={() => open(last)}>
        ↓ {say("page.later")}
      </button>
      <span class="nph-muted">{say("page.range", written(values))}</span>
    </p>
  );
}

/** Numbers as a person reads them. */
export const written = (values: { [name: string]: number }): { [name: string]: string } =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.toLocaleString("en")]));

/** A body that scrolls, and so must be reachable by keyboard. */
export function Scrolls({ children, class: name = "" }: { children: ComponentChildren; class?: string }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class={`nph-page-body ${name}`} tabIndex={0}>
      {children}
    </div>
  );
}

export const PART = 200;

export function kindWord(kind: string, say: Say): string {
  const word = `choice.${kind}`;
  return isWord(word) ? say(word) : kind;
}

function channelWord(name: string, say: Say): string {
  const word = `channel.${name}`;
  return isWord(word) ? say(word) : name;
}
