/** A text in markdown that may still grow: what stands is left as it is, only what differs is drawn. */

import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { NumberLink } from "../events";
import { type Blocks, MarkdownStream, type Typeset } from "../markdown";
import { useSurroundings } from "./context";
import { copyFrom } from "./copy";
import { insertFrom } from "./insert";
import { callOf, markNumbers, openCall } from "./numbers";
import { patch } from "./patch";

const NONE: readonly NumberLink[] = [];

interface Props {
  text: string;
  live?: boolean;
  /** The numbers that came out of calls, and the calls whose data has changed since. */
  numbers?: readonly NumberLink[];
  stale?: ReadonlySet<string>;
}

export function Markdown({ text, live = false, numbers = NONE, stale }: Props): JSX.Element {
  const around = useSurroundings();
  const { say } = around;
  const root = useRef<HTMLDivElement>(null);
  const blocks = useBlocks(usePortion(text));
  useDrawn(root, blocks);
  useEffect(() => {
    if (root.current && numbers.length > 0) markNumbers(root.current, numbers, stale ?? new Set(), say);
  }, [numbers, stale, blocks, say]);
  const clicked = (event: MouseEvent): void => {
    const call = callOf(event.target);
    if (call !== null && event.target instanceof Element) openCall(event.target, call);
    else {
      copyFrom(event, say);
      insertFrom(event, around);
    }
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the click comes from the copy buttons inside */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the click comes from the copy buttons inside */}
      <div ref={root} class="nph-markdown" onClick={clicked} />
      <Heard root={root} blocks={blocks} live={live} />
    </>
  );
}

/** So much is drawn at once of a text that came in one piece; the rest follows, so that the page never stands still. */
const PORTION = 40_000;

function usePortion(text: string): string {
  const [most, setMost] = useState(PORTION);
  const more = text.length > most;
  useEffect(() => {
    if (!more) return;
    const timer = setTimeout(() => setMost(most + PORTION));
    return () => clearTimeout(timer);
  }, [more, most]);
  return more ? text.slice(0, most) : text;
}

function useBlocks(text: string): Blocks {
  const { say, math, insert } = useSurroundings();
  const [typeset, setTypeset] = useState<Typeset | null>(() => loaded);
  const stream = useMemo(() => {
    const button = insert && ([say("insert"), say("insert.title")] as const);
    return new MarkdownStream({ copy: say("copy"), imageBlocked: say("image.blocked"), insert: button }, typeset);
  }, [say, insert, typeset]);
  const blocks = useMemo(() => stream.render(text), [stream, text]);
  useEffect(() => {
    if (!blocks.missed) return;
    math().then(
      (module) => {
        loaded = module.typeset;
        setTypeset(() => module.typeset);
      },
      () => undefined, // the host lets no more code in, or the kernel is silent: formulas stay as written
    );
  }, [blocks.missed, math]);
  return blocks;
}

/** The typesetter of formulas, shared by all views of the page once one of them needed it. */
let loaded: Typeset | null = null;

/** Each block is an element of its own that stays, so that one that is finished is never made anew. */
function useDrawn(root: RefObject<HTMLElement>, { html }: Blocks): void {
  const drawn = useRef<readonly string[]>([]);
  useLayoutEffect(() => {
    const box = root.current;
    if (!box) return;
    while (box.children.length > html.length) box.lastElementChild?.remove();
    for (let at = 0; at < html.length; at++) {
      if (drawn.current[at] === html[at]) continue;
      const element = box.children[at] ?? box.appendChild(document.createElement("div"));
      patch(element, html[at] ?? "");
    }
    drawn.current = html;
  }, [html]);
}

const SPOKEN_MS = 5_000;

/** Says each block of an answer that is being written once it is finished; what stands after the end isn't said again. */
function Heard({
  root,
  blocks,
  live,
}: {
  root: RefObject<HTMLElement>;
  blocks: Blocks;
  live: boolean;
}): JSX.Element | null {
  const [followed] = useState(live);
  const voice = useRef<HTMLDivElement>(null);
  const said = useRef(live ? 0 : Number.POSITIVE_INFINITY);
  const finished = live ? blocks.settled : blocks.html.length;
  useEffect(() => {
    if (!voice.current || !root.current || finished <= said.current) return;
    const { children } = root.current;
    const fresh = Array.from({ length: finished - said.current }, (_, n) => children[said.current + n]?.textContent);
    voice.current.textContent = fresh.map((block) => block?.trim()).join("\n");
    said.current = finished;
    const timer = setTimeout(() => voice.current?.replaceChildren(), SPOKEN_MS);
    return () => clearTimeout(timer);
  }, [finished]);
  return followed ? <div ref={voice} class="nph-announcer" aria-live="polite" /> : null;
}
