import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Event } from "../src/shared/events";
import { Script } from "./building";
import { drawn, type Mounted, mounted, type } from "./mounting";

let view: Mounted;
let script: Script;
const field = (): HTMLTextAreaElement => view.find("textarea.nph-field");
const card = (): HTMLElement => view.find("[role=alertdialog]");
const focused = (): Element | null => document.activeElement;

function asked(call_id: string, more: { for_round?: boolean; code?: string | null } = {}): Event[] {
  const { for_round = true, code = "x = 1\ny = 2" } = more;
  const call = { call_id, tool: code === null ? "create_note" : "run_python" };
  const approval = { approval_id: `a-${call_id}`, code, description: "Look at March", effects: ["binds x"], for_round };
  return [
    script.event("ToolStart", { ...call, arguments: code === null ? { title: "t", text: "b" } : { code } }),
    script.event("ApprovalRequest", { ...call, ...approval, expires_at: Date.now() / 1000 + 100 }),
  ];
}

const settled = (call_id: string, outcome: "approved" | "expired" | "rejected" = "approved"): Event =>
  script.event("ApprovalResolved", {
    ...{ approval_id: `a-${call_id}`, outcome, code: null, diff: "" },
    ...{ by: outcome === "expired" ? "nobody" : "user", for_round: false },
  });

function press(key: string, fields: KeyboardEventInit = {}, target: Element | null = focused()): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...fields });
  target?.dispatchEvent(event);
  return event;
}

beforeEach(async () => {
  view = await mounted();
  script = new Script();
  await view.snapshot([script.start()], { busy: true });
});
afterEach(() => view.dispose());

describe("the keyboard", () => {
  it("comes to the card from the empty field, and nothing is chosen there yet", async () => {
    field().focus();
    await view.events(...asked("c1"));
    expect(focused()).toBe(card());
    press("Enter", {}, card());
    expect(view.port.ofType("decide")).toEqual([]);
  });

  it.each(["a message", " "])("stays where %j is being written", async (text) => {
    field().focus();
    type(field(), text);
    await view.events(...asked("c1"));
    expect(focused()).toBe(field());
  });

  it("stays outside of the view", async () => {
    const cell = document.body.appendChild(document.createElement("textarea"));
    cell.focus();
    await view.events(...asked("c1"));
    expect(focused()).toBe(cell);
    cell.remove();
  });

  it("stays at a card that came before", async () => {
    field().focus();
    await view.events(...asked("c1"));
    view.button("Approve").focus();
    await view.events(...asked("c2"));
    expect(focused()).toBe(view.button("Approve"));
  });

  it("goes back to the field with what is typed on", async () => {
    field().focus();
    await view.events(...asked("c1"));
    expect(press("h").defaultPrevented).toBe(false);
    expect(focused()).toBe(field());
  });

  it("goes to the next card that asks, and then to the field", async () => {
    field().focus();
    await view.events(...asked("c1"), ...asked("c2"));
    expect(focused()).toBe(card());
    await view.events(settled("c1"));
    await drawn();
    expect(focused()).toBe(card());
    await view.events(settled("c2"));
    await drawn();
    expect(focused()).toBe(field());
  });

  it("is not pulled to the field when it was elsewhere", async () => {
    await view.events(...asked("c1"));
    expect(focused()).toBe(document.body);
    await view.events(settled("c1"));
    await drawn();
    expect(focused()).toBe(document.body);
  });
});

describe("the keys of the card", () => {
  beforeEach(async () => {
    field().focus();
    await view.events(...asked("c1"));
  });

  it.each(["ctrlKey", "metaKey"])("approve with Enter and %s, from the card and from its fields", async (modifier) => {
    view.find<HTMLInputElement>(".nph-reason").focus();
    press("Enter", { [modifier]: true });
    expect(view.port.ofType("decide").map(({ action }) => action)).toEqual(["approve"]);
    await drawn();
    expect(focused()).toBe(card());
    press("Enter", { [modifier]: true });
    expect(view.port.ofType("decide")).toHaveLength(1);
  });

  it.each(["Delete", "Backspace"])("reject by way of the reason with %s", async (key) => {
    press(key);
    expect(focused()).toBe(view.find(".nph-reason"));
    press(key);
    expect(focused()).toBe(view.find(".nph-reason"));
    press("Enter");
    expect(view.port.ofType("decide").map(({ action }) => action)).toEqual(["reject"]);
  });

  it("edit with Enter, leave with Escape, and go back with Escape", () => {
    press("Enter");
    expect(focused()).toBe(view.find(".cm-content"));
    press("Escape", { keyCode: 27 });
    expect(focused()).toBe(view.button("Approve"));
    press("Escape");
    expect(focused()).toBe(field());
    expect(view.port.ofType("decide")).toEqual([]);
  });

  it("leave the reason with Escape without deciding", () => {
    press("Delete");
    press("Escape");
    expect(focused()).toBe(view.button("Approve"));
    expect(view.port.ofType("decide")).toEqual([]);
  });

  it("decide nothing while a word is composed", () => {
    press("Enter", { ctrlKey: true, keyCode: 229 });
    expect(view.port.ofType("decide")).toEqual([]);
  });

  it("are said on the card", () => {
    expect(view.find(".nph-keys").textContent).toMatch(/Ctrl\+Enter approves.*Enter edits.*Delete.*Esc goes back/);
  });
});

