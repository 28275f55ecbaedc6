/** Markdown to safe HTML: the grammar, what may come out of it, and how; it never loads anything and runs nothing. */

import DOMPurify, { type Config } from "dompurify";
import MarkdownIt, { type Token } from "markdown-it";
import { friendlyToCjk } from "./cjk";
import { type Formula, readFormulas } from "./formulas";
import { pieces } from "./highlight";

export interface Labels {
  copy: string;
  /** What the button says that puts Python into the notebook, and what it does; undefined where it can't be. */
  insert?: readonly [string, string] | undefined;
  imageBlocked: string;
}

/** MathML of a formula, null for one that can't be set: its source is shown. */
export type Typeset = (source: string, display: boolean) => string | null;

/** What a text is rendered with: the words, the typesetter once it is there, and whether it was missed. */
interface Env extends Labels {
  typeset: Typeset | null;
  missed: boolean;
}

const MATH_TAGS = [
  ...["math", "mrow", "mi", "mo", "mn", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "mpadded"],
  ...["msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "mphantom"],
  ...["mtable", "mtr", "mtd", "menclose"],
];
const MATH_ATTR = [
  ...["display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "separator", "form", "accent"],
  ...["lspace", "rspace", "minsize", "maxsize", "movablelimits", "symmetric", "largeop", "accentunder", "notation"],
  ...["linethickness", "width", "height", "depth", "voffset", "columnalign", "rowspacing", "columnspacing", "style"],
];
const ALLOWED: Config = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "span", "div"],
    ...["blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "a", "button"],
    ...MATH_TAGS,
  ],
  ALLOWED_ATTR: ["href", "title", "class", "start", "type", "rel", "target", "tabindex", ...MATH_ATTR],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ADD_URI_SAFE_ATTR: ["start", "type", "rel", "target", "tabindex", ...MATH_ATTR],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};
/** Of a formula's styles only what sets it out: nothing can be placed elsewhere or loaded. */
const STYLE = /^(?:padding(?:-\w+)?|width|text-align|color|background-color):[-#.%\w]+$/;
const MATHML = "http://www.w3.org/1998/Math/MathML";

DOMPurify.addHook("uponSanitizeAttribute", (node, attribute) => {
  if (!MATH_ATTR.includes(attribute.attrName)) return;
  attribute.keepAttr = node.namespaceURI === MATHML;
  if (attribute.attrName !== "style") return;
  attribute.attrValue = attribute.attrValue
    .split(";")
    .filter((each) => STYLE.test(each))
    .join(";");
});

const parser = build();

/** Return the HTML of a whole text; without a typesetter its formulas stay as written. */
export function renderMarkdown(text: string, labels: Labels, typeset: Typeset | null = null): string {
  return sanitised(parser.render(text, { ...labels, typeset, missed: false } satisfies Env));
}

function sanitised(html: string): string {
  return DOMPurify.sanitize(html, ALLOWED);
}

export interface Blocks {
  /** HTML of the text's blocks in their order. */
  html: readonly string[];
  /** So many of them no further text can change. */
  settled: number;
  /** A formula stands as written, since there is no typesetter yet. */
  missed: boolean;
}

/**
 * Renders a text that grows at its end in time linear to its length: a settled block is parsed once.
 * The HTML of all blocks is that of the whole text at any moment.
 */
export class MarkdownStream {
  private settled: string[] = [];
  private cut = 0;
  private seen = "";
  private readonly env: Env;

  constructor(labels: Labels, typeset: Typeset | null = null) {
    this.env = { ...labels, typeset, missed: false };
  }

  /** Return the blocks of the text so far; a text that doesn't continue the last one starts anew. */
  render(text: string): Blocks {
    if (!text.startsWith(this.seen)) {
      this.settled = [];
      this.cut = 0;
    }
    this.seen = text;
    const rest = text.slice(this.cut);
    const blocks = blocksOf(parser.parse(rest, this.env));
    const lines = lineStarts(rest);
    // A block is settled once the first line of the next one is complete: until then a line such as "2" could still
    // become "2." and continue a list.
    const settled = Math.max(
      0,
      blocks.findLastIndex(({ line }) => line <= lines.length - 2),
    );
    const html = blocks.map(({ tokens }) => sanitised(parser.renderer.render(tokens, parser.options, this.env)));
    this.settled.push(...html.slice(0, settled));
    this.cut += settled > 0 ? (lines[blocks[settled]?.line ?? 0] ?? 0) : 0;
    return { html: [...this.settled, ...html.slice(settled)], settled: this.settled.length, missed: this.env.missed };
  }
}

/** The tokens of each block that stands on no other, and the line it begins on. */
function blocksOf(tokens: readonly Token[]): { tokens: Token[]; line: number }[] {
  const blocks: { tokens: Token[]; line: number }[] = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0 && token.map) blocks.push({ tokens: [], line: token.map[0] });
    blocks.at(-1)?.tokens.push(token);
  }
  return blocks;
}

