import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { harmless } from "../src/shared/foreign_html";
import { renderMarkdown } from "../src/shared/markdown";
import { typeset } from "../src/shared/math";
import { speaker } from "../src/shared/strings";
import { headline } from "../src/shared/view/arguments";
import { pictureOf } from "../src/shared/view/figure";
import { spentBy, spentWords } from "../src/shared/view/spent";
import { run, Script, snapshot } from "./building";

type Parts = [text: string, times: number][];
const read: { [name: string]: string | Parts } = JSON.parse(
  readFileSync("../tests/fixtures/view/payloads.json", "utf8"),
);
const PAYLOADS = Object.entries(read).map(([name, text]): [string, string] => [
  name,
  typeof text === "string" ? text : text.map(([part, times]) => part.repeat(times)).join(""),
]);
const SHORT = PAYLOADS.filter(([, text]) => text.length < 1000);
const LABELS = { copy: "Copy", imageBlocked: "Image not loaded" };

function page(html: string): Document {
  return new DOMParser().parseFromString(html, "text/html");
}

const NEVER = "script,object,embed,base,link,meta,iframe,frame,form,video,audio,source,area,template,applet";
const ADDRESS = /^(?:https?:|mailto:)/;

/** Each address stands on a link that tells it, and nothing acts by itself. */
function checked(html: string): void {
  const { body } = page(html);
  expect(body.querySelector(NEVER)).toBeNull();
  for (const element of body.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^on|^srcset$|action$|^ping$|^poster$|^background$/);
      if (name === "src" || name === "xlink:href") expect(value).toMatch(/^(?:data:image\/|#)/);
      if (name === "href" && element.tagName !== "A") expect(value).toMatch(/^#|^data:image/);
      if (name === "href" && element.tagName === "A" && !value.startsWith("#")) {
        expect(value).toMatch(ADDRESS);
        expect(element.getAttribute("title")?.startsWith(value)).toBe(true);
        expect([element.getAttribute("rel"), element.getAttribute("target")]).toEqual([
          "noopener noreferrer",
          "_blank",
        ]);
      }
    }
  }
}

describe("hostile text", () => {
  it.each(SHORT)("leaves nothing live of %s", (_name, text) => {
    checked(renderMarkdown(text, LABELS, typeset));
    checked(harmless(text));
    const again = page(renderMarkdown(text, LABELS, typeset)).body.innerHTML;
    checked(again);
  });
});

describe("a link", () => {
  const shown = (text: string): HTMLElement => page(renderMarkdown(text, LABELS)).body;

  it("tells its own address before what it calls itself", () => {
    const link = shown('[bank](https://outside.invalid/ "https://bank.example")').querySelector("a");
    expect(link?.title).toBe("https://outside.invalid/ · https://bank.example");
  });

  it.each([
    ["[https://bank.example/login](https://outside.invalid/)", "https://bank.example/login (outside.invalid)"],
    ["[www.**bank**.example](https://outside.invalid/)", "www.bank.example (outside.invalid)"],
    ["[https://outside.invalid/a](https://outside.invalid/b)", "https://outside.invalid/a"],
    ["[bank](https://outside.invalid/)", "bank"],
    ["[mr@bank.example](mailto:mr@outside.invalid)", "mr@bank.example"],
  ])("whose text is another's address says where it leads: %s", (text, expected) => {
    expect(shown(text).textContent?.trim()).toBe(expected);
  });
});

describe("HTML of the user's objects", () => {
  it("keeps what it is drawn with", () => {
    const kept = harmless(
      '<style>td{color:red}</style><table class="x" style="width:9px"><tbody><tr><td title="t">1</td></tr></tbody></table>' +
        '<svg viewBox="0 0 9 9"><defs><path id="p" d="M0 0"></path></defs><use xlink:href="#p"></use></svg>' +
        '<img src="data:image/png;base64,AAAA"><details><summary>s</summary>x</details>',
    );
    for (const part of [
      "<style>td{color:red}</style>",
      'style="width:9px"',
      'title="t"',
      'xlink:href="#p"',
      "AAAA",
      "<summary>",
    ]) {
      expect(kept).toContain(part);
    }
  });

  it("opens links in a page of their own", () => {
    const link = page(harmless('<a href="https://example.com/a" title="elsewhere" target="_top">a</a>')).querySelector(
      "a",
    );
    expect([link?.title, link?.rel, link?.target]).toEqual(["https://example.com/a", "noopener noreferrer", "_blank"]);
  });
});

describe("names that every object has", () => {
  const say = speaker("en");
  const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty"];

  it.each(NAMES)("are names of tools, arguments and units like others: %s", (name) => {
    expect(headline(name, JSON.parse(`{"${name}": 1}`), say)).toBe("");
    const script = new Script();
    const usage = { input: 1, output: 1, cached: 0, reasoning: 0, total: 2, steps: 1 };
    const done = { finish: "answer" as const, usage, sources: [], numbers: [], cost: JSON.parse(`{"${name}": 1.5}`) };
    const { rounds } = run(snapshot([script.start(), script.event("LoopDone", done)]));
    expect(spentWords(spentBy(rounds), say)).toContain(`1.5 ${name}`);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("a figure that is none", () => {
  const output = (kind: string, content: string): Parameters<typeof pictureOf>[0] => ({
    output_type: "display_data",
    metadata: {},
    data: { [kind]: content },
  });

  it.each([
    ["image/png", 'iVBORw0KGgo"><img src=x onerror=top.ran=1>'],
    ["image/png", "iVBORw0KGgo"],
    ["image/jpeg", "<script>"],
    ["image/svg+xml", "\ud83d<svg/>"],
  ])("is still only ever a picture: %s", (kind, content) => {
    expect(pictureOf(output(kind, content))?.url).toMatch(new RegExp(`^data:${kind.replace("+", "\\+")}[;,]`));
  });
});
