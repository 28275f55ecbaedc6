/** A text in markdown that may still grow: settled blocks are drawn once, only the tail is drawn again. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { NumberLink } from "../events";
import { MarkdownStream } from "../markdown";
import { useSurroundings } from "./context";
import { copyFrom } from "./copy";
import { callOf, markNumbers, openCall } from "./numbers";

const NONE: readonly NumberLink[] = [];

interface Props {
  text: string;
  live?: boolean;
  /** The numbers that came out of calls, and the calls whose data has changed since. */
  numbers?: readonly NumberLink[];
  stale?: ReadonlySet<string>;
}

export function Markdown({ text, live = false, numbers = NONE, stale }: Props): JSX.Element {
  const { say } = useSurroundings();
  const root = useRef<HTMLDivElement>(null);
  const stream = useMemo(() => new MarkdownStream({ copy: say("copy"), imageBlocked: say("image.blocked") }), [say]);
  const blocks = useMemo(() => stream.render(text), [stream, text]);
  const settled = useMemo(
    () => blocks.settled.map((html, index) => <Html key={index} html={html} />),
    [blocks.settled],
  );
  useEffect(() => {
    if (root.current && numbers.length > 0) markNumbers(root.current, numbers, stale ?? new Set(), say);
  }, [numbers, stale, blocks, say]);
  const clicked = (event: MouseEvent): void => {
    const call = callOf(event.target);
    if (call !== null && event.target instanceof Element) openCall(event.target, call);
    else copyFrom(event, say);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click comes from the copy buttons inside
    // biome-ignore lint/a11y/noStaticElementInteractions: the click comes from the copy buttons inside
    <div ref={root} class="nph-markdown" aria-live={live ? "polite" : undefined} onClick={clicked}>
      {settled}
      <div aria-live={live ? "off" : undefined} dangerouslySetInnerHTML={{ __html: blocks.tail }} />
    </div>
  );
}

function Html({ html }: { html: string }): JSX.Element {
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}
