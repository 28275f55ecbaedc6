import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../src/shared/markdown";
import { condition, orderBy, typedFor } from "../src/shared/view/pages/conditions";
import { markSpan } from "../src/shared/view/pages/marking";

function marked(text: string, meant: string, from = text.indexOf(meant)): string[] {
  const root = document.createElement("div");
  root.innerHTML = renderMarkdown(text, { copy: "Copy", imageBlocked: "" });
  const before = root.textContent;
  markSpan(root, text, from, from + meant.length);
  expect(root.textContent).toBe(before);
  return [...root.querySelectorAll("mark")].map((mark) => mark.textContent ?? "");
}

describe("a span of a note", () => {
  it("is marked in what the text was drawn as, across signs, blocks and cells", () => {
    expect(marked("One **bold** word.", "**bold**")).toEqual(["bold"]);
    expect(marked("# Head\n\nFirst *part* of it.", "# Head\n\nFirst *part*")).toEqual(["Head", "First", "part"]);
    expect(marked("1. one\n2. two\n3. three", "2. two\n3. th")).toEqual(["two", "th"]);
    expect(marked("| a | b |\n|---|---|\n| tea | late |", "| tea | late |")).toEqual(["tea", "late"]);
    expect(marked("```python\nx = 1\n```\n\nAfter.", "After")).toEqual(["After"]);
    expect(marked("乌龙茶无法送到东区。", "送到东区")).toEqual(["送到东区"]);
  });

  it("is the one that was meant where the words stand several times", () => {
    const text = "tea and *tea* and tea";
    const root = document.createElement("div");
    root.innerHTML = renderMarkdown(text, { copy: "", imageBlocked: "" });
    markSpan(root, text, 9, 12);
    expect(root.querySelector("em mark")?.textContent).toBe("tea");
  });

  it("is marked about where it stands where its signs can't be read alone, and not at all where it has no letters", () => {
    expect(marked("See [the list](https://a.example/b) now.", "example/b) now").join("").length).toBeGreaterThan(2);
    expect(marked("a --- b", "---")).toEqual([]);
    expect(marked("", "")).toEqual([]);
  });
});

describe("what is typed over a column", () => {
  const text = { name: "word", type: "string" };
  const number = { name: "n", type: "int64" };

  it("means what it says, and reads back the same", () => {
    const typed = [
      [text, "tea", ["word", "contains", "tea"]],
      [text, "= tea", ["word", "=", "tea"]],
      [number, "5", ["n", "=", "5"]],
      [number, "<=5", ["n", "<=", "5"]],
      [number, "!=", ["n", "is not null", ""]],
      [text, "=", ["word", "is null", ""]],
    ] as const;
    for (const [column, words, test] of typed) {
      expect(condition(column, words)).toEqual(test);
      expect(condition(column, typedFor(column, [test]))).toEqual(test);
    }
    expect(condition(text, "  ")).toBeNull();
    expect(typedFor(text, [])).toBe("");
  });

  it("sorts by names with quotes in them", () => {
    expect(orderBy('a "b"', true)).toBe('"a ""b""" desc');
  });
});
