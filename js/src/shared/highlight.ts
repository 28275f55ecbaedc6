/** Python code cut into coloured pieces; pure, it never makes elements. */

import { classHighlighter, highlightCode } from "@lezer/highlight";
import { parser } from "@lezer/python";

export interface Piece {
  text: string;
  /** Class names of the piece's kind, empty for plain text. */
  classes: string;
}

const LIMIT = 20_000;
const PYTHON = new Set(["python", "py", "python3", "ipython", "ipython3", "pycon"]);

/** Return the pieces of the code; one plain piece where it isn't Python or is too long to colour while streaming. */
export function pieces(code: string, language: string): Piece[] {
  if (!PYTHON.has(language.toLowerCase()) || code.length > LIMIT) return [{ text: code, classes: "" }];
  const found: Piece[] = [];
  highlightCode(
    code,
    parser.parse(code),
    classHighlighter,
    (text, classes) => found.push({ text, classes }),
    () => found.push({ text: "\n", classes: "" }),
  );
  return found;
}
