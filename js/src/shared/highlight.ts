/** Python code cut into coloured pieces by its words alone, in one pass; it knows no grammar and makes no elements. */

export interface Piece {
  text: string;
  /** Class names of the piece's kind, empty for plain text. */
  classes: string;
}

const LIMIT = 20_000;
const PYTHON = new Set(["python", "py", "python3", "ipython", "ipython3", "pycon"]);
const KEYWORDS =
  "False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|" +
  "import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield";
const LONG = `"""[^]*?(?:"""|(?![^]))|'''[^]*?(?:'''|(?![^]))`;
/** Each kind by the name of its group; a string that has no end yet goes to the end of its line, or of the text. */
const TOKENS = new RegExp(
  [
    String.raw`(?<comment>#[^\n]*)`,
    String.raw`(?<string>(?:(?<![\p{L}\p{N}_])[rRbBuUfFtT]{1,2})?(?:${LONG}|"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?))`,
    String.raw`(?<definition>(?<=\b(?:def|class)\s+)[\p{L}_][\p{L}\p{N}_]*)`,
    String.raw`(?<keyword>\b(?:${KEYWORDS})(?![\p{L}\p{N}_]))`,
    String.raw`(?<number>\b(?:0[xXoObB][\da-fA-F_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?[jJ]?)(?![\p{L}_]))`,
    String.raw`(?<meta>(?<=^[ \t]*)@[\p{L}_][\p{L}\p{N}_.]*)`,
    String.raw`(?<word>[\p{L}_][\p{L}\p{N}_]*)`,
    "(?<operator>[-+*/%=<>!&|^~:@]+)",
  ].join("|"),
  "gmu",
);
const BOOLS = new Set(["True", "False", "None"]);

/** Return the pieces of the code; one plain piece where it isn't Python or is too long to colour while streaming. */
export function pieces(code: string, language: string): Piece[] {
  if (!PYTHON.has(language.toLowerCase()) || code.length > LIMIT) return [{ text: code, classes: "" }];
  const found: Piece[] = [];
  let at = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(TOKENS)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined) ?? "word";
    if (kind === "word") continue;
    if (index > at) found.push({ text: code.slice(at, index), classes: "" });
    found.push({ text, classes: `tok-${BOOLS.has(text) ? "bool" : kind}` });
    at = index + text.length;
  }
  if (at < code.length) found.push({ text: code.slice(at), classes: "" });
  return found;
}
