/** A change to the inline grammar: emphasis beside Chinese, Japanese and Korean. */

import type MarkdownIt from "markdown-it";
import type { StateInline } from "markdown-it";

type Scanned = ReturnType<StateInline["scanDelims"]>;

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/**
 * CommonMark reads the stars of `**注意：**请看` as text because a letter follows the punctuation; scripts
 * without spaces between words would hardly ever get emphasis that begins or ends with punctuation.
 */
export function friendlyToCjk(md: MarkdownIt): void {
  class CjkState extends md.inline.State {
    override scanDelims(start: number, canSplitWord: boolean): Scanned {
      const found = super.scanDelims(start, canSplitWord);
      if (!canSplitWord) return found;
      const before = charBefore(this.src, start);
      const after = charAt(this.src, start + found.length, this.posMax);
      if (CJK.test(before) && PUNCTUATION.test(after)) found.can_open = true;
      if (CJK.test(after) && PUNCTUATION.test(before)) found.can_close = true;
      return found;
    }
  }
  md.inline.State = CjkState;
}

function charBefore(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  const pair = low >= 0xdc00 && low <= 0xdfff;
  return at > 0 ? text.slice(pair ? at - 2 : at - 1, at) : "";
}

function charAt(text: string, at: number, end: number): string {
  const code = at < end ? text.codePointAt(at) : undefined;
  return code === undefined ? "" : String.fromCodePoint(code);
}
