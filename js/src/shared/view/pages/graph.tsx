/** What is linked with an item, drawn in columns by distance and walked by the arrow keys, and the same as a list. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Item, Page } from "../../pages";
import { isWord, type Say } from "../../strings";
import { useSurroundings } from "../context";
import { Items, kindWord } from "./list";
import { type Drawing, drawing, type Place } from "./tree";

const ROW_PX = 30;
const GAP = 0.22;

export function Graph({ page }: { page: Page }): JSX.Element {
  const { say, send } = useSurroundings();
  const drawn = useMemo(() => drawing(page.items), [page.items]);
  const center = ({ node }: Item): void => {
    send({ type: "open", view: "graph", target: node });
  };
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const height = box.current?.clientHeight ?? 0;
    if (box.current && drawn.rows * ROW_PX > height) box.current.scrollTop = drawn.middle * ROW_PX - height / 2;
  }, [drawn]);
  if (page.items.length === 0) {
    return <p class="nph-page-body nph-muted">{say(page.target ? "page.empty.graph" : "page.empty.notes")}</p>;
  }
  const toMiddle = (item: Item): JSX.Element | null =>
    item.node ? (
      <button type="button" class="nph-link" onClick={() => center(item)}>
        {say("graph.center")}
      </button>
    ) : null;
  const left = page.whole - page.items.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div class="nph-page-body" ref={box} tabIndex={0}>
      {page.target ? <Drawn page={page} drawn={drawn} /> : <p class="nph-muted">{say("graph.start")}</p>}
      {drawn.left > 0 && page.target ? <p class="nph-muted">{say("graph.undrawn", { count: drawn.left })}</p> : null}
      <details open={!page.target}>
        <summary>{say("graph.list", { count: page.items.length })}</summary>
        <Items items={page.items} also={toMiddle} />
        {left > 0 ? <p class="nph-muted">{say("page.more", { count: left })}</p> : null}
      </details>
    </div>
  );
}

function Drawn({ page, drawn }: { page: Page; drawn: Drawing }): JSX.Element {
  const { say, send } = useSurroundings();
  const [at, setAt] = useState(0);
  const group = useRef<HTMLFieldSetElement>(null);
  const { places, columns, rows } = drawn;
  const onKeyDown = (event: KeyboardEvent): void => {
    const nodes = [...(group.current?.querySelectorAll("button") ?? [])];
    const next = neighbour(places, page.items, nodes.indexOf(event.target as HTMLButtonElement), event.key);
    if (next === null) return;
    event.preventDefault();
    nodes[next]?.focus();
  };
  const width = 100 / (columns + (columns - 1) * GAP);
  const left = (column: number): number => column * width * (1 + GAP);
  const style = (column: number, row: number): JSX.CSSProperties => ({
    left: `${left(column)}%`,
    top: row * ROW_PX,
    width: `${width}%`,
  });
  const { title } = page;
  return (
    <fieldset
      class="nph-graph"
      aria-label={say("graph.label", { title })}
      ref={group}
      style={{ height: rows * ROW_PX }}
      onKeyDown={onKeyDown}
    >
      <Edges page={page} drawn={drawn} left={left} width={width} />
      <span class="nph-graph-middle" title={title} style={style(0, drawn.middle)}>
        {title}
      </span>
      {places.map(({ item, column, row }, n) => {
        const found = page.items[item] as Item;
        return (
          <button
            key={found.node || found.target}
            type="button"
            data-kind={found.kind}
            tabIndex={n === at ? 0 : -1}
            style={style(column, row)}
            title={told(found, say)}
            aria-label={told(found, say)}
            onFocus={() => setAt(n)}
            onClick={() => send({ type: "open", view: found.view, target: found.target })}
          >
            {found.title}
          </button>
        );
      })}
    </fieldset>
  );
}

interface EdgesProps {
  page: Page;
  drawn: Drawing;
  left: (column: number) => number;
  width: number;
}

function Edges({ page, drawn, left, width }: EdgesProps): JSX.Element {
  const at = new Map(drawn.places.map((place) => [place.item, place]));
  const middle = { item: -1, column: 0, row: drawn.middle };
  const lines = page.edges.flatMap(([a, b]) => {
    const ends = [a < 0 ? middle : at.get(a), b < 0 ? middle : at.get(b)];
    const [from, to] = ends.sort((one, other) => (one?.column ?? 0) - (other?.column ?? 0));
    if (!from || !to) return [];
    const own = page.items[to.item]?.parent === from.item;
    return [{ key: `${a} ${b}`, path: curve(from, to, left, width), own }];
  });
  return (
    <svg viewBox={`0 0 100 ${drawn.rows}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {lines.map(({ key, path, own }) => (
        <path key={key} d={path} data-own={own ? "" : undefined} />
      ))}
    </svg>
  );
}

function curve(from: Place, to: Place, left: (column: number) => number, width: number): string {
  const x = left(from.column) + width;
  const end = from.column === to.column ? left(to.column) + width : left(to.column);
  const [y, last] = [from.row + 0.5, to.row + 0.5];
  const bend = from.column === to.column ? x + width * GAP : (x + end) / 2;
  return `M${x} ${y}C${bend} ${y} ${bend} ${last} ${end} ${last}`;
}

/** The place an arrow key leads to: along a column, out to what hangs on it, back to what it hangs on. */
function neighbour(places: readonly Place[], items: readonly Item[], at: number, key: string): number | null {
  const here = places[at];
  if (!here) return null;
  const to = (found: number): number | null => (found < 0 ? null : found);
  if (key === "ArrowDown") return places[at + 1]?.column === here.column ? at + 1 : null;
  if (key === "ArrowUp") return places[at - 1]?.column === here.column ? at - 1 : null;
  if (key === "ArrowRight") return to(places.findIndex(({ item }) => items[item]?.parent === here.item));
  if (key === "ArrowLeft") return to(places.findIndex(({ item }) => item === items[here.item]?.parent));
  if (key === "Home") return 0;
  return key === "End" ? places.length - 1 : null;
}

function told(item: Item, say: Say): string {
  const word = `link.${item.link}`;
  const link = isWord(word) ? say(word) : item.link;
  const told = say("graph.node", { title: item.title, kind: kindWord(item.kind, say), steps: item.distance, link });
  return item.about ? `${told} ${item.about}` : told;
}
