import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MarkdownStream, renderMarkdown } from "../src/shared/markdown";

const LABELS = { copy: "Copy", imageBlocked: "Image not loaded" };
const read = (name: string): string => readFileSync(`tests/fixtures/${name}`, "utf8");
const html = (text: string): string => renderMarkdown(text, LABELS);

function element(markup: string): HTMLElement {
  const box = document.createElement("div");
  box.innerHTML = markup;
  return box;
}

const visible = (text: string): string => (element(html(text)).textContent ?? "").trim();

/** Every text that a stream of pieces shows, joined as the view does. */
function streamed(text: string, cuts: Iterable<number>): string {
  const stream = new MarkdownStream(LABELS);
  for (const cut of cuts) stream.render(text.slice(0, cut));
  return stream.render(text).html.join("");
}

const everyPrefix = (text: string): number[] => Array.from({ length: text.length }, (_, n) => n);

function harmless(box: HTMLElement): void {
  expect(
    box.querySelector("script,style,iframe,form,input,base,svg,math,img,object,embed,meta,link,details"),
  ).toBeNull();
  for (const node of box.querySelectorAll("*")) {
    for (const { name, value } of node.attributes) {
      expect(name).toMatch(/^(href|title|class|start|type|rel|target|tabindex)$/);
      if (name === "href") expect(value).toMatch(/^(https?:|mailto:)/);
    }
  }
}

describe("U04: markup from outside", () => {
  const hostile = read("U04_xss.md");

  it("neither runs nor loads nor navigates", () => {
    const box = element(html(hostile));
    document.body.append(box);
    harmless(box);
    expect((window as unknown as { __pwned?: string }).__pwned).toBeUndefined();
    expect(box.querySelector("a")).toBeNull();
  });

  it("stays readable as what it is", () => {
    const shown = visible(hostile);
    expect(shown).toContain("<script>window.__pwned='script'</script>");
    expect(shown).toContain("<b>shown as text</b>");
    expect(shown).toContain("[plain](javascript:window.__pwned='js')");
  });

  it("is as harmless at every moment of a stream", () => {
    const stream = new MarkdownStream(LABELS);
    for (let n = 0; n <= hostile.length; n += 7) {
      harmless(element(stream.render(hostile.slice(0, n)).html.join("")));
    }
  });

  it.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](&#x0A;javascript:alert(1))",
    "[a](data:text/html,x)",
    "[a](vbscript:x)",
    "[a](/api/shutdown)",
    "[a](//example.invalid/x)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
  ])("has no live link in %s", (text) => {
    expect(element(html(text)).querySelector("a")).toBeNull();
  });

  it("opens honest links outside, with their address in sight", () => {
    const link = element(html("[site](https://example.com/a?b=c)")).querySelector("a");
    expect(link?.rel).toBe("noopener noreferrer");
    expect(link?.target).toBe("_blank");
    expect(link?.title).toBe("https://example.com/a?b=c");
  });

  it("loads no picture, and shows its address", () => {
    const box = element(html("![a chart](https://example.com/x.png)"));
    expect(box.querySelector("img")).toBeNull();
    expect(box.textContent).toContain("a chart · https://example.com/x.png");
  });
});