/** Offsets at which lines begin; a line end at the very end counts only if it can't be half of a pair. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r(?!$)/g)) starts.push(match.index + match[0].length);
  return starts;
}

function build(): MarkdownIt {
  const md = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: false });
  // A definition may stand after its use, so that settled blocks would still change.
  md.disable("reference");
  md.validateLink = (url) => /^(?:https?:\/\/|mailto:)/i.test(url.trim());
  friendlyToCjk(md);
  readFormulas(md, formulaHtml);
  md.renderer.rules["fence"] = (tokens, at, _options, env: Env) => {
    const token = tokens[at];
    return codeBlock(token?.content ?? "", token?.info.trim().split(/\s+/)[0] ?? "", env);
  };
  md.renderer.rules["code_block"] = (tokens, at, _options, env: Env) => codeBlock(tokens[at]?.content ?? "", "", env);
  md.renderer.rules["image"] = (tokens, at, _options, env: Env) => {
    const token = tokens[at];
    return imageLink(token?.attrGet("src") ?? "", token?.content ?? "", env);
  };
  md.renderer.rules["link_open"] = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const href = token?.attrGet("href") ?? "";
    token?.attrSet("rel", "noopener noreferrer");
    token?.attrSet("target", "_blank");
    const title = token?.attrGet("title");
    token?.attrSet("title", title ? `${href} · ${title}` : href);
    return self.renderToken(tokens, at, options);
  };
  md.renderer.rules["link_close"] = (tokens, at) => `</a>${unmasked(tokens, at)}`;
  md.renderer.rules["table_open"] = () => '<div class="nph-scroll" tabindex="0"><table>';
  md.renderer.rules["table_close"] = () => "</table></div>";
  for (const rule of ["th_open", "td_open"]) {
    md.renderer.rules[rule] = (tokens, at) => {
      const token = tokens[at];
      const align = /text-align:(right|center)/.exec(token?.attrGet("style") ?? "")?.[1];
      return align ? `<${token?.tag} class="nph-${align}">` : `<${token?.tag}>`;
    };
  }
  return md;
}

function formulaHtml({ source, display, typed }: Formula, block: boolean, env: Env): string {
  if (!env.typeset) env.missed = true;
  const math = env.typeset?.(source, display) ?? escaped(typed);
  return block
    ? `<div class="nph-scroll nph-formula" tabindex="0">${math}</div>\n`
    : `<span class="nph-formula">${math}</span>`;
}

function codeBlock(code: string, language: string, labels: Labels): string {
  const body = pieces(code, language)
    .map(({ text, classes }) => (classes ? `<span class="${classes}">${escaped(text)}</span>` : escaped(text)))
    .join("");
  const bar = `<div class="nph-code-bar"><span>${escaped(language)}</span>${insertButton(language, labels)}${copyButton(labels)}</div>`;
  return `<div class="nph-code">${bar}<pre tabindex="0"><code>${body}</code></pre></div>\n`;
}

/** A block whose language is not named is mostly Python here, where the notebook's kernel speaks it. */
const PYTHON = /^(?:|py|python3?|ipython3?)$/i;

function insertButton(language: string, { insert }: Labels): string {
  if (!insert || !PYTHON.test(language)) return "";
  return `<button type="button" class="nph-insert" title="${escaped(insert[1])}">${escaped(insert[0])}</button>`;
}

function copyButton(labels: Labels): string {
  return `<button type="button" class="nph-copy">${escaped(labels.copy)}</button>`;
}

/** Where a link leads whose text reads like an address but is another's; empty for the others. */
function unmasked(tokens: readonly Token[], end: number): string {
  const begin = tokens.findLastIndex(({ type }, at) => at < end && type === "link_open");
  const { host } = new URL(tokens[begin]?.attrGet("href") ?? "", "mailto:");
  const text = tokens.slice(begin, end).reduce((whole, { content }) => whole + content, "");
  const masked = /[^\s.]\.[^\s.]/.test(text) && host !== "" && !text.includes(host);
  return masked ? ` <span class="nph-muted">(${escaped(host)})</span>` : "";
}

/** Loading a picture would tell its server who reads what: the address is shown instead, to be opened on purpose. */
function imageLink(src: string, alt: string, labels: Labels): string {
  const href = escaped(src);
  const name = alt ? `${escaped(alt)} · ` : "";
  const attributes = `class="nph-image-link" href="${href}" title="${href}" rel="noopener noreferrer" target="_blank"`;
  return `<a ${attributes}>${escaped(labels.imageBlocked)}: ${name}${href}</a>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
