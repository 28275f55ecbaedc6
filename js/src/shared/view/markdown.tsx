/** A text in markdown that may still grow: settled blocks are drawn once, only the tail is drawn again. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { MarkdownStream } from "../markdown";
import { useSurroundings } from "./context";
import { copyFrom } from "./copy";

export function Markdown({ text, live = false }: { text: string; live?: boolean }): JSX.Element {
  const { say } = useSurroundings();
  const stream = useMemo(() => new MarkdownStream({ copy: say("copy"), imageBlocked: say("image.blocked") }), [say]);
  const blocks = useMemo(() => stream.render(text), [stream, text]);
  const settled = useMemo(
    () => blocks.settled.map((html, index) => <Html key={index} html={html} />),
    [blocks.settled],
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click comes from the copy buttons inside
    // biome-ignore lint/a11y/noStaticElementInteractions: the click comes from the copy buttons inside
    <div class="nph-markdown" aria-live={live ? "polite" : undefined} onClick={(event) => copyFrom(event, say)}>
      {settled}
      <div aria-live={live ? "off" : undefined} dangerouslySetInnerHTML={{ __html: blocks.tail }} />
    </div>
  );
}

function Html({ html }: { html: string }): JSX.Element {
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}
