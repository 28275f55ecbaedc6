import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MarkdownStream, renderMarkdown } from "../src/shared/markdown";
import { typeset } from "../src/shared/math";
import { Script } from "./building";
import { drawn, type Mounted, mounted } from "./mounting";

const LABELS = { copy: "Copy", imageBlocked: "Image not loaded" };
const read = (name: string): string => readFileSync(`tests/fixtures/${name}`, "utf8");

function shown(text: string): HTMLElement {
  const box = document.createElement("div");
  box.innerHTML = renderMarkdown(text, LABELS, typeset);
  return box;
}

const formulas = (text: string): string[] => [...shown(text).querySelectorAll("math")].map((math) => math.textContent);

describe("what is a formula", () => {
  it.each([
    ["$x^2$", 1],
    ["Let $x^2 + y^2$, $\\alpha$, \\(a_1\\), and $n\\times 1$.", 4],
    ["设$x$为实数，$y_1$为另一个", 2],
    ["the $n$th, the $i$s and $k$-means ($a+b$)", 4],
    ["Display: $$\\int_0^1 x^2\\,dx = \\tfrac13$$ and \\[ E = mc^2 \\]", 2],
    ["$$\na\n= b\n- c\n$$", 1],
    ["Text:\n$$\nx\n$$\nmore", 1],
    ["- a list\n\n  $$\n  x + 1\n  $$\n\n- b", 1],
    ["> \\[\n> x\n> \\]", 1],
    ["| a |\n|---|\n| $x_1$ |", 1],
    ["**bold $a_1$ and $b_1$**", 2],
    ["$5 + 3$ is $8$", 2],
    ["$\\text{价格} = 5$", 1],
  ])("sets %s", (text, count) => {
    expect(formulas(text)).toHaveLength(count);
  });

  it.each([
    "It costs $5 and $10.",
    "$5 to 10$ more",
    "between $5k-$6k, US$ 680 and US$5$",
    "$/PR is down but $/session is up.",
    "$HOME/$USER and $A$B",
    "$20 for one and 30$",
    "涨价$5，后来涨到10$了",
    "$ x $ and $$ $$",
    "a \\$5 and 6$",
    "unclosed $x^2 and $$y and \\(z and \\[w",
    "$a\n\nb$",
    "`$x$` and ``$$y$$``",
    "```\n$x$\n$$y$$\n```",
    "    $x$\n",
    "$$\nopen\n\nclosed too late\n$$",
  ])("leaves %s alone", (text) => {
    expect(shown(text).querySelector("math")).toBeNull();
    expect(shown(text).textContent).toContain("$");
  });

  it.each(read("U06_dollars.md").trimEnd().split("\n"))("reads the line %s as a person does", (line) => {
    const wanted: { [n: string]: number } = { "6.": 4, "7.": 2, "8.": 1, "10.": 2 };
    expect(formulas(line)).toHaveLength(wanted[line.split(" ")[0] ?? ""] ?? 0);
  });

  it("keeps an apostrophe, an ampersand and a less-than sign", () => {
    expect(formulas("$$S(\\beta)=(y-X\\beta)'(y-X\\beta) \\& z < w$$")).toEqual(["S(β)=(y−Xβ)′(y−Xβ)&z<w"]);
  });

  it("shows the source of what can't be set, and of every formula until there is a typesetter", () => {
    expect(shown("so $\\frac{1}{$ and $\\nosuchthing{x}$").textContent?.trim()).toBe(
      "so $\\frac{1}{$ and $\\nosuchthing{x}$",
    );
    const box = document.createElement("div");
    box.innerHTML = renderMarkdown("$x^2$", LABELS);
    expect(box.textContent?.trim()).toBe("$x^2$");
  });
});

describe("a hostile formula", () => {
  it.each([
    "$\\href{javascript:window.__pwned='katex'}{x}$",
    "$\\includegraphics{http://example.invalid/k.png}$",
    "$\\url{https://example.invalid}$",
    "$\\htmlStyle{position:fixed;inset:0}{x}$",
    "$\\class{nph-primary}{x} \\id{y}{z} \\data{a=b}{c} \\style{x}{y}$",
    "$\\text{<img src=x onerror=alert(1)><script>alert(1)</script>}$",
    "$\\color{red;position:fixed}{x}$",
    "$$\\def\\a{\\a\\a}\\a$$",
    "$$\\rule{9999999em}{9999999em} \\kern{-9999em} x$$",
    `$$${"{".repeat(2000)}x$$`,
    "$\\begin{CD} A @>a>> B \\end{CD}$",
  ])("runs, loads and places nothing: %s", (text) => {
    const box = shown(text);
    expect(box.querySelector("script,img,style,svg,iframe,a,annotation,annotation-xml,semantics")).toBeNull();
    for (const node of box.querySelectorAll("*")) {
      for (const { name, value } of node.attributes) {
        expect(name).not.toMatch(/^(on|href|src|id|data-|xlink)/);
        if (name !== "style") continue;
        expect(value).not.toMatch(/position|url|fixed|\(/);
        expect(node.namespaceURI).toContain("MathML");
      }
    }
    for (const [, em = "0"] of box.innerHTML.matchAll(/"(-?[\d.]+)em"/g)) expect(Number(em)).toBeLessThanOrEqual(40);
  });
});

describe("while a text streams", () => {
  const text =
    "Let $x^2$ be:\n\n$$\na\n- b\n= c\n$$\n\nthen \\(y\\) and\n\n\\[\nz\n\\]\n\n$$ never closed\n- so a paragraph\n\nend $5 and $6";

  it("is at each moment what the whole text so far is", () => {
    const stream = new MarkdownStream(LABELS, typeset);
    for (let n = 0; n <= text.length; n++) {
      const part = text.slice(0, n);
      expect(stream.render(part).html.join("")).toBe(renderMarkdown(part, LABELS, typeset));
    }
    expect(formulas(text)).toHaveLength(4);
  });
});

describe("in the view", () => {
  let view: Mounted;
  const script = new Script();
  beforeEach(async () => {
    view = await mounted();
  });
  afterEach(() => view.dispose());

  it("sets formulas once their typesetter has come, and marks no number in them", async () => {
    const begun = [script.start(), script.say("It is 17, so $x = 17$.")];
    const end = { ...script.done(), numbers: [{ text: "17", call_id: "c1" }] };
    await view.snapshot([...begun, end as (typeof begun)[0]]);
    await drawn();
    expect(view.find(".nph-markdown math").textContent).toBe("x=17");
    expect(view.root.querySelectorAll(".nph-number")).toHaveLength(1);
    expect(view.root.querySelector("math button")).toBeNull();
  });
});
