/** What a view may open and what comes of it: the types, and the check of what arrives; it asks for nothing itself. */

import { isObject } from "./events";

/** A test on one column of a table. */
export type Condition = readonly [column: string, operator: string, value: string];

/** What is to be opened, and where in it. */
export interface Wanted {
  view: string;
  target: string;
  span?: readonly [number, number] | null;
  rows?: readonly [number, number] | null;
  version?: number | null;
  offset?: number;
  order_by?: string;
  where?: readonly Condition[];
  /** The asker's mark, which the page brings back. */
  ticket?: number;
}

export interface Column {
  name: string;
  type: string;
}

/** One line of a list, which leads on; in a graph also where it hangs. */
export interface Item extends Wanted {
  title: string;
  about: string;
  kind: string;
  group: string;
  /** The channels that found it, each with what it was found by. */
  channels: readonly (readonly [string, string])[];
  distance: number;
  /** The item it was reached from, by its place in the list; -1 is the middle. */
  parent: number;
  /** What stands in the middle where this item does. */
  node: string;
  /** The kind of link that leads here. */
  link: string;
}

/** One thing that was done, and whether an undo brings it back: `open`, `taken` already, or it `stays`. */
export interface Done {
  tool: string;
  title: string;
  fate: string;
  why: string;
}

export interface DoneRound {
  round: string;
  title: string;
  about: string;
  undone: boolean;
  /** It took another round back. */
  undoes: boolean;
  operations: readonly Done[];
}

/** What was opened: a text with the span that was meant, rows, a list that leads on, or rounds. */
export interface Page {
  view: string;
  target: string;
  title: string;
  about: string;
  fault: string;
  text: string | null;
  span: readonly [number, number] | null;
  tags: readonly Item[];
  columns: readonly Column[];
  rows: readonly (readonly string[])[];
  version: number;
  order_by: string;
  where: readonly Condition[];
  items: readonly Item[];
  edges: readonly (readonly [number, number])[];
  rounds: readonly DoneRound[];
  offset: number;
  whole: number;
  /** 0 where nobody asked. */
  ticket: number;
}

/** How far files are being taken in, or how that ended. */
export interface Intake {
  path: string;
  label: string;
  done: number;
  total: number;
  running: boolean;
  report: readonly string[];
  fault: string;
}

export function parsePage(value: unknown): Page {
  if (!isObject(value)) throw new Error("a page must be an object");
  return {
    view: text(value["view"]),
    target: text(value["target"]),
    title: text(value["title"]),
    about: text(value["about"]),
    fault: text(value["fault"]),
    text: typeof value["text"] === "string" ? value["text"] : null,
    span: pair(value["span"]),
    tags: items(value["tags"]),
    columns: array(value["columns"]).map((column) => {
      const [name, type] = array(column);
      return { name: text(name), type: text(type) };
    }),
    rows: array(value["rows"]).map((row) => array(row).map(String)),
    version: count(value["version"]),
    order_by: text(value["order_by"]),
    where: array(value["where"]).map((each) => {
      const [column, operator, value] = array(each);
      return [text(column), text(operator), text(value)] as const;
    }),
    items: items(value["items"]),
    edges: array(value["edges"])
      .map(pair)
      .filter((edge) => edge !== null),
    rounds: array(value["rounds"]).filter(isObject).map(parseRound),
    offset: count(value["offset"]),
    whole: count(value["whole"]),
    ticket: count(value["ticket"]),
  };
}

export function parseIntake(value: { [key: string]: unknown }): Intake {
  return {
    path: text(value["path"]),
    label: text(value["label"]),
    done: count(value["done"]),
    total: count(value["total"]),
    running: value["running"] === true,
    report: array(value["report"]).map(String),
    fault: text(value["fault"]),
  };
}

const items = (value: unknown): Item[] =>
  array(value)
    .filter(isObject)
    .map((item) => ({
      view: text(item["view"]),
      target: text(item["target"]),
      title: text(item["title"]),
      about: text(item["about"]),
      span: pair(item["span"]),
      kind: text(item["kind"]),
      group: text(item["group"]),
      channels: array(item["channels"]).map((each) => {
        const [name, why] = array(each);
        return [text(name), text(why)] as const;
      }),
      distance: count(item["distance"]),
      parent: typeof item["parent"] === "number" ? item["parent"] : -1,
      node: text(item["node"]),
      link: text(item["link"]),
    }));

function parseRound(value: { [key: string]: unknown }): DoneRound {
  return {
    round: text(value["round"]),
    title: text(value["title"]),
    about: text(value["about"]),
    undone: value["undone"] === true,
    undoes: value["undoes"] === true,
    operations: array(value["operations"])
      .filter(isObject)
      .map((each) => ({
        tool: text(each["tool"]),
        title: text(each["title"]),
        fate: text(each["fate"]),
        why: text(each["why"]),
      })),
  };
}

const array = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);
const pair = (value: unknown): readonly [number, number] | null => {
  const [from, to] = array(value);
  return typeof from === "number" && typeof to === "number" ? [from, to] : null;
};
