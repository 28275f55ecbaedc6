import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kernelState, Script } from "./building";
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
    const mode = view.find<HTMLSelectElement>("select[aria-label='Mode']");
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

const key = (name: string): void => dispatch(field(), ["keydown", { key: name }]);
const CHOICES = [
  { kind: "variable", label: "sales", text: "sales ", about: "DataFrame" },
  { kind: "note", label: "Sales plan", text: "[[Sales plan]] ", about: "" },
];

describe("names", () => {
  const typed = async (text: string): Promise<void> => {
    type(field(), text);
    await drawn();
  };
  const answer = async (prefix: string): Promise<void> => {
    view.port.deliver({ type: "choices", prefix, choices: CHOICES });
    await drawn();
  };

  it("are asked for by their sign, and chosen with the keys", async () => {
    await typed("compare @sa");
    await vi.waitFor(() => expect(view.port.ofType("complete")).toEqual([{ type: "complete", prefix: "@sa" }]));
    await answer("@sa");
    expect(view.find('[aria-selected="true"]').textContent).toContain("sales");
    const active = document.getElementById(field().getAttribute("aria-activedescendant") ?? "");
    expect(active?.textContent).toContain("sales");
    key("ArrowDown");
    await drawn();
    key("Enter");
    await drawn();
    expect(field().value).toBe("compare [[Sales plan]] ");
    expect(view.root.querySelector("[role=listbox]")).toBeNull();
    expect(view.port.ofType("ask")).toEqual([]);
  });

  it("leave the text alone when they are not wanted or come too late", async () => {
    await typed("@sa");
    await answer("@sa");
    key("Escape");
    await drawn();
    expect(view.root.querySelector("[role=listbox]")).toBeNull();
    await typed("@sal");
    await answer("@sa");
    expect(view.root.querySelector("[role=listbox]")).toBeNull();
    key("Enter");
    expect(view.port.ofType("ask")).toHaveLength(1);
  });

  it("are not asked for within words, paths and addresses", async () => {
    for (const text of ["me@example", "a/b", "see /tmp", "@a b"]) await typed(text);
    expect(view.port.ofType("complete")).toEqual([]);
  });
});

describe("earlier messages", () => {
  it("come back with the arrow keys, and so does the draft", async () => {
    const [first, second] = [new Script("r-1"), new Script("r-2")];
    await view.snapshot([first.start("one"), first.done(), second.start("two"), second.done()]);
    type(field(), "draft");
    field().setSelectionRange(5, 5);
    key("ArrowUp");
    expect(field().value).toBe("draft");
    field().setSelectionRange(0, 0);
    const seen = ["ArrowUp", "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown"].map((name) => {
      key(name);
      return field().value;
    });
    expect(seen).toEqual(["two", "one", "one", "two", "draft", "draft"]);
  });

  it("hold what the kernel would not take", async () => {
    type(field(), "precious");
    key("Enter");
    await drawn();
    view.port.deliver({ type: "state", state: kernelState({ notice: "The message can't be taken." }) });
    await drawn();
    expect(view.root.querySelector(".nph-pending")).toBeNull();
    key("ArrowUp");
    expect(field().value).toBe("precious");
  });
});

describe("pictures", () => {
  const paste = async (...files: File[]): Promise<void> => {
    const event = new Event("paste", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "clipboardData", { value: { files, types: ["Files"] } });
    field().dispatchEvent(event);
    await drawn();
  };
  const png = (name: string): File => new File([new Uint8Array([1, 2, 3])], name, { type: "image/png" });

  it("go with one message, and can be taken back", async () => {
    await paste(png("a.png"), png("b.png"));
    expect(view.root.querySelectorAll(".nph-attachment")).toHaveLength(2);
    view.find('[aria-label="Remove picture a.png"]').click();
    await drawn();
    type(field(), "what is it? ");
    key("Enter");
    await drawn();
    expect(view.port.ofType("ask")[0]?.images).toEqual(["data:image/png;base64,AQID"]);
    expect(view.root.querySelector(".nph-attachment")).toBeNull();
    const script = new Script("r-9");
    await view.events(script.start("what is it? \n\nPictures attached: the picture (1×1)"));
    expect(view.root.querySelector(".nph-pending")).toBeNull();
  });

  it("are no more than a message can hold, and said to be so", async () => {
    await paste(...Array.from({ length: 7 }, (_, n) => png(`${n}.png`)));
    expect(view.root.querySelectorAll(".nph-attachment")).toHaveLength(6);
    expect(view.root.textContent).toContain("At most 6 pictures");
    await paste(new File(["x"], "x.tiff", { type: "image/tiff" }));
    expect(view.root.textContent).toContain("no picture this chat can take");
  });

  const drop = async (file: File): Promise<Event> => {
    const event = new Event("drop", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "dataTransfer", { value: { files: [file], types: ["Files"] } });
    view.find("form.nph-composer").dispatchEvent(event);
    await drawn();
    return event;
  };

  it("come by a drop as well", async () => {
    expect((await drop(png("dropped.png"))).defaultPrevented).toBe(true);
    expect(view.find('[aria-label="Remove picture dropped.png"]')).not.toBeNull();
  });

  it("are all that a drop brings: nothing else is opened in the page's place", async () => {
    expect((await drop(new File(["x"], "x.csv", { type: "text/csv" }))).defaultPrevented).toBe(true);
    expect(view.root.querySelector(".nph-attachment")).toBeNull();
  });

  it("leave other pastes alone", async () => {
    await paste(new File(["x"], "x.txt", { type: "text/plain" }));
    expect(view.root.querySelector(".nph-attached")).toBeNull();
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
