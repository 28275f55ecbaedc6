import { describe, expect, it } from "vitest";
import { lineDiff } from "../src/shared/line_diff";

/** Both texts, read back out of the diff of texts that are near enough to be shown whole. */
function readBack(diff: string): [string, string] {
  const lines = diff.split("\n");
  const side = (sign: string): string =>
    lines
      .filter((line) => line[0] === " " || line[0] === sign)
      .map((line) => line.slice(1))
      .join("\n");
  return [side("-"), side("+")];
}

describe("a diff by lines", () => {
  it("is empty for what is the same", () => {
    expect(lineDiff("a\nb", "a\nb")).toEqual({ added: 0, removed: 0, text: "" });
  });

  it.each([
    ["a\nb\nc", "a\nx\nc", 1, 1],
    ["a\nb", "a\nnew\nb", 1, 0],
    ["a\nb\nb\nc", "a\nb\nc", 0, 1],
    ["", "a", 1, 1],
    ["a\r\nb", "a\nb", 1, 1],
    ["one\ntwo\nthree", "three\none\ntwo", 1, 1],
    ["x\ny", "y\nz", 1, 1],
  ])("tells %j from %j", (before, after, added, removed) => {
    const diff = lineDiff(before, after);
    expect([diff.added, diff.removed]).toEqual([added, removed]);
    expect(readBack(diff.text)).toEqual([before, after]);
  });

  it("leaves out what is far from any change, and says where it goes on", () => {
    const lines = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`);
    const after = lines.with(4, "five").with(30, "thirty-one");
    const { text } = lineDiff(lines.join("\n"), after.join("\n"));
    expect(text.split("\n")).toEqual([
      "@@ 3 @@",
      ...[" line 3", " line 4", "-line 5", "+five", " line 6", " line 7"],
      "@@ 29 @@",
      ...[" line 29", " line 30", "-line 31", "+thirty-one", " line 32", " line 33"],
    ]);
  });

  it("stays quick where everything differs", () => {
    const many = (word: string): string => Array.from({ length: 5000 }, (_, n) => `${word} ${n}`).join("\n");
    expect(lineDiff(many("a"), many("b"))).toMatchObject({ added: 5000, removed: 5000 });
  });
});
