/** Places what is linked with an item in columns by distance, each under what it hangs on; the same for the same. */

import type { Item } from "../../pages";

export interface Place {
  item: number;
  column: number;
  row: number;
}

export interface Drawing {
  places: readonly Place[];
  columns: number;
  rows: number;
  /** The row of the middle. */
  middle: number;
  /** How many items there was no room for. */
  left: number;
}

const NEAREST = 24;
const EACH = 5;
const MOST_ROWS = 60;

/** Place the nearest items; of those that hang on one item a few, so that no hub drowns the rest. */
export function drawing(items: readonly Item[]): Drawing {
  const under = new Map<number, number[]>();
  items.forEach(({ parent }, at) => {
    const held = under.get(parent) ?? [];
    if (held.length < (parent < 0 ? NEAREST : EACH)) under.set(parent, [...held, at]);
  });
  const places: Place[] = [];
  let rows = 0;
  const place = (item: number, column: number): number => {
    const below = under.get(item) ?? [];
    const taken = rows < MOST_ROWS || column <= 1 ? below.map((each) => place(each, column + 1)) : [];
    const row = taken.length > 0 ? ((taken[0] ?? 0) + (taken.at(-1) ?? 0)) / 2 : rows++;
    if (item >= 0) places.push({ item, column, row });
    return row;
  };
  const middle = place(-1, 0);
  places.sort((a, b) => a.column - b.column || a.row - b.row);
  const columns = 1 + Math.max(0, ...places.map(({ column }) => column));
  return { places, columns, rows, middle, left: items.length - places.length };
}
