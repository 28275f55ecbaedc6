/** Reads the cell that a person asks about and puts new cells into a notebook, as one step to undo; it runs none. */

import type { Notebook, NotebookPanel } from "@jupyterlab/notebook";
import type { Say } from "../shared/strings";

const SOURCE_MOST = 8_000;
const TRACE_MOST = 4_000;

/** The cell that is asked about; null where there is none. */
export type AskedCell = Notebook["activeCell"];

/** A cell to put in. */
export interface NewCell {
  type: "code" | "markdown";
  source: string;
  tags: readonly string[];
}

/** A message about a cell: its question comes first and is `selected` characters long. */
export interface Question {
  text: string;
  selected: number;
}

interface ErrorOutput {
  output_type: "error";
  ename: string;
  evalue: string;
  traceback: string[];
}

/** Ask about a cell. */
export function aboutCell(cell: AskedCell, say: Say): Question | null {
  const source = sourceOf(cell);
  return source === null ? null : question(say("ask.cell"), [source]);
}

/** Ask about the error of a cell; null where it has none. */
export function aboutError(cell: AskedCell, say: Say): Question | null {
  const source = sourceOf(cell);
  const error = errorOf(cell);
  return source === null || !error ? null : question(say("ask.error"), [source, fenced(traceOf(error), "text")]);
}

export function hasError(cell: AskedCell): boolean {
  return errorOf(cell) !== undefined;
}

/** Put code below the active cell, and make the new one active; false where the notebook can't be changed. */
export function insertBelow(panel: NotebookPanel, code: string): boolean {
  const cell: NewCell = { type: "code", source: code.replace(/\n+$/, ""), tags: [] };
  return insert(panel, panel.content.activeCellIndex + 1, [cell]);
}

/** Put cells at the end and go to the first of them; false where the notebook can't be changed. */
export function append(panel: NotebookPanel, cells: readonly NewCell[]): boolean {
  return insert(panel, panel.content.model?.cells.length ?? 0, cells);
}

function insert({ content: notebook }: NotebookPanel, at: number, cells: readonly NewCell[]): boolean {
  const { model } = notebook;
  if (!model || model.readOnly) return false;
  const made = cells.map(({ type, source, tags }) => ({
    cell_type: type,
    source,
    metadata: { ...(type === "code" && { trusted: true }), ...(tags.length > 0 && { tags: [...tags] }) },
  }));
  model.sharedModel.insertCells(at, made);
  notebook.activeCellIndex = at;
  notebook.deselectAll();
  void notebook.scrollToItem(at);
  return true;
}

function sourceOf(cell: AskedCell): string | null {
  const model = cell?.model;
  if (!model) return null;
  const language = { code: "python", markdown: "markdown" }[model.type as string] ?? "text";
  return fenced(middleCut(model.sharedModel.getSource(), SOURCE_MOST), language);
}

function errorOf(cell: AskedCell): ErrorOutput | undefined {
  const saved = cell?.model.toJSON() as { outputs?: { output_type: string }[] } | undefined;
  return saved?.outputs?.find((output): output is ErrorOutput => output.output_type === "error");
}

/** The end of a trace says most. */
function traceOf({ ename, evalue, traceback }: ErrorOutput): string {
  const text = traceback.length > 0 ? traceback.join("\n") : `${ename}: ${evalue}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of terminals begin with one
  const plain = text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").trimEnd();
  return plain.length > TRACE_MOST ? `…${plain.slice(-TRACE_MOST)}` : plain;
}

function middleCut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most / 2)}\n…\n${text.slice(-most / 2)}` : text;
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function question(words: string, parts: readonly string[]): Question {
  return { text: [words, ...parts].join("\n\n"), selected: words.length };
}
