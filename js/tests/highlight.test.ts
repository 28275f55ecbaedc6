import { describe, expect, it } from "vitest";
import { pieces } from "../src/shared/highlight";

const coloured = (code: string, language = "python"): [string, string][] =>
  pieces(code, language).flatMap(({ text, classes }) => (classes ? [[classes.replace("tok-", ""), text]] : []));
const only = (kind: string, code: string): string[] =>
  coloured(code).flatMap(([found, text]) => (found === kind ? [text] : []));

describe("coloured code", () => {
  it("keeps every character, whatever the code is", () => {
    const odd = [
      "",
      "'",
      '"""',
      "x = '\\",
      "\\",
      "def",
      "@",
      "0x",
      "1e",
      "f'{",
      "😀 = '😀'",
      "a\r\nb\u2028c",
      "#".repeat(50),
    ];
    for (const code of odd)
      expect(
        pieces(code, "python")
          .map(({ text }) => text)
          .join(""),
      ).toBe(code);
  });

  it("tells strings from comments, each to its own end", () => {
    const code = `a = "x # no"  # it's "one"\nb = rf'{a}' + 'it\\'s'\nc = """two\nlines"""`;
    expect(only("string", code)).toEqual(['"x # no"', "rf'{a}'", "'it\\'s'", '"""two\nlines"""']);
    expect(only("comment", code)).toEqual([`# it's "one"`]);
  });

  it("lets a string that has no end yet go to the end of its line, a long one to the end of the text", () => {
    expect(only("string", 'a = "open\nb = 1')).toEqual(['"open']);
    expect(only("string", "a = '''open\nb = 1\n")).toEqual(["'''open\nb = 1\n"]);
  });

  it("knows words by themselves and not inside others", () => {
    const code = "@once\ndef iffy(x1, None_):\n    return x1 if None else format_ in é";
    expect(only("keyword", code)).toEqual(["def", "return", "if", "else", "in"]);
    expect(only("bool", code)).toEqual(["None"]);
    expect(only("definition", code)).toEqual(["iffy"]);
    expect(only("meta", code)).toEqual(["@once"]);
    expect(only("number", "x1 = 0xFF + 1_000.5e-3 + 2j")).toEqual(["0xFF", "1_000.5e-3", "2j"]);
  });

  it("leaves other languages and very long code alone", () => {
    expect(coloured("def f(): pass", "rust")).toEqual([]);
    expect(coloured("x = 1\n".repeat(5_000))).toEqual([]);
  });
});