describe("U06: dollars and other signs", () => {
  const lines = read("U06_dollars.md").trimEnd().split("\n");
  const strip = (line: string): string => line.replace(/^\d+\. /, "").replace(/\*\*|`/g, "");

  it.each(lines.filter((_, at) => at !== 9).map((line, at) => [at + 1, line]))("shows line %i as typed", (_n, line) => {
    expect(visible(String(line))).toBe(strip(String(line)));
  });

  it("keeps underscores inside words", () => {
    expect(visible(String(lines[9]))).toContain("file_name_here");
  });
});

describe("Chinese, Japanese and Korean", () => {
  it.each([
    ["**注意：**请看", "注意："],
    ["他说**“你好”**了", "“你好”"],
    ["これは**「強調」**です", "「強調」"],
    ["월 비용**(예상)**은", "(예상)"],
    ["月成本 **$148+ → $19**（省 **87%**，年省", "$148+ → $19"],
  ])("makes %s bold where it should be", (text, bold) => {
    expect(element(html(text)).querySelector("strong")?.textContent).toBe(bold);
  });

  it("leaves stars that are no emphasis", () => {
    expect(visible("3 * 4 * 5 和 a ** b")).toBe("3 * 4 * 5 和 a ** b");
  });
});

describe("U07: a text that is still coming", () => {
  const fences = read("U07_fences.md");

  it("shows an open fence as code from its first line on", () => {
    const box = element(html("text\n\n```python\nx = 1"));
    expect(box.querySelector("pre")?.textContent).toBe("x = 1");
    expect(box.textContent).not.toContain("```");
  });

  it.each([
    ["fences", fences],
    ["dollars", read("U06_dollars.md")],
    ["hostile markup", read("U04_xss.md")],
    ["a list that goes on after a blank line", "1. a\n\n2. b\n\n   c\n\n- d\n\n\n- e\n--\n\n---\n"],
    ["headings under lines", "a\nb\n===\n\nc\n---\nd\n\n> q\nlazy\n\n> r\n"],
    ["tables", "p\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n| half | table\n"],
    ["all line ends", "a\r\n\r\n- b\r\r- c\n\r\n```\r\nx\r\n```\r\nd\r"],
    ["references", "[a]: https://example.com\n\n[a] and [b]\n\n[b]: https://example.org\n"],
  ])("ends as the whole text would: %s", (_name, text) => {
    expect(streamed(text, everyPrefix(text))).toBe(html(text));
  });

  it("ends as the whole text would: texts made at random", () => {
    const bits = [
      "\n",
      "\n\n",
      "- ",
      "1. ",
      "2. ",
      "> ",
      "    ",
      "  ",
      "```\n",
      "~~~",
      "---\n",
      "===\n",
      "| a | b |\n",
    ];
    const more = [
      "|---|---|\n",
      "# ",
      "word ",
      "**",
      "`",
      "[x](https://e.com)",
      "\\",
      "\r\n",
      "\r",
      "\t",
      "-",
      "=",
      "中文：",
      "$$",
    ];
    const pool = [...bits, ...more];
    let seed = 12345;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * below);
    };
    for (let trial = 0; trial < 250; trial++) {
      const text = Array.from({ length: 4 + random(14) }, () => pool[random(pool.length)]).join("");
      expect(streamed(text, everyPrefix(text)), JSON.stringify(text)).toBe(html(text));
    }
  }, 60_000);

  it("parses a settled block once, so that time grows with the length", () => {
    const text = `${fences}\n\n`.repeat(30);
    const stream = new MarkdownStream(LABELS);
    let longestTail = 0;
    const kept: string[] = [];
    for (let n = 0; n <= text.length; n += 20) {
      const { html: blocks, settled } = stream.render(text.slice(0, n));
      longestTail = Math.max(longestTail, blocks.slice(settled).join("").length);
      expect(blocks.slice(0, kept.length)).toEqual(kept);
      kept.splice(0, kept.length, ...blocks.slice(0, settled));
    }
    expect(kept.length).toBeGreaterThan(100);
    expect(longestTail).toBeLessThan(2000);
  });

  it("starts anew with a text that doesn't continue the last", () => {
    const stream = new MarkdownStream(LABELS);
    stream.render("a\n\nb\n\nc");
    expect(stream.render("x\n\ny\n\nz").html.join("")).toBe(html("x\n\ny\n\nz"));
  });
});

describe("lists", () => {
  it("count from where they were told to", () => {
    expect(element(html("3. c\n4. d")).querySelector("ol")?.getAttribute("start")).toBe("3");
  });
});

describe("code", () => {
  it("has a copy button and, for Python, colours", () => {
    const box = element(html("```python\ndef f(): return 'a'\n```"));
    expect(box.querySelector("button.nph-copy")?.textContent).toBe("Copy");
    expect(box.querySelector(".tok-keyword")?.textContent).toBe("def");
    expect(box.querySelector("pre")?.textContent).toBe("def f(): return 'a'\n");
  });
});
