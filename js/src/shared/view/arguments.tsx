/** A tool's name and what it was asked, said as a person would; it never shows raw JSON. */

import type { JSX } from "preact";
import type { Json, JsonObject } from "../events";
import { isWord, type Say } from "../strings";
import { Code, Folded } from "./code";
import { useSurroundings } from "./context";

/** The tool's name in words; an unknown tool keeps its own name, with spaces. */
export function toolTitle(tool: string, say: Say): string {
  const word = `tool.${tool}`;
  return isWord(word) ? say(word) : tool.replaceAll("_", " ");
}

const QUOTED = new Set(["query", "title", "name", "where", "order_by"]);
const HIDDEN_WHEN_EMPTY = new Set(["where", "order_by", "offset", "columns", "tags", "names", "start"]);

/** One line that says the most telling arguments, for the card's head. */
export function headline(tool: string, args: JsonObject, say: Say): string {
  const telling = TELLING.get(tool) ?? [];
  const words = telling.map((name) => short(name, args[name] ?? null, say)).filter((text) => text !== "");
  return words.join(" · ");
}

const TELLING: ReadonlyMap<string, readonly string[]> = new Map([
  ["search_notes", ["query"]],
  ["read_note", ["content_id"]],
  ["scan_table", ["name", "where"]],
  ["graph_query", ["content_id"]],
  ["create_note", ["title"]],
  ["run_python", ["description"]],
  ["inspect_variables", ["names"]],
  ["memory_read", ["id"]],
  ["memory_write", ["title"]],
  ["load_tools", ["names"]],
  ["load_skill", ["name"]],
  ["find_references", ["query"]],
  ["open_view", ["view", "target"]],
]);

function short(name: string, value: Json, say: Say): string {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return "";
  return said(name, value, say);
}

/** An argument in words: a view by its name, conditions as they are read, what is looked for in quotation marks. */
function said(name: string, value: Json, say: Say): string {
  const view = `view.${value}`;
  if (name === "view" && isWord(view)) return say(view);
  const conditions = name === "where" && Array.isArray(value) && value.every(Array.isArray);
  const text = conditions ? value.map((each) => each.join(" ")).join(" & ") : plainValue(value, say);
  return QUOTED.has(name) ? `“${text}”` : text;
}

/** All arguments, one a line; code as code, long text as text. `without` names those shown elsewhere. */
export function Arguments({ args, without = [] }: { args: JsonObject; without?: string[] }): JSX.Element | null {
  const { say } = useSurroundings();
  const shown = Object.entries(args).filter(
    ([name, value]) => value !== null && !without.includes(name) && !(HIDDEN_WHEN_EMPTY.has(name) && isEmpty(value)),
  );
  if (shown.length === 0) return null;
  return (
    <dl class="nph-arguments">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{label(name, say)}</dt>
          <dd>
            <Value name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function isEmpty(value: Json): boolean {
  return value === null || value === "" || value === 0 || (Array.isArray(value) && value.length === 0);
}

function label(name: string, say: Say): string {
  const word = `arg.${name}`;
  return isWord(word) ? say(word) : name.replaceAll("_", " ");
}

function Value({ name, value }: { name: string; value: Json }): JSX.Element {
  const { say } = useSurroundings();
  if (name === "code" && typeof value === "string") return <Code code={value} language="python" />;
  if (typeof value === "string" && (value.length > 200 || value.includes("\n"))) return <Folded text={value} />;
  if (name !== "where" && Array.isArray(value) && value.some((item) => typeof item === "object" && item !== null)) {
    return (
      <ul>
        {value.map((item, index) => (
          <li key={index}>{plainValue(item, say)}</li>
        ))}
      </ul>
    );
  }
  return <span>{said(name, value, say)}</span>;
}

/** A value without braces, brackets or escapes. */
function plainValue(value: Json, say: Say): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return say(value ? "arg.true" : "arg.false");
  if (Array.isArray(value)) return value.map((item) => plainValue(item, say)).join(", ");
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, item]) => `${label(name, say)}: ${plainValue(item, say)}`)
      .join("; ");
  }
  return String(value);
}
