/** Code and other text shown as it is, in full or folded in the middle; it is never editable. */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { pieces } from "../highlight";
import { useSurroundings } from "./context";
import { copyFrom } from "./copy";
import { insertFrom } from "./insert";

export function Code({ code, language }: { code: string; language: string }): JSX.Element {
  const around = useSurroundings();
  const { say, insert } = around;
  const pressed = (event: MouseEvent): void => {
    copyFrom(event, say);
    insertFrom(event, around);
  };
  const body = useMemo(() => coloured(code, language), [code, language]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click comes from the copy button inside
    // biome-ignore lint/a11y/noStaticElementInteractions: the click comes from the copy button inside
    <div class="nph-code" onClick={pressed}>
      <div class="nph-code-bar">
        <span>{language}</span>
        {insert && language === "python" ? (
          <button type="button" class="nph-insert" title={say("insert.title")}>
            {say("insert")}
          </button>
        ) : null}
        <button type="button" class="nph-copy">
          {say("copy")}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{body}</code>
      </pre>
    </div>
  );
}

function coloured(code: string, language: string): (JSX.Element | string)[] {
  return pieces(code, language).map(({ text, classes }, index) =>
    classes ? (
      <span key={index} class={classes}>
        {text}
      </span>
    ) : (
      text
    ),
  );
}

const HEAD = 12;
const TAIL = 6;

/** Plain text with its middle folded away when it is long. */
export function Folded({ text, kind = "" }: { text: string; kind?: string }): JSX.Element {
  const { say } = useSurroundings();
  const [open, setOpen] = useState(false);
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  const hidden = lines.length - HEAD - TAIL;
  if (hidden <= 3) return <pre class={`nph-text ${kind}`}>{text}</pre>;
  const label = open ? say("fold.less") : say("fold.more", { count: hidden });
  const toggle = (
    <button type="button" class="nph-link" aria-expanded={open} onClick={() => setOpen(!open)}>
      {label}
    </button>
  );
  return (
    <div class="nph-folded">
      <pre class={`nph-text ${kind}`}>{open ? text : lines.slice(0, HEAD).join("\n")}</pre>
      {toggle}
      {open ? null : <pre class={`nph-text ${kind}`}>{lines.slice(-TAIL).join("\n")}</pre>}
    </div>
  );
}

/** A unified diff, added and removed lines marked. */
export function Diff({ text }: { text: string }): JSX.Element {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <pre class="nph-text nph-diff">
      {lines.map((line, index) => (
        <span key={index} class={mark(line)}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
}

function mark(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@")) return "nph-diff-head";
  if (line.startsWith("+")) return "nph-diff-add";
  return line.startsWith("-") ? "nph-diff-del" : "";
}
