import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Script } from "./building";
import { drawn, fixture, type Mounted, mounted, type } from "./mounting";

let view: Mounted;
const field = (): HTMLTextAreaElement => view.find("textarea");

beforeEach(async () => {
  view = await mounted();
  await view.snapshot([]);
});
afterEach(() => view.dispose());

type Step = [string, { key?: string; keyCode?: number; isComposing?: boolean; sent?: number }];
const SEQUENCES: { [name: string]: Step[] } = JSON.parse(fixture("U08_ime_sequences.json"));

function dispatch(element: Element, [kind, fields]: Step): void {
  const options = { bubbles: true, cancelable: true, composed: true, ...fields };
  const event = kind.startsWith("composition") ? new CompositionEvent(kind, options) : new KeyboardEvent(kind, options);
  for (const [name, value] of Object.entries({ keyCode: fields.keyCode, isComposing: fields.isComposing })) {
    if (value !== undefined) Object.defineProperty(event, name, { get: () => value });
  }
  element.dispatchEvent(event);
}

describe("U08: Enter and input methods", () => {
  it.each(Object.entries(SEQUENCES).filter(([name]) => name !== "comment"))("%s", async (_name, steps) => {
    type(field(), "text");
    for (const step of steps) {
      if (step[0] === "EXPECT") {
        await drawn();
        expect(view.port.ofType("ask")).toHaveLength(step[1].sent ?? 0);
        continue;
      }
      dispatch(field(), step);
      if (step[0] === "keydown" && field().value === "") type(field(), "text");
    }
  });
});

describe("sending", () => {
  it("sends what was typed, once, and empties the field", async () => {
    type(field(), "为什么 $x 下降？");
    dispatch(field(), ["keydown", { key: "Enter", keyCode: 13 }]);
    await drawn();
    expect(view.port.ofType("ask")).toEqual([
      { type: "ask", text: "为什么 $x 下降？", mode: "agent", research: false },
    ]);
    expect(field().value).toBe("");
    expect(view.find(".nph-pending").textContent).toContain("为什么 $x 下降？");
  });

  it("sends nothing for nothing", () => {
    type(field(), "  \n ");
    dispatch(field(), ["keydown", { key: "Enter", keyCode: 13 }]);
    expect(view.port.ofType("ask")).toEqual([]);
  });

  it("researches one message only, and keeps the mode", async () => {
    const research = (): HTMLInputElement => view.find(".nph-switch input");
    const mode = view.find<HTMLSelectElement>("select");
    mode.value = "chat";
    mode.dispatchEvent(new Event("change", { bubbles: true }));
    research().click();
    for (const text of ["one", "two"]) {
      await drawn();
      type(field(), text);
      await drawn();
      view.button("Send").click();
    }
    await drawn();
    expect(view.port.ofType("ask").map(({ mode, research }) => [mode, research])).toEqual([
      ["chat", true],
      ["chat", false],
    ]);
  });

  it("keeps the text when there is no way to the kernel", async () => {
    view.port.send = () => {
      throw new Error("disposed");
    };
    type(field(), "precious");
    dispatch(field(), ["keydown", { key: "Enter", keyCode: 13 }]);
    await drawn();
    expect(field().value).toBe("precious");
    expect(view.root.textContent).toContain("The kernel of this chat is gone");
  });

  it("steers a running round in sight, and stops it", async () => {
    const script = new Script();
    await view.events(script.start());
    type(field(), "only East");
    await drawn();
    view.button("Send").click();
    view.button("Stop").click();
    await drawn();
    expect(view.find(".nph-pending").textContent).toContain("only East");
    await view.events(script.event("Steer", { text: "only East" }));
    expect(view.root.querySelector(".nph-pending")).toBeNull();
    expect(view.find(".nph-meanwhile").textContent).toContain("only East");
    expect(view.port.sent.slice(1).map((message) => message.type)).toEqual(["ask", "stop"]);
  });
});

it("is there in a view of one round only while that round can be steered", async () => {
  const script = new Script();
  await view.snapshot([script.start()], { single: true, busy: true });
  expect(view.root.querySelector("textarea")).not.toBeNull();
  await view.events(script.done());
  expect(view.root.querySelector("textarea")).toBeNull();
});

it("keeps key presses from the notebook", () => {
  const heard: string[] = [];
  const listen = (event: Event): number => heard.push(event.type);
  document.addEventListener("keydown", listen);
  dispatch(field(), ["keydown", { key: "d", keyCode: 68 }]);
  document.removeEventListener("keydown", listen);
  expect(heard).toEqual([]);
  expect(view.root.dataset["lmSuppressShortcuts"]).toBe("true");
});
