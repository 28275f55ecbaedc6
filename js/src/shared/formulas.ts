/** Formulas in the grammar of markdown: which dollars and brackets hold one, and which are money; it sets none. */

import type MarkdownIt from "markdown-it";
import type { StateBlock, StateInline } from "markdown-it";

export interface Formula {
  /** What stands between the signs. */
  source: string;
  /** On lines of its own. */
  display: boolean;
  /** The whole of it as written. */
  typed: string;
}

/** Longer than any formula: nobody waits for a sign that closes further on. */
const LONGEST = 5_000;
const SIGNS: readonly (readonly [open: string, close: string, display: boolean])[] = [
  ["$$", "$$", true],
  ["\\[", "\\]", true],
  ["\\(", "\\)", false],
];

/** Read formulas; `draw` makes their HTML, with the environment that the text is rendered in. */
export function readFormulas<Env>(md: MarkdownIt, draw: (formula: Formula, block: boolean, env: Env) => string): void {
  md.inline.ruler.before("escape", "formula", inline);
  md.block.ruler.before("fence", "formula", block, { alt: ["paragraph", "reference", "blockquote", "list"] });
  md.renderer.rules["formula"] = (tokens, at, _options, env: Env) => {
    const token = tokens[at];
    return token ? draw(token.meta as Formula, token.block, env) : "";
  };
}

function inline(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const found = formulaAt(src, pos);
  const end = found ? pos + found.typed.length : /^\\[()[\]]/.test(src.slice(pos, pos + 2)) ? pos + 2 : -1;
  if (end < 0 || end > posMax) return false;
  if (!silent && found) state.push("formula", "", 0).meta = found;
  // A bracket without its partner stands for itself, with its backslash.
  else if (!silent) state.pending += src.slice(pos, end);
  state.pos = end;
  return true;
}

function formulaAt(text: string, at: number): Formula | null {
  const sign = SIGNS.find(([open]) => text.startsWith(open, at));
  if (!sign) return text[at] === "$" ? dollarsAt(text, at) : null;
  const [open, close, display] = sign;
  const rest = text.slice(at + open.length, at + LONGEST);
  const length = rest.indexOf(close);
  const source = rest.slice(0, length);
  if (length < 0 || source.trim() === "") return null;
  return { source, display, typed: open + source + close };
}

/** One dollar each side; a closing one isn't followed by what would make it an amount or a variable's beginning. */
const DOLLARS = /\$(?!\s)((?:\\[^\n]|[^$\\`\n]|\n(?!\s*\n)){1,1000})(?<!\s)\$(?=(?:th|st|nd|rd|s)\b|[^\w{$]|$)/y;
const TEX = /[\\^_={}]/;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const SENTENCE = /[A-Za-z]{2,}\W+[A-Za-z]{2,}|^[\d.,]+\w?\b.*\b[A-Za-z]{2,}/;

function dollarsAt(text: string, at: number): Formula | null {
  if (/[\w$\\]/.test(text.charAt(at - 1))) return null;
  DOLLARS.lastIndex = at;
  const [typed = "", source = ""] = DOLLARS.exec(text) ?? [];
  const prose = !TEX.test(source) && (CJK.test(source) || SENTENCE.test(source));
  return source === "" || prose ? null : { source, display: false, typed };
}

/**
 * A formula on lines of its own, which ends at its closing sign. One that isn't closed before the next empty line is
 * a paragraph: so nothing that comes later can change what stands before it.
 */
function block(state: StateBlock, start: number, last: number, silent: boolean): boolean {
  const sign = SIGNS.find(([open, , display]) => display && lineOf(state, start).startsWith(open));
  if (!sign || (state.sCount[start] ?? 0) - state.blkIndent >= 4) return false;
  const [open, close] = sign;
  const goesOn = (line: number): boolean =>
    line === start || (line < last && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent);
  let end = start;
  let rest: string | null = null;
  while (rest === null && goesOn(end)) {
    const line = lineOf(state, end).slice(end === start ? open.length : 0);
    rest = line.includes(close) ? line.slice(line.indexOf(close) + close.length).trim() : null;
    end += 1;
  }
  if (rest && end === start + 1) return false;
  if (silent) return true;
  while (rest !== "" && goesOn(end)) end += 1;
  const typed = state.getLines(start, end, state.blkIndent, false).trim();
  const source = typed.slice(open.length, -close.length);
  if (rest === "" && source.trim() !== "") formulaBlock(state, [start, end], { source, display: true, typed });
  else paragraph(state, [start, end], typed);
  state.line = end;
  return true;
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

function formulaBlock(state: StateBlock, map: [number, number], formula: Formula): void {
  const token = state.push("formula", "", 0);
  token.block = true;
  token.map = map;
  token.meta = formula;
}

function paragraph(state: StateBlock, map: [number, number], content: string): void {
  state.push("paragraph_open", "p", 1).map = map;
  const token = state.push("inline", "", 0);
  token.content = content;
  token.map = map;
  token.children = [];
  state.push("paragraph_close", "p", -1);
}
