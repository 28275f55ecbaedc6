/** Rows of a table, sorted and filtered by the kernel; it holds no more than the rows it shows and what is typed. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Column, Page } from "../../pages";
import { useSurroundings } from "../context";
import { condition, isText, orderBy, typedFor } from "./conditions";
import { Scrolls, Steps } from "./list";

const ROWS = 50;
const NUMERIC = /^(?:u?int|float|double|halffloat|decimal)/;

export function Table({ page }: { page: Page }): JSX.Element {
  const { say, send } = useSurroundings();
  const [typed, setTyped] = useState(() => page.columns.map((column) => typedFor(column, page.where)));
  /** As it was asked for last, which may not be shown yet. */
  const [order, setOrder] = useState(page.order_by);
  const open = (offset: number, order_by = order, tests = typed): void => {
    const where = page.columns.map((column, at) => condition(column, tests[at] ?? "")).filter((each) => each !== null);
    const { target, version } = page;
    send({ type: "open", view: "table", target, offset, order_by, where, ...(version ? { version } : {}) });
  };
  const type = (at: number, text: string): void => {
    const tests = typed.map((held, n) => (n === at ? text : held));
    setTyped(tests);
    open(0, order, tests);
  };
  return (
    <Scrolls class="nph-scroll">
      <table class="nph-page-table">
        <thead>
          <tr>
            {page.columns.map((column) => (
              <Heading
                key={column.name}
                column={column}
                shown={page.order_by}
                asked={order}
                sort={(wanted) => {
                  setOrder(wanted);
                  open(0, wanted);
                }}
              />
            ))}
          </tr>
          <tr class="nph-page-filters">
            {page.columns.map((column, at) => (
              <td key={column.name}>
                <input
                  type="text"
                  aria-label={say("page.filter", { column: column.name })}
                  title={say("page.filter.title")}
                  placeholder={isText(column) ? say("page.filter.text") : "= < >"}
                  value={typed[at] ?? ""}
                  onChange={(event) => type(at, event.currentTarget.value)}
                />
              </td>
            ))}
          </tr>
        </thead>
        <Rows page={page} />
      </table>
      {page.rows.length === 0 && !page.fault ? <p class="nph-muted">{say("page.empty.rows")}</p> : null}
      <Steps page={page} shown={page.rows.length} size={ROWS} open={(offset) => open(offset)} />
    </Scrolls>
  );
}

interface HeadingProps {
  column: Column;
  shown: string;
  asked: string;
  sort: (order: string) => void;
}

function Heading({ column, shown, asked, sort }: HeadingProps): JSX.Element {
  const { say } = useSurroundings();
  const up = orderBy(column.name, false);
  const down = orderBy(column.name, true);
  const sorted = shown === up ? "ascending" : shown === down ? "descending" : undefined;
  return (
    <th scope="col" aria-sort={sorted} class={NUMERIC.test(column.type) ? "nph-right" : undefined}>
      <button
        type="button"
        title={say("page.sort", { column: column.name })}
        onClick={() => sort(asked === up ? down : up)}
      >
        {column.name}
        {sorted ? <span aria-hidden="true">{sorted === "ascending" ? "↑" : "↓"}</span> : null}
      </button>
      <span class="nph-page-type">{column.type}</span>
    </th>
  );
}

function Rows({ page }: { page: Page }): JSX.Element {
  const right = page.columns.map(({ type }) => NUMERIC.test(type));
  return (
    <tbody>
      {page.rows.map((row, index) => (
        <tr key={page.offset + index}>
          {row.map((cell, at) => (
            <td
              key={page.columns[at]?.name}
              class={right[at] ? "nph-right" : undefined}
              title={cell.length > 30 ? cell : undefined}
            >
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
