/** Keeps amounts of money from the host's typesetter, which would take two of them in a line for a formula; pure. */

const CODE =
  /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))|(?<!`)(`+)(?!`)[\s\S]+?(?<!`)\2(?!`)/gm;

/** Return markdown whose dollar signs outside code are plain signs. */
export function literalDollars(markdown: string): string {
  let result = "";
  let at = 0;
  for (const found of markdown.matchAll(CODE)) {
    result += escaped(markdown.slice(at, found.index)) + found[0];
    at = found.index + found[0].length;
  }
  return result + escaped(markdown.slice(at));
}

const escaped = (text: string): string => text.replace(/(?<!\\)\$/g, "\\$");
