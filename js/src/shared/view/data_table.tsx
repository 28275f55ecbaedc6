/** A data frame as a small table: its head first, sorted by a click on a column's name; it shows each cell as it is. */

import { Fragment, type JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type Column, type DataFrame, inOrder, type Order } from "../data_frame";
import { useSurroundings } from "./context";

const AT_FIRST = 100;

export function DataTable({ frame }: { frame: DataFrame }): JSX.Element {
  const [order, setOrder] = useState<Order | null>(null);
  const [all, setAll] = useState(false);
  const rows = useMemo(() => inOrder(frame, order), [frame, order]);
  const shown = all ? rows : rows.slice(0, AT_FIRST);
  const gap = order === null ? frame.gap : null;
  return (
    <div class="nph-data">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div class="nph-data-scroll" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {frame.columns.map((column, at) => (
                <Heading key={at} column={column} at={at} order={order} onOrder={setOrder} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, at) => (
              <Fragment key={at}>
                {at === gap ? <Gap width={frame.columns.length} /> : null}
                <Row row={row} columns={frame.columns} />
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      <Foot frame={frame} sorted={order !== null} hidden={rows.length - shown.length} onMore={() => setAll(true)} />
    </div>
  );
}

interface HeadingProps {
  column: Column;
  at: number;
  order: Order | null;
  onOrder(order: Order | null): void;
}

/** Upwards, downwards, and then as it came. */
function Heading({ column, at, order, onOrder }: HeadingProps): JSX.Element {
  const { say } = useSurroundings();
  const mine = order?.column === at ? order : null;
  const next =
    mine === null ? { column: at, descending: false } : mine.descending ? null : { ...mine, descending: true };
  const name = column.name || say(column.index ? "data.index" : "data.unnamed");
  return (
    <th
      scope="col"
      class={classes(column)}
      aria-sort={mine === null ? undefined : mine.descending ? "descending" : "ascending"}
    >
      <button type="button" title={say("data.sort", { column: name })} onClick={() => onOrder(next)}>
        <span class={column.name ? undefined : "nph-data-unnamed"}>{name}</span>
        <span aria-hidden="true">{mine === null ? "" : mine.descending ? " ↓" : " ↑"}</span>
      </button>
      {column.type ? <div class="nph-data-type">{column.type}</div> : null}
    </th>
  );
}

function Row({ row, columns }: { row: readonly string[]; columns: readonly Column[] }): JSX.Element {
  return (
    <tr>
      {columns.map((column, at) =>
        column.index ? (
          <th key={at} scope="row" class={classes(column)}>
            {row[at]}
          </th>
        ) : (
          <td key={at} class={classes(column)}>
            {row[at]}
          </td>
        ),
      )}
    </tr>
  );
}

function Gap({ width }: { width: number }): JSX.Element {
  const { say } = useSurroundings();
  return (
    <tr class="nph-data-gap">
      <td colSpan={width}>{say("data.gap")}</td>
    </tr>
  );
}

function classes(column: Column): string | undefined {
  const names = [column.numeric ? "nph-right" : "", column.index ? "nph-data-index" : ""].filter(Boolean);
  return names.join(" ") || undefined;
}

interface FootProps {
  frame: DataFrame;
  sorted: boolean;
  hidden: number;
  onMore(): void;
}

function Foot({ frame, sorted, hidden, onMore }: FootProps): JSX.Element | null {
  const { say } = useSurroundings();
  const { whole, note, rows } = frame;
  const counted = (count: number): string => count.toLocaleString("en");
  const part = whole !== null && whole > rows.length;
  const said = !part ? note : say("data.rows", { shown: counted(rows.length), whole: counted(whole) });
  if (said === "" && hidden === 0) return null;
  return (
    <p class="nph-data-foot">
      {said}
      {part && sorted ? ` · ${say("data.sorted")}` : ""}{" "}
      {hidden > 0 ? (
        <button type="button" class="nph-link" onClick={onMore}>
          {say("data.more", { count: counted(hidden) })}
        </button>
      ) : null}
    </p>
  );
}
