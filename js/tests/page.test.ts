import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Script } from "./building";
import { drawn, type Mounted, mounted } from "./mounting";

let view: Mounted;
let script: Script;

beforeEach(async () => {
  view = await mounted();
  script = new Script();
});
afterEach(() => view.dispose());

async function show(page: object): Promise<void> {
  view.port.deliver({ type: "page", page });
  await drawn();
}

const note = {
  view: "note",
  target: "n-1",
  title: "会议",
  about: "2026-03-01",
  text: "😀 before <b>it</b> after",
  span: [2, 8],
  offset: 0,
  whole: 24,
};

describe("what is opened", () => {
  it("asks for a source at its span, and for a table at the version that was read", async () => {
    const usage = { input: 1, output: 1, cached: 0, reasoning: 0, total: 2, steps: 1 };
    const sources = [
      { n: 1, kind: "note" as const, content_id: "n-1", title: "A", span: [3, 9] as [number, number] },
      { n: 2, kind: "table" as const, content_id: "table:t", title: "T", span: null },
    ].map((each) => ({ ...each, table: each.n === 2 ? "t" : null, version: 3, rows: [0, 40] as [number, number] }));
    await view.snapshot([script.start(), script.event("LoopDone", { finish: "answer", usage, sources, numbers: [] })]);
    for (const chip of view.root.querySelectorAll<HTMLElement>(".nph-sources button")) chip.click();
    expect(view.port.ofType("open")).toEqual([
      { type: "open", view: "note", target: "n-1", span: [3, 9], ticket: 1 },
      { type: "open", view: "table", target: "t", rows: [0, 40], version: 3, ticket: 2 },
    ]);
  });

  it("shows markdown without what could run, with the span marked by characters and not by code units", async () => {
    await view.snapshot([script.start(), script.say("answer")]);
    await show(note);
    expect(view.find(".nph-page-text").textContent).toContain("😀 before <b>it</b> after");
    expect(view.find("mark").textContent).toBe("before");
    expect(view.find<HTMLElement>(".nph-scroller").hidden).toBe(true);
  });

  it("goes back to where it was by the button and by Escape", async () => {
    await view.snapshot([script.start()]);
    await show(note);
    view.button("← Back to the chat").click();
    await drawn();
    expect(view.root.querySelector(".nph-page")).toBeNull();
    await show(note);
    view.find(".nph-page").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    await drawn();
    expect(view.root.querySelector(".nph-page")).toBeNull();
    expect(view.find<HTMLElement>(".nph-scroller").hidden).toBe(false);
  });

  it("pages and sorts a table by asking for it", async () => {
    await view.snapshot([]);
    const rows = Array.from({ length: 50 }, (_, n) => [`${n}`, "<i>x</i>"]);
    await show({
      view: "table",
      target: "t",
      title: "t",
      about: "",
      columns: [
        ["a", "int64"],
        ["b", "string"],
      ],
      rows,
      offset: 50,
      whole: 120,
    });
    expect(view.root.querySelectorAll("tbody tr")).toHaveLength(50);
    expect(view.root.querySelector("tbody i")).toBeNull();
    view.button("↑ Earlier").click();
    view.button("↓ Later").click();
    view.button("b").click();
    expect(view.port.ofType("open").map(({ offset, order_by }) => [offset, order_by])).toEqual([
      [0, ""],
      [100, ""],
      [0, '"b" asc'],
    ]);
  });

  it("leads on from a list, and says what is not shown", async () => {
    await view.snapshot([]);
    const items = [
      { view: "note", target: "n-2", node: "n-2", title: "Next", about: "near", kind: "note", distance: 1 },
    ];
    await show({ view: "graph", target: "n-1", title: "g", about: "", items, edges: [[-1, 0]], whole: 4 });
    view.button("Next").click();
    expect(view.port.ofType("open").at(-1)).toMatchObject({ view: "note", target: "n-2" });
    expect(view.find(".nph-page-body").textContent).toContain("3 more are not shown");
  });

  it("says what can't be opened", async () => {
    await view.snapshot([]);
    await show({ view: "note", target: "x", title: "x", about: "", fault: "There is no note x." });
    expect(view.find(".nph-page .nph-error").textContent).toBe("There is no note x.");
  });

  it("opens what a running round points to, and in a finished one only on a click", async () => {
    const navigate = { view: "note", target: "n-1" };
    await view.snapshot([script.start()], { busy: true });
    await view.events(script.event("NavigateView", navigate));
    expect(view.port.ofType("open")).toHaveLength(1);
    view.dispose();
    view = await mounted();
    script = new Script();
    await view.snapshot([script.start(), script.event("NavigateView", navigate), script.done()]);
    expect(view.port.ofType("open")).toHaveLength(0);
    view.button("Open").click();
    expect(view.port.ofType("open")).toHaveLength(1);
  });

  it("opens what a round points to that has ended before it was drawn", async () => {
    await view.snapshot([]);
    await view.events(script.start(), script.event("NavigateView", { view: "note", target: "n-1" }), script.done());
    expect(view.port.ofType("open")).toMatchObject([{ view: "note", target: "n-1" }]);
  });
});
