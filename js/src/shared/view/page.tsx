/** What was opened: a text at its span, rows of a table, or a list; it shows text as text and leads on by messages. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Page } from "../protocol";
import type { Word } from "../strings";
import { useSurroundings } from "./context";

export function PageView({ page }: { page: Page }): JSX.Element {
  const { say, send, close } = useSurroundings();
  const back = useRef<HTMLButtonElement>(null);
  const from = useRef<Element | null>(null);
  useEffect(() => {
    from.current = document.activeElement;
    return () => {
      if (from.current instanceof HTMLElement && from.current.isConnected) from.current.focus();
    };
  }, []);
  useEffect(() => back.current?.focus({ preventScroll: true }), [page]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") close();
  };
  const linked = page.view === "note" || page.view === "table";
  return (
    <section class="nph-page" aria-label={page.title} onKeyDown={onKeyDown}>
      <header class="nph-page-head">
        <button type="button" ref={back} onClick={close}>
          ← {say("page.back")}
        </button>
        <h3>{page.title}</h3>
        {page.about ? <span class="nph-muted">{page.about}</span> : null}
        {HUBS.includes(page.view) ? <Views current={page.view} /> : null}
        {linked && !page.fault ? (
          <button
            type="button"
            onClick={() =>
              send({
                type: "open",
                view: "graph",
                target: page.view === "table" ? `table:${page.target}` : page.target,
              })
            }
          >
            {say("page.links")}
          </button>
        ) : null}
      </header>
      {page.fault ? <p class="nph-error">{page.fault}</p> : <Body page={page} />}
    </section>
  );
}

const HUBS = ["notes", "memory", "journal"];

/** The ways from one list to the others. */
function Views({ current }: { current: string }): JSX.Element {
  const { say, send } = useSurroundings();
  return (
    <nav class="nph-views" aria-label={say("page.views")}>
      {HUBS.map((view) => (
        <button
          key={view}
          type="button"
          class="nph-link"
          aria-current={view === current ? "page" : undefined}
          onClick={() => send({ type: "open", view, target: "" })}
        >
          {say(`page.view.${view}` as Word)}
        </button>
      ))}
    </nav>
  );
}

function Body({ page }: { page: Page }): JSX.Element {
  const { say } = useSurroundings();
  if (page.text !== null) return <Text page={page} text={page.text} />;
  if (page.columns.length > 0) return <Rows page={page} />;
  if (page.items.length > 0) return <Items page={page} />;
  return <p class="nph-muted">{say("page.empty")}</p>;
}

function Text({ page, text }: { page: Page; text: string }): JSX.Element {
  const { say } = useSurroundings();
  const body = useRef<HTMLDivElement>(null);
  const mark = useRef<HTMLElement>(null);
  // The text moves first, so that the notebook around it need move only as far as it must.
  useEffect(() => {
    if (!body.current || !mark.current) return;
    body.current.scrollTop = mark.current.offsetTop - body.current.clientHeight / 3;
    mark.current.scrollIntoView?.({ block: "nearest" });
  }, [page]);
  const [from, to] = inPoints(text, page.span ?? [0, 0]);
  const shown = [...text].length;
  const whole = page.whole || shown;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="nph-page-body nph-page-text" ref={body} tabIndex={0}>
      {whole > shown ? (
        <p class="nph-muted nph-page-part">
          {say("page.part", {
            from: page.offset.toLocaleString("en"),
            to: (page.offset + shown).toLocaleString("en"),
            whole: whole.toLocaleString("en"),
          })}
        </p>
      ) : null}
      {text.slice(0, from)}
      {to > from ? <mark ref={mark}>{text.slice(from, to)}</mark> : null}
      {text.slice(to)}
    </div>
  );
}

/** The kernel counts characters, a string here counts code units: some characters take two. */
function inPoints(text: string, [from, to]: readonly [number, number]): [number, number] {
  let point = 0;
  let unit = 0;
  let start = from === 0 ? 0 : text.length;
  for (const character of text) {
    if (point === from) start = unit;
    if (point === to) return [start, unit];
    point += 1;
    unit += character.length;
  }
  return [start, point <= to ? unit : start];
}

const NUMBER = /^\s*$|^[-+−]?[\d,]*\.?\d+(e[-+]?\d+)?%?$/i;

function Rows({ page }: { page: Page }): JSX.Element {
  const { say, send } = useSurroundings();
  const open = (offset: number, order_by?: string): void => {
    send({ type: "open", view: "table", target: page.target, offset, ...(order_by ? { order_by } : {}) });
  };
  const last = page.offset + page.rows.length;
  const right = page.columns.map((_, at) => page.rows.every((row) => NUMBER.test(row[at] ?? "")));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="nph-page-body nph-scroll" tabIndex={0}>
      <table class="nph-page-table">
        <thead>
          <tr>
            {page.columns.map((column, at) => (
              <th key={column} scope="col" class={right[at] ? "nph-right" : undefined}>
                <button type="button" title={say("page.sort", { column })} onClick={() => open(0, column)}>
                  {column}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row, index) => (
            <tr key={page.offset + index}>
              {row.map((cell, at) => (
                <td
                  key={page.columns[at]}
                  class={right[at] ? "nph-right" : undefined}
                  title={cell.length > 30 ? cell : undefined}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="nph-page-steps">
        <button type="button" disabled={page.offset === 0} onClick={() => open(Math.max(page.offset - 50, 0))}>
          ↑ {say("page.earlier")}
        </button>
        <button type="button" disabled={last >= page.whole} onClick={() => open(last)}>
          ↓ {say("page.later")}
        </button>
      </p>
    </div>
  );
}

function Items({ page }: { page: Page }): JSX.Element {
  const { say, send } = useSurroundings();
  const left = page.whole - page.items.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="nph-page-body" tabIndex={0}>
      <ul class="nph-page-items">
        {page.items.map((item, index) => (
          <li key={`${index} ${item.target}`}>
            {item.view === "round" ? (
              <span>{item.title}</span>
            ) : (
              <button type="button" onClick={() => send({ type: "open", ...item })}>
                {item.title}
              </button>
            )}
            {item.about ? <span class="nph-muted"> {item.about}</span> : null}
          </li>
        ))}
      </ul>
      {left > 0 ? <p class="nph-muted">{say("page.more", { count: left })}</p> : null}
    </div>
  );
}
