/** Markdown to safe HTML: the grammar, what may come out of it, and how; it never loads anything and runs nothing. */

import DOMPurify, { type Config } from "dompurify";
import MarkdownIt from "markdown-it";
import { pieces } from "./highlight";
import { friendlyToCjk, keepMathSource } from "./markdown_rules";

export interface Labels {
  copy: string;
  imageBlocked: string;
}

const ALLOWED: Config = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "span", "div"],
    ...["blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "a", "button"],
  ],
  ALLOWED_ATTR: ["href", "title", "class", "start", "type", "rel", "target", "tabindex"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ADD_URI_SAFE_ATTR: ["start", "type", "rel", "target", "tabindex"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
};

const parser = build();

/** Return the HTML of a whole text. */
export function renderMarkdown(text: string, labels: Labels): string {
  return DOMPurify.sanitize(parser.render(text, labels), ALLOWED);
}

export interface Blocks {
  /** HTML of the blocks that no further text can change. */
  settled: readonly string[];
  /** HTML of what may still change. */
  tail: string;
}

/**
 * Renders a text that grows at its end in time linear to its length: a settled block is parsed once.
 * The HTML of all blocks and the tail is that of the whole text at any moment.
 */
export class MarkdownStream {
  private settled: string[] = [];
  private cut = 0;
  private seen = "";

  constructor(private readonly labels: Labels) {}

  /** Return the blocks of the text so far; a text that doesn't continue the last one starts anew. */
  render(text: string): Blocks {
    if (!text.startsWith(this.seen)) {
      this.settled = [];
      this.cut = 0;
    }
    this.seen = text;
    const rest = text.slice(this.cut);
    const ends = settledEnds(rest);
    let from = 0;
    for (const end of ends) {
      this.settled.push(renderMarkdown(rest.slice(from, end), this.labels));
      from = end;
    }
    if (ends.length > 0) this.settled = this.settled.slice();
    this.cut += from;
    return { settled: this.settled, tail: renderMarkdown(rest.slice(from), this.labels) };
  }
}

/**
 * Where the settled blocks of a text end. A block is settled once the first line of the next one is complete:
 * until then a line such as "2" could still become "2." and continue a list.
 */
function settledEnds(text: string): number[] {
  const lines = lineStarts(text);
  const starts = parser
    .parse(text, {})
    .filter((token) => token.level === 0 && token.nesting >= 0 && token.map)
    .map((token) => token.map?.[0] ?? 0);
  const lastComplete = lines.length - 2;
  const firstOpen = starts.findLastIndex((line) => line <= lastComplete);
  return starts.slice(1, firstOpen + 1).map((line) => lines[line] ?? 0);
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
  keepMathSource(md);
  md.renderer.rules["fence"] = (tokens, at, _options, env: Labels) => {
    const token = tokens[at];
    return codeBlock(token?.content ?? "", token?.info.trim().split(/\s+/)[0] ?? "", env);
  };
  md.renderer.rules["code_block"] = (tokens, at, _options, env: Labels) =>
    codeBlock(tokens[at]?.content ?? "", "", env);
  md.renderer.rules["image"] = (tokens, at, _options, env: Labels) => {
    const token = tokens[at];
    return imageLink(token?.attrGet("src") ?? "", token?.content ?? "", env);
  };
  md.renderer.rules["link_open"] = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const href = token?.attrGet("href") ?? "";
    token?.attrSet("rel", "noopener noreferrer");
    token?.attrSet("target", "_blank");
    if (!token?.attrGet("title")) token?.attrSet("title", href);
    return self.renderToken(tokens, at, options);
  };
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

function codeBlock(code: string, language: string, labels: Labels): string {
  const body = pieces(code, language)
    .map(({ text, classes }) => (classes ? `<span class="${classes}">${escaped(text)}</span>` : escaped(text)))
    .join("");
  const bar = `<div class="nph-code-bar"><span>${escaped(language)}</span>${copyButton(labels)}</div>`;
  return `<div class="nph-code">${bar}<pre tabindex="0"><code>${body}</code></pre></div>\n`;
}

function copyButton(labels: Labels): string {
  return `<button type="button" class="nph-copy">${escaped(labels.copy)}</button>`;
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
