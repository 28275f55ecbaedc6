/** What each opened view does by hand: it asks, waits, says what is wrong or missing, and asks once more before it acts. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Script } from "./building";
import { drawn, type Mounted, mounted, type } from "./mounting";

let view: Mounted;

beforeEach(async () => {
  view = await mounted();
  const script = new Script();
  await view.snapshot([script.start(), script.say("answer"), script.done()]);
});
afterEach(() => view.dispose());

async function show(page: object): Promise<void> {
  view.port.deliver({ type: "page", page: { target: "", title: "", about: "", ...page } });
  await drawn();
}

async function choose(name: string): Promise<void> {
  const picker = view.find<HTMLSelectElement>("select.nph-views");
  picker.value = name;
  picker.dispatchEvent(new Event("change", { bubbles: true }));
  await drawn();
}

const last = (kind: "open" | "add" | "forget" | "undo"): { [key: string]: unknown } =>
  view.port.ofType(kind).at(-1) as unknown as { [key: string]: unknown };
const key = (element: Element, name: string): boolean =>
  element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));

describe("opening by hand", () => {
  it("says that it opens until the page has come, over the conversation", async () => {
    await choose("memory");
    expect(view.find(".nph-page").getAttribute("aria-busy")).toBe("true");
    expect(view.find(".nph-page").textContent).toContain("Opening…");
    expect(view.find<HTMLElement>(".nph-scroller").hidden).toBe(true);
    await show({ view: "memory", ticket: last("open")["ticket"] });
    expect(view.find(".nph-page").getAttribute("aria-busy")).toBe("false");
    expect(view.find(".nph-page").textContent).toContain("Nothing is remembered yet.");
  });

  it("shows nothing that comes after it was closed, or that something newer was asked for", async () => {
    await choose("memory");
    const first = last("open")["ticket"];
    await choose("journal");
    await show({ view: "memory", title: "Late", ticket: first });
    expect(view.find(".nph-page").textContent).not.toContain("Late");
    await choose("chat");
    await show({ view: "journal", title: "Later", ticket: last("open")["ticket"] });
    expect(view.root.querySelector(".nph-page")).toBeNull();
  });

  it("goes back a step at a time, asking anew for what was there", async () => {
    await choose("notes");
    await show({
      view: "notes",
      items: [{ view: "note", target: "n-1", title: "Rivers", about: "" }],
      whole: 1,
      ticket: last("open")["ticket"],
    });
    expect([...view.root.querySelectorAll("button")].some((each) => each.textContent === "Back")).toBe(false);
    view.button("Rivers").click();
    await show({
      view: "note",
      target: "n-1",
      title: "Rivers",
      text: "Wet.",
      whole: 4,
      ticket: last("open")["ticket"],
    });
    view.button("Back").click();
    expect(last("open")).toMatchObject({ view: "notes", target: "" });
  });
});

describe("the notes", () => {
  it("searches what is typed, and keeps the focus and the words while the hits come", async () => {
    await show({ view: "notes" });
    const box = view.find<HTMLInputElement>(".nph-page-search input");
    box.focus();
    type(box, "oolong");
    box.form?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    expect(last("open")).toMatchObject({ view: "notes", target: "oolong" });
    const channels = [
      ["text", "oolong"],
      ["vector", "0.8"],
    ];
    const items = [{ view: "note", target: "n-1", title: "Tea", about: "late", span: [3, 9], kind: "note", channels }];
    await show({ view: "notes", target: "oolong", items, whole: 1, ticket: last("open")["ticket"] });
    expect(document.activeElement).toBe(view.find(".nph-page-search input"));
    expect(box.value).toBe("oolong");
    expect([...view.root.querySelectorAll(".nph-kind")].map((each) => each.textContent)).toEqual(["words", "meaning"]);
    view.button("Tea").click();
    expect(last("open")).toMatchObject({ view: "note", target: "n-1", span: [3, 9] });
  });

  it("adds the path that was typed, shows how far it is, cancels, and renews the list at the end", async () => {
    await show({ view: "notes" });
    const box = view.find<HTMLInputElement>(".nph-page-adding input");
    expect(box.value).toBe("");
    type(box, " ~/notes ");
    await drawn();
    box.form?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    expect(last("add")).toEqual({ type: "add", path: "~/notes" });
    const step = {
      type: "intake",
      path: "~/notes",
      label: "a.md",
      done: 3,
      total: 9,
      running: true,
      report: [],
      fault: "",
    };
    view.port.deliver(step);
    await drawn();
    expect(view.find<HTMLProgressElement>("progress").value).toBe(3);
    view.button("Cancel").click();
    expect(view.port.ofType("cancel_add")).toHaveLength(1);
    const asked = view.port.ofType("open").length;
    view.port.deliver({ ...step, running: false, report: ["2 added.", "- skipped x.xyz: not read"] });
    await drawn();
    expect(view.find(".nph-page-report").textContent).toContain("· skipped x.xyz: not read");
    expect(view.port.ofType("open")).toHaveLength(asked + 1);
    // So quick that its steps are never drawn.
    view.port.deliver(step);
    view.port.deliver({ ...step, running: false, report: ["none"] });
    await drawn();
    expect(view.port.ofType("open")).toHaveLength(asked + 2);
  });
});

describe("a table", () => {
  const columns = [
    ["n", "int64"],
    ["word", "string"],
  ];

  it("turns what is typed over its columns into tests, and sorts down on the second press", async () => {
    await show({ view: "table", target: "t", columns, rows: [["1", "a"]], whole: 1, version: 4, order_by: '"n" asc' });
    const [first, second] = view.root.querySelectorAll<HTMLInputElement>(".nph-page-filters input");
    for (const [box, text] of [
      [first, ">= 5"],
      [second, "tea"],
    ] as const) {
      if (!box) throw new Error("no filter");
      box.value = text;
      box.dispatchEvent(new Event("change", { bubbles: true }));
      await drawn();
    }
    const where = [
      ["n", ">=", "5"],
      ["word", "contains", "tea"],
    ];
    expect(last("open")).toMatchObject({ where, version: 4, offset: 0, order_by: '"n" asc' });
    expect(view.find("th").getAttribute("aria-sort")).toBe("ascending");
    view.find<HTMLButtonElement>("th button").click();
    expect(last("open")).toMatchObject({ where, order_by: '"n" desc' });
  });

  it("keeps a wrong filter beside the sentence that says what is wrong with it", async () => {
    const where = [["n", "=", "many"]];
    await show({ view: "table", target: "t", columns, rows: [], where, fault: "Column 'n' holds int64." });
    expect(view.find("[role=alert]").textContent).toBe("Column 'n' holds int64.");
    expect(view.find<HTMLInputElement>(".nph-page-filters input").value).toBe("many");
  });
});

describe("links", () => {
  const item = (title: string, parent: number, distance: number): object => ({
    ...{ view: "note", target: title, node: title, title, about: "", kind: "note", link: "wiki", parent, distance },
  });

  it("are walked by the arrow keys and opened by Enter, one stop for the Tab key", async () => {
    const items = [item("A", -1, 1), item("B", -1, 1), item("B1", 1, 2)];
    await show({
      view: "graph",
      target: "m",
      title: "M",
      items,
      edges: [
        [-1, 0],
        [-1, 1],
        [1, 2],
      ],
      whole: 3,
    });
    const nodes = [...view.root.querySelectorAll<HTMLButtonElement>(".nph-graph button")];
    expect(nodes.map((node) => node.tabIndex)).toEqual([0, -1, -1]);
    nodes[0]?.focus();
    const walked = ["ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp"].map((name) => {
      key(document.activeElement as Element, name);
      return document.activeElement?.textContent;
    });
    expect(walked).toEqual(["B", "B1", "B", "A"]);
    expect(view.root.querySelectorAll(".nph-graph path[data-own]")).toHaveLength(3);
    expect(view.root.querySelectorAll("details .nph-page-items li")).toHaveLength(3);
  });

  it("of a hub leave room for the others", async () => {
    const many = Array.from({ length: 100 }, (_, n) => item(`H${n}`, 0, 2));
    await show({ view: "graph", target: "m", title: "M", items: [item("Hub", -1, 1), ...many, item("Else", -1, 1)] });
    const drawnTitles = [...view.root.querySelectorAll(".nph-graph button")].map((node) => node.textContent);
    expect(drawnTitles).toContain("Else");
    expect(drawnTitles.length).toBeLessThan(12);
    expect(view.find(".nph-page-body").textContent).toContain("95 more are in the list only.");
  });
});

describe("what asks once more", () => {
  it("forgets a card only when that is confirmed, and shows the list afterwards", async () => {
    await show({ view: "memory", target: "units", title: "Units", text: "In thousands.", whole: 13 });
    view.button("Forget this card").click();
    await drawn();
    expect(view.port.ofType("forget")).toHaveLength(0);
    view.button("Keep it").click();
    await drawn();
    view.button("Forget this card").click();
    await drawn();
    view.button("Forget this card").click();
    expect(last("forget")).toMatchObject({ id: "units", after: { view: "memory", target: "" } });
  });

  it("says before an undo what comes back and what stays, and marks what was taken back", async () => {
    const done = { tool: "run_python", title: "Make x", fate: "open", why: "" };
    const rounds = [
      {
        ...{ round: "r-2", title: "Count", about: "now", undone: false },
        operations: [done, { ...done, title: "Write", fate: "stays", why: "a file was written" }],
      },
      { round: "r-1", title: "Before", about: "then", undone: true, operations: [{ ...done, fate: "taken" }] },
    ];
    await show({ view: "journal", rounds, whole: 2 });
    expect(view.root.querySelectorAll("[data-undone]")).toHaveLength(1);
    expect(view.root.querySelectorAll(".nph-journal .nph-link")).toHaveLength(1);
    view.find<HTMLButtonElement>(".nph-journal .nph-link").click();
    await drawn();
    expect(view.find(".nph-confirm").textContent).toContain("Operations taken back: 1.");
    expect(view.find(".nph-confirm").textContent).toContain("Run Python: Write · a file was written");
    key(view.find(".nph-confirm"), "Escape");
    await drawn();
    expect(view.root.querySelector(".nph-confirm")).toBeNull();
    expect(view.root.querySelector(".nph-page")).not.toBeNull();
    view.find<HTMLButtonElement>(".nph-journal .nph-link").click();
    await drawn();
    view.find<HTMLButtonElement>(".nph-confirm button").click();
    expect(last("undo")).toMatchObject({ round_id: "r-2", after: { view: "journal" } });
  });
});
