import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MarkdownStream } from "../src/shared/markdown";
import { typeset } from "../src/shared/math";
import { patch } from "../src/shared/view/patch";
import { Script } from "./building";
import { drawn, type Mounted, mounted } from "./mounting";

const LABELS = { copy: "Copy", imageBlocked: "Image not loaded" };
const read = (name: string): string => readFileSync(`tests/fixtures/${name}`, "utf8");

function element(html: string): HTMLElement {
  const box = document.createElement("div");
  box.innerHTML = html;
  return box;
}

const CORPUS: { [name: string]: string } = {
  fences: read("U07_fences.md"),
  dollars: read("U06_dollars.md"),
  hostile: read("U04_xss.md"),
  nested:
    "1. a\n   - b\n     ```python\n     def f(x):\n         return '<b>' + x\n     ```\n   - c\n\n     > q **b\n     > c** `d`\n\n2. e\n",
  table: "| a | `b|c` | **d** |\n|:--|--:|:-:|\n| <b>1</b> | $x_1$ | [l](https://e.com) |\n| 2 |\n\nafter\n",
  entities: "&amp; &lt;b&gt; &#x41; &nosuch; &copy;\n\n<b>raw</b> <!-- c --> <?x?> <![CDATA[y]]>\n",
  unclosed: '**bold *both `code [link](https://e.com "t\n\n# head\n\n~~~~md\n```\n',
};

describe("any beginning of a text", () => {
  it.each(Object.entries(CORPUS))(
    "draws %s: nothing fails, no markup of its own, the same as drawn anew",
    (_n, text) => {
      const stream = new MarkdownStream(LABELS, typeset);
      const live = document.createElement("div");
      for (let n = 0; n <= text.length; n++) {
        const html = stream.render(text.slice(0, n)).html.join("");
        patch(live, html);
        expect(live.querySelector("b,script,img,iframe,style,form,details,svg,base")).toBeNull();
        if (n % 5 === 0) expect(live.innerHTML, text.slice(0, n)).toBe(element(html).innerHTML);
      }
    },
  );
});

describe("patch", () => {
  it("keeps each element that stays, and the text that is selected in it", () => {
    const box = element("<p>one</p><pre><code>x = 1</code></pre>");
    const [paragraph, code] = [box.querySelector("p"), box.querySelector("code")];
    const text = code?.firstChild as Text;
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(text, 5);
    patch(box, "<p>one</p><pre class='a'><code>x = 1\ny</code></pre><p>two</p>");
    expect([box.querySelector("p"), box.querySelector("code")]).toEqual([paragraph, code]);
    expect(box.querySelector("code")?.firstChild).toBe(text);
    expect(range.toString()).toBe("x = 1");
    expect(box.innerHTML).toBe('<p>one</p><pre class="a"><code>x = 1\ny</code></pre><p>two</p>');
  });

  it("takes away what is gone and changes what is another kind", () => {
    const box = element("<ul><li title='t'>a</li><li>b</li></ul>tail");
    patch(box, "<ol><li>a</li></ol>");
    expect(box.innerHTML).toBe("<ol><li>a</li></ol>");
  });
});

describe("an answer that is being written", () => {
  let view: Mounted;
  const script = new Script();
  beforeEach(async () => {
    view = await mounted();
  });
  afterEach(() => view.dispose());

  it("never makes a finished block anew, and neither the one that grows", async () => {
    await view.snapshot([script.start(), script.say("# One\n\nfirst `x`\n\n```python\na = 1\n")], { busy: true });
    const marks = ["h1", "p code", "pre"].map((selector) => view.find(selector));
    for (const text of ["b = 2\n", "```\n\n", "second ", "paragraph\n\n", "- a\n- b", "\n\nend"]) {
      await view.events(script.say(text));
      expect(["h1", "p code", "pre"].map((selector) => view.find(selector))).toEqual(marks);
      for (const mark of marks) expect(mark.isConnected).toBe(true);
    }
    await view.events(script.done());
    expect(view.find("pre").textContent).toBe("a = 1\nb = 2\n");
    for (const mark of marks) expect(mark.isConnected).toBe(true);
  });

  it("is told to a screen reader block by block, each once", async () => {
    const more = new Script("r-2");
    await view.snapshot([more.start(), more.say("first\n\nsec")], { busy: true });
    const voice = view.find(".nph-reply [aria-live]");
    await view.events(more.say("ond\n\nthird"));
    expect(voice.textContent).toBe("first");
    await view.events(more.say(" and\n\nlast"));
    expect(voice.textContent).toContain("second");
    await view.events(more.done());
    expect(voice.textContent).toContain("last");
    expect(voice.textContent).not.toContain("second");
  });

  it("is drawn whole when it came in one piece, a portion at a time", async () => {
    const each = new Script("r-5");
    const text = Array.from({ length: 9_000 }, (_, n) => (n % 90 === 89 ? `w${n}\n\n` : `word${n} `)).join("");
    await view.snapshot([each.start(), each.say(text), each.done()]);
    const words = (): string[] => (view.find(".nph-markdown").textContent ?? "").trim().split(/\s+/);
    for (let wait = 0; wait < 50 && words().length < 9_000; wait++) await drawn();
    expect(words()).toEqual(text.trim().split(/\s+/));
  });

  it("has as few nodes for many chunks as for one", async () => {
    const text = `${"word ".repeat(40)}\n\n`.repeat(20);
    const nodes = async (id: string, chunks: string[]): Promise<number> => {
      const each = new Script(id);
      await view.snapshot([each.start(), ...chunks.map((chunk) => each.say(chunk)), each.done()]);
      await drawn();
      return view.root.querySelectorAll("*").length;
    };
    expect(await nodes("r-3", text.split(""))).toBe(await nodes("r-4", [text]));
  });
});

describe("a long conversation", () => {
  it("draws its last rounds, and earlier ones when asked", async () => {
    const view = await mounted();
    const rounds = Array.from({ length: 60 }, (_, n) => {
      const each = new Script(`r-${n}`);
      return [each.start(`question ${n}`), each.say(`answer ${n}`), each.done()];
    });
    const drawnRounds = (): (string | undefined)[] =>
      [...view.root.querySelectorAll("article .nph-bubble")].map((said) => said.textContent ?? "");
    await view.snapshot(rounds.flat());
    expect(drawnRounds()).toEqual(Array.from({ length: 25 }, (_, n) => `question ${n + 35}`));
    view.button("↑ Show earlier messages (35)").click();
    await drawn();
    expect(drawnRounds()).toHaveLength(50);
    view.button("↑ Show earlier messages (10)").click();
    await drawn();
    expect(drawnRounds()[0]).toBe("question 0");
    expect(view.root.querySelector(".nph-earlier")).toBeNull();
    const more = new Script("r-more");
    await view.events(more.start("one more"));
    expect(drawnRounds().at(-1)).toBe("one more");
    view.dispose();
  });
});
