/** What is typed over a column and the test it stands for: `>5`, `!=x`, a bare `=` for what is empty, words to find. */

import type { Column, Condition } from "../../pages";

const OPERATORS = [">=", "<=", "!=", ">", "<", "="];

/** Return the test, null for nothing typed. */
export function condition(column: Column, typed: string): Condition | null {
  const text = typed.trim();
  if (text === "") return null;
  const operator = OPERATORS.find((each) => text.startsWith(each));
  if (!operator) return [column.name, isText(column) ? "contains" : "=", text];
  const value = text.slice(operator.length).trim();
  if (value === "" && operator === "=") return [column.name, "is null", ""];
  if (value === "" && operator === "!=") return [column.name, "is not null", ""];
  return [column.name, operator, value];
}

/** Return what would be typed for the test on a column, empty for none. */
export function typedFor(column: Column, conditions: readonly Condition[]): string {
  const found = conditions.find(([name]) => name === column.name);
  if (!found) return "";
  const [, operator, value] = found;
  if (operator === "is null") return "=";
  if (operator === "is not null") return "!=";
  return operator === "contains" || (operator === "=" && !isText(column)) ? value : `${operator}${value}`;
}

export const isText = ({ type }: Column): boolean => /^(?:large_)?string$|^category of string$/.test(type);

/** Return the order that sorts by a column, as the kernel reads it. */
export const orderBy = (name: string, down: boolean): string =>
  `"${name.replaceAll('"', '""')}" ${down ? "desc" : "asc"}`;
