import { EditorView } from "@codemirror/view";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Event, JsonObject } from "../src/shared/events";
import { Script } from "./building";
import { drawn, type Mounted, mounted, type } from "./mounting";

const CODE = 'df = sales[sales.month == 3]\nprint("三月", df.revenue.sum())\n';
let view: Mounted;
let script: Script;

beforeEach(async () => {
  view = await mounted();
  script = new Script();
});
afterEach(() => view.dispose());

function request(tool: string, args: JsonObject, code: string | null, left = 100): Event[] {
  const approval = { approval_id: "a-1", call_id: "c1", tool, code, description: "Look at March" };
  return [
    script.start(),
    script.event("ToolStart", { call_id: "c1", tool, arguments: args }),
    script.event("ApprovalRequest", {
      ...approval,
      effects: ["runs in your kernel"],
      expires_at: Date.now() / 1000 + left,
      for_round: true,
    }),
  ];
}

const ask = (code = CODE): Promise<void> => view.snapshot(request("run_python", { code }, code), { busy: true });
const editor = (): EditorView => {
  const found = EditorView.findFromDOM(view.find(".cm-editor"));
  if (!found) throw new Error("no editor");
  return found;
};
const press = (key: string, fields: KeyboardEventInit = {}): void => {
  editor().contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...fields }));
};

describe("code", () => {
  it("is shown whole, with its description and effects", async () => {
    await ask();
    expect(editor().state.sliceDoc()).toBe(CODE);
    expect(view.root.textContent).toContain("Look at March");
    expect(view.root.textContent).toContain("runs in your kernel");
    expect(view.find(".nph-countdown").textContent).toMatch(/^1:\d\d left$/);
  });

  it("is approved as proposed", async () => {
    await ask();
    view.button("Approve").click();
    const decision = { approval_id: "a-1", action: "approve", code: null, reason: "", for_round: false };
    expect(view.port.ofType("decide")).toEqual([{ type: "decide", ...decision }]);
  });

  it.each([
    ["as it was typed", CODE],
    ["with its carriage returns", 'a = "1\r2"\r\nb = 3\r\n'],
  ])("is approved with an edit, byte for byte %s", async (_how, code) => {
    await ask(code);
    editor().dispatch({ changes: { from: editor().state.doc.length, insert: "# 好\t " } });
    await drawn();
    view.button("Approve my edit").click();
    expect(view.port.ofType("decide")[0]?.code).toBe(`${code}# 好\t `);
  });

  it("keeps what is typed while the card is still being drawn", async () => {
    await ask();
    for (const letter of "fast typing") {
      editor().dispatch({ changes: { from: editor().state.doc.length, insert: letter } });
      await new Promise((resolve) => setTimeout(resolve, 7));
    }
    await drawn();
    expect(editor().state.sliceDoc()).toBe(`${CODE}fast typing`);
  });

  it("runs the last key too, though it was not drawn yet", async () => {
    await ask();
    editor().dispatch({ changes: { from: 0, insert: "x" } });
    press("Enter", { ctrlKey: true, keyCode: 13 });
    expect(view.port.ofType("decide")[0]?.code).toBe(`x${CODE}`);
  });

  it("counts an edit that was taken back as none", async () => {
    await ask();
    editor().dispatch({ changes: { from: 0, insert: "x" } });
    await drawn();
    view.button("Restore the proposal").click();
    await drawn();
    expect(editor().state.sliceDoc()).toBe(CODE);
    view.button("Approve").click();
    expect(view.port.ofType("decide")[0]?.code).toBeNull();
  });

  it("is approved from the editor with Ctrl+Enter, and left with Escape", async () => {
    await ask();
    editor().focus();
    press("Escape", { keyCode: 27 });
    expect(document.activeElement).toBe(view.button("Approve"));
    press("Enter", { ctrlKey: true, keyCode: 13 });
    expect(view.port.ofType("decide")).toHaveLength(1);
  });

  it("is sent once, however often one clicks", async () => {
    await ask();
    view.button("Approve").click();
    await drawn();
    view.button("Approve").click();
    press("Enter", { ctrlKey: true, keyCode: 13 });
    expect(view.port.ofType("decide")).toHaveLength(1);
    expect(view.root.textContent).toContain("waiting for the kernel");
  });

  it("can't be approved when the time is up", async () => {
    await view.snapshot(request("run_python", { code: CODE }, CODE, -1), { busy: true });
    expect(view.button("Approve").disabled).toBe(true);
    press("Enter", { ctrlKey: true, keyCode: 13 });
    expect(view.port.ofType("decide")).toEqual([]);
  });
});

it("counts down by the kernel's clock, not this machine's", async () => {
  const here = Date.now() / 1000;
  await view.snapshot(request("run_python", { code: CODE }, CODE, 1000), { busy: true, now: here + 940 });
  expect(view.find(".nph-countdown").textContent).toMatch(/^(1:00|0:59) left$/);
});

it("rejects with a reason", async () => {
  await ask();
  type(view.find<HTMLInputElement>(".nph-decide input"), " not this table ");
  await drawn();
  view.button("Reject").click();
  expect(view.port.ofType("decide")[0]).toMatchObject({ action: "reject", code: null, reason: "not this table" });
});

it("says so when it was decided elsewhere", async () => {
  await ask();
  view.button("Approve").click();
  view.port.deliver({ type: "decided", approval_id: "a-1", ok: false, message: "" });
  await drawn();
  expect(view.root.textContent).toContain("already decided elsewhere");
  expect(view.button("Approve").disabled).toBe(true);
});

it("shows what was decided, the code that ran and the difference", async () => {
  await ask();
  const diff = "--- proposed\n+++ approved\n-old\n+new\n";
  await view.events(
    script.event("ApprovalResolved", {
      approval_id: "a-1",
      outcome: "edited",
      code: "new",
      diff,
      by: "user",
      for_round: false,
    }),
  );
  expect(view.root.querySelector(".cm-editor")).toBeNull();
  expect(view.find(".nph-outcome").textContent).toContain("You edited and approved it");
  expect(view.find(".nph-outcome pre").textContent).toBe("new");
  expect(view.find(".nph-diff-add").textContent).toBe("+new\n");
});

it("is void, without buttons, when its kernel is gone", async () => {
  await view.snapshot(request("run_python", { code: CODE }, CODE), { busy: false });
  expect(view.root.querySelector(".nph-approval")).toBeNull();
  expect(view.root.textContent).toContain("never decided");
});

it("shows a note that would be written as it will read and as it is", async () => {
  const text = "# Oolong\n\nOut of **stock** <script>1</script>";
  await view.snapshot(request("create_note", { title: "三月", text, tags: ["tea"] }, null), { busy: true });
  expect(view.root.querySelector(".cm-editor")).toBeNull();
  expect(view.find(".nph-arguments").textContent).toContain("“三月”");
  expect(view.find(".nph-preview strong").textContent).toBe("stock");
  view.button("Source").click();
  await drawn();
  expect(view.find(".nph-preview pre").textContent).toBe(text);
  view.button("Approve").click();
  expect(view.port.ofType("decide")[0]).toMatchObject({ action: "approve", code: null });
});
