/** What an answer cites, as numbered chips. */

import type { JSX } from "preact";
import type { Source } from "../events";
import type { Wanted } from "../protocol";
import type { Say } from "../strings";
import { useSurroundings } from "./context";

export function Sources({ sources }: { sources: readonly Source[] }): JSX.Element | null {
  const { say, send } = useSurroundings();
  if (sources.length === 0) return null;
  return (
    <ol class="nph-sources" aria-label={say("sources")}>
      {sources.map((source) => (
        <li key={source.n}>
          <button type="button" title={where(source, say)} onClick={() => send({ type: "open", ...wanted(source) })}>
            <b>{source.n}</b>
            <span>{source.title}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function wanted({ kind, content_id, table, span, rows, version }: Source): Wanted {
  return kind === "table"
    ? { view: "table", target: table ?? content_id, rows, version }
    : { view: "note", target: content_id, span };
}

/** Where a source stands, in words. */
export function where(source: Source, say: Say): string {
  const range = source.kind === "table" ? source.rows : source.span;
  const [from, to] = range ?? [0, 0];
  if (!range) return source.title;
  return source.kind === "table"
    ? say("source.table", { table: source.table ?? source.title, from: from + 1, to, version: source.version ?? 0 })
    : say("source.note", { from, to });
}