describe("a word for the round", () => {
  it("is given by a button of its own", async () => {
    await view.events(...asked("c1"));
    view.button("Approve for this round").click();
    expect(view.port.ofType("decide")[0]).toMatchObject({ action: "approve", code: null, for_round: true });
  });

  it("is not offered where the effects are not known", async () => {
    await view.events(...asked("c1", { for_round: false }));
    expect(() => view.button("Approve for this round")).toThrow("no button");
  });

  it("is told on each card that it decided", async () => {
    const decided = { approval_id: "a-c1", outcome: "approved", code: "x", diff: "", by: "round" } as const;
    await view.events(...asked("c1"), script.event("ApprovalResolved", { ...decided, for_round: false }));
    await view.events(
      script.event("ToolFinish", { call_id: "c1", tool: "run_python", ok: true, result: "", elapsed_s: 0.2 }),
    );
    expect(view.find(".nph-tool-state").textContent).toBe("Approved by your word for this round · 0.2 s");
  });
});

it("has the role, name and description of what interrupts", async () => {
  await view.events(...asked("c1"));
  const said = (name: string): string =>
    (card().getAttribute(name) ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .join(" ");
  expect(said("aria-labelledby")).toBe("May I run this?");
  expect(said("aria-describedby")).toMatch(/Look at March.*binds x.*Runs in analysis.ipynb/);
});

it("says where code will run, and that it waits for a cell there", async () => {
  await view.events(...asked("c1"));
  expect(card().textContent).toContain("Runs in analysis.ipynb · Python 3.11.9");
  expect(card().textContent).not.toContain("A cell of yours is running");
  view.port.deliver({ type: "state", state: { busy: true, cell_running: true, place: "analysis.ipynb" } });
  await drawn();
  expect(card().textContent).toContain("A cell of yours is running: this will run when it is done.");
});

it("shows what was changed while it is edited", async () => {
  const { EditorView } = await import("@codemirror/view");
  await view.events(...asked("c1"));
  EditorView.findFromDOM(view.find(".cm-editor"))?.dispatch({ changes: { from: 6, to: 11, insert: "z = 3" } });
  await drawn();
  expect(view.find(".nph-change summary").textContent).toBe("What you changed +1 −1");
  expect(view.find(".nph-change .nph-diff-add").textContent).toBe("+z = 3\n");
  expect(view.find(".nph-change .nph-diff-del").textContent).toBe("-y = 2\n");
});

it("is settled in every view by one decision", async () => {
  const other = await mounted();
  script = new Script("r-2");
  const events = [script.start(), ...asked("c1")];
  for (const each of [view, other]) await each.snapshot(events, { busy: true });
  view.button("Approve").click();
  const decided = settled("c1");
  for (const each of [view, other]) await each.events(decided);
  for (const each of [view, other]) {
    expect(each.root.querySelector("[role=alertdialog]")).toBeNull();
    expect(each.root.textContent).toContain("You approved it");
  }
  other.dispose();
});

describe("what nobody decided", () => {
  it("can be asked again, after the round too", async () => {
    await view.events(...asked("c1"), settled("c1", "expired"), script.done());
    view.button("Run it now…").click();
    expect(view.port.ofType("run_again")).toEqual([{ type: "run_again", approval_id: "a-c1" }]);
    await drawn();
    expect(view.button("It will be asked again").disabled).toBe(true);
  });

  it("can be asked again when its kernel ended meanwhile", async () => {
    script = new Script("r-2");
    await view.snapshot([script.start(), ...asked("c1")], { busy: false });
    expect(view.button("Run it now…").disabled).toBe(false);
  });

  it.each(["approved", "rejected"] as const)("is nothing that was %s", async (outcome) => {
    await view.events(...asked("c1"), settled("c1", outcome), script.done());
    expect(() => view.button("Run it now…")).toThrow("no button");
  });
});
