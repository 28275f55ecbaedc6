import { describe, expect, it } from "vitest";
import { answerViews, type Host, hostOf } from "../src/shared/host";
import { typeset } from "../src/shared/math";
import { mountEditor } from "../src/shared/view/code_editor";
import { draft } from "../src/shared/view/draft";
import { mount } from "../src/shared/view/mount";
import { FakePort, kernelState, Script } from "./building";
import { drawn } from "./mounting";

const MODULES = { editor: async () => ({ mountEditor }), math: async () => ({ typeset }) };
const ANSWER = "Try it:\n\n```python\nx = 1\n```\n\n```bash\nls\n```\n";

interface Shown {
  root: HTMLElement;
  port: FakePort;
}

async function shown(host: Host): Promise<Shown> {
  const root = document.createElement("div");
  document.body.append(root);
  const port = new FakePort();
  mount(root, port, MODULES, { host });
  await drawn();
  const script = new Script("r-1");
  const events = [script.start("how?"), script.say(ANSWER), script.done()];
  port.deliver({ type: "snapshot", state: kernelState({}), events });
  await drawn();
  return { root, port };
}

const inserts = (root: HTMLElement): HTMLButtonElement[] => [...root.querySelectorAll("button")].filter(isInsert);
const isInsert = (button: HTMLButtonElement): boolean => /^Insert|^Not inserted/.test(button.textContent ?? "");

describe("code in an answer", () => {
  it("can be put into a notebook where there is one, and only Python", async () => {
    const put: string[] = [];
    const { root } = await shown({ insert: (code) => put.push(code) > 0 });
    const buttons = inserts(root);
    expect(buttons.map((button) => button.textContent)).toEqual(["Insert below"]);
    buttons[0]?.click();
    expect(put).toEqual(["x = 1\n"]);
    expect(buttons[0]?.textContent).toBe("Inserted");
  });

  it("says so where the notebook takes none", async () => {
    const { root } = await shown({ insert: () => false });
    inserts(root)[0]?.click();
    expect(inserts(root)[0]?.textContent).toBe("Not inserted");
  });

  it("has no such button where there is no notebook", async () => {
    const { root } = await shown(hostOf(document.body));
    expect(inserts(root)).toEqual([]);
  });
});

describe("a view inside an output", () => {
  it("is told by the page what that can do", () => {
    const asked: HTMLElement[] = [];
    answerViews((element) => {
      asked.push(element);
      return { insert: () => true };
    });
    const root = document.createElement("div");
    expect(hostOf(root).insert?.("")).toBe(true);
    expect(asked).toEqual([root]);
  });
});

describe("a drafted message", () => {
  it("comes after what was being written, is not sent, and its question can be typed over", async () => {
    const { root, port } = await shown({});
    const field = root.querySelector<HTMLTextAreaElement>("textarea.nph-field");
    if (!field) throw new Error("no input");
    const before = port.sent.length;
    field.value = "mine";
    expect(draft(root, "Why?\n\ncode", 4)).toBe(true);
    expect(field.value).toBe("mine\n\nWhy?\n\ncode");
    expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe("Why?");
    expect(document.activeElement).toBe(field);
    expect(port.sent.slice(before).filter((message) => message.type === "ask")).toEqual([]);
  });

  it("waits where nothing can be written yet", () => {
    expect(draft(document.createElement("div"), "Why?", 4)).toBe(false);
  });
});

describe("a page on its own", () => {
  it("asks for itself once the kernel answers, and shows no conversation", async () => {
    const root = document.createElement("div");
    document.body.append(root);
    const port = new FakePort();
    mount(root, port, MODULES, { alone: { view: "memory", target: "" } });
    port.deliver({ type: "snapshot", state: kernelState({}), events: [] });
    await drawn();
    expect(port.sent.at(-1)).toMatchObject({ type: "open", view: "memory", target: "" });
    expect(root.querySelector("textarea")).toBeNull();
  });
});
