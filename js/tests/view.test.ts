import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Event, Output } from "../src/shared/events";
import { clean } from "../src/shared/nbformat";
import { Script } from "./building";
import { drawn, fixture, type Mounted, mounted } from "./mounting";

let view: Mounted;
let script: Script;

beforeEach(async () => {
  view = await mounted();
  script = new Script();
});
afterEach(() => view.dispose());

const tool = (name: string, result: string, ok = true, outputs: Output[] = []): Event[] => [
  script.event("ToolStart", { call_id: "c", tool: name, arguments: { query: "tea" } }),
  ...outputs.map((output) => script.event("ToolOutput", { call_id: "c", output })),
  script.event("ToolFinish", { call_id: "c", tool: name, ok, result, elapsed_s: 0.25 }),
];

describe("keeping in step", () => {
  it("says hello when mounted, and again after a gap, but not for each event of it", async () => {
    expect(view.port.ofType("hello")).toHaveLength(1);
    const list = [script.start(), script.say("a"), script.say("b"), script.say("c")];
    await view.snapshot(list.slice(0, 1), { busy: true });
    await view.events(...list.slice(2, 3));
    await view.events(...list.slice(3));
    expect(view.port.ofType("hello")).toHaveLength(2);
    await view.snapshot(list, { busy: true });
    expect(view.find(".nph-reply").textContent).toContain("abc");
  });

  it("says what it can't read, and goes on", async () => {
    await view.snapshot([script.start()], { busy: true });
    view.port.deliver({ type: "events", events: [{ kind: "StreamChunk", text: "no place" }] });
    await view.events({ ...script.say("x"), kind: "FutureKind" } as unknown as Event, script.say("after"));
    expect(view.root.textContent).toContain("round_id and seq are missing");
    expect(view.root.textContent).toContain("FutureKind");
    expect(view.find(".nph-markdown").textContent).toContain("after");
  });

  it("lets go of everything when disposed", () => {
    view.dispose();
    expect(view.port.listening).toBe(0);
    expect(view.root.innerHTML).toBe("");
  });

  it("speaks the language of the kernel's state", async () => {
    await view.snapshot([], { language: "zh" });
    expect(view.find("textarea").getAttribute("placeholder")).toBe("向 Nephele 提问……");
    expect(view.root.lang).toBe("zh-CN");
  });

  it("takes 10,000 chunks in batches, complete and in order", async () => {
    await view.snapshot([script.start()], { busy: true });
    const texts = Array.from({ length: 10_000 }, (_, n) => (n % 25 === 24 ? `w${n}\n\n` : `w${n} `));
    for (let n = 0; n < texts.length; n += 280) {
      view.port.deliver({ type: "events", events: texts.slice(n, n + 280).map((text) => script.say(text)) });
    }
    await view.events(script.done());
    const words = (view.find(".nph-markdown").textContent ?? "").trim().split(/\s+/);
    expect(words).toEqual(texts.map((text) => text.trim()));
  });
});

describe("a tool's card", () => {
  it("says the tool and its question as a person would", async () => {
    await view.snapshot([script.start(), ...tool("search_notes", "[1] found")], { busy: true });
    expect(view.find(".nph-tool-head").textContent).toBe("Search notes“tea”0.3 s");
    expect(view.find(".nph-tool-inside").textContent).not.toContain("{");
  });

  it("shows a failure without being opened", async () => {
    await view.snapshot([script.start(), ...tool("scan_table", "no table 'sale'; nearest: 'sales'", false)]);
    expect(view.find(".nph-outputs .nph-text").textContent).toBe("no table 'sale'; nearest: 'sales'");
  });

  it("folds the middle of a long result", async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
    await view.snapshot([script.start(), ...tool("scan_table", lines)]);
    const folded = view.find(".nph-folded");
    expect(folded.textContent).toContain("line 0");
    expect(folded.textContent).toContain("line 99");
    expect(folded.textContent).not.toContain("line 50");
    view.button("Show 82 more lines").click();
    await drawn();
    expect(folded.textContent).toContain("line 50");
  });

  it("draws pictures as pictures and foreign HTML in a frame without scripts", async () => {
    const rich = (data: { [mime: string]: string }): Output => ({ output_type: "display_data", data, metadata: {} });
    const outputs = [
      rich({ "image/png": "iVBORw0KGgo=\n", "text/plain": "<Figure>" }),
      rich({ "image/svg+xml": "<svg onload='window.__pwned=1'/>" }),
      rich({ "text/html": "<b>t</b><script>parent.__pwned=1</script>", "text/plain": "t" }),
      { output_type: "stream", name: "stdout", text: "10%\r100%\n\u001b[31mred\u001b[0m" },
    ];
    await view.snapshot([script.start(), ...tool("draw", "ok", true, outputs)]);
    const images = [...view.root.querySelectorAll("img")].map((image) => image.getAttribute("src"));
    expect(images[0]).toBe("data:image/png;base64,iVBORw0KGgo=");
    expect(images[1]).toContain("data:image/svg+xml");
    expect(view.root.querySelector("svg")).toBeNull();
    const frame = view.find<HTMLIFrameElement>("iframe");
    expect(frame.getAttribute("sandbox")).not.toMatch(/scripts|forms|top-navigation/);
    expect(frame.srcdoc).toContain("default-src 'none'");
    expect(view.find(".nph-outputs pre").textContent).toBe("100%\nred");
  });

  it("shows what code prints piece by piece, and whole at its end", async () => {
    const print = (text: string): Event =>
      script.event("ToolOutput", { call_id: "c", output: { output_type: "stream", name: "stdout", text } });
    const begin = [script.start(), script.event("ToolStart", { call_id: "c", tool: "run_python", arguments: {} })];
    await view.snapshot([...begin, print("one\n"), print("two\n")], { busy: true });
    expect(view.find(".nph-outputs").textContent).toBe("one\ntwo\n");
    const end = { call_id: "c", tool: "run_python", ok: true, result: "one\ntwo\nthree", elapsed_s: 3 };
    await view.events(script.event("ToolFinish", end));
    expect(view.find(".nph-outputs").textContent).toBe("one\ntwo\nthree");
  });

  it("says that a call was stopped, and keeps what failed before", async () => {
    const call = (call_id: string): Event[] => [
      script.event("ToolStart", { call_id, tool: "run_python", arguments: {} }),
      script.event("ToolFinish", { call_id, tool: "run_python", ok: false, result: "no", elapsed_s: 1 }),
    ];
    await view.snapshot([script.start(), ...call("c1"), ...call("c2"), script.done("stopped")]);
    const states = [...view.root.querySelectorAll(".nph-tool-state")].map((state) => state.textContent);
    expect(states).toEqual(["failed · 1.0 s", "stopped · 1.0 s"]);
  });

  it("shows what code printed, without the plain forms of what is drawn", async () => {
    const data = { "text/html": "<b>t</b>", "text/plain": "   a\n0  1" };
    const output = { output_type: "display_data", data, metadata: {} };
    await view.snapshot([script.start(), ...tool("run_python", "0\n1\n   a\n0  1\n\ndone $&", true, [output])]);
    expect(view.find(".nph-outputs pre").textContent).toBe("0\n1\n\ndone $&");
  });

  it("does to a carriage return what a terminal does", () => {
    expect(clean("a\r\nb\rc\n")).toBe("a\nc\n");
  });
});

describe("U04: markup in every place", () => {
  it("is text everywhere", async () => {
    const hostile = fixture("U04_xss.md");
    const source = { n: 1, kind: "note" as const, content_id: hostile, title: hostile, span: null };
    const usage = { input: 0, output: 0, cached: 0, reasoning: 0, total: 9, steps: 1 };
    await view.snapshot(
      [
        script.start(hostile),
        script.event("ThinkingChunk", { text: hostile }),
        ...tool(hostile, hostile, false),
        script.event("ToolStart", {
          call_id: "d",
          tool: "run_python",
          arguments: { code: hostile, [hostile]: hostile },
        }),
        script.event("ApprovalRequest", {
          ...{ approval_id: hostile, call_id: "d", tool: "run_python", code: hostile },
          ...{ description: hostile, effects: [hostile], expires_at: Date.now() / 1000 + 99, for_round: false },
        }),
        script.event("Progress", { label: hostile, done: 1, total: 2 }),
        script.event("NavigateView", { view: hostile, target: hostile }),
        script.say(hostile),
        script.event("LoopError", { code: "server", message: hostile, retryable: true }),
        script.event("LoopDone", {
          finish: "error",
          usage,
          numbers: [{ text: "1", call_id: hostile }],
          sources: [{ ...source, table: null, version: null, rows: null }],
        }),
      ],
      { busy: true, host: hostile, model: hostile, notice: hostile },
    );
    for (const details of view.root.querySelectorAll("details")) details.open = true;
    await drawn();
    expect(view.root.querySelector("script,style,iframe,base,svg,math,img,object,embed,details[ontoggle]")).toBeNull();
    for (const node of view.root.querySelectorAll("*")) {
      expect([...node.attributes].filter(({ name }) => name.startsWith("on"))).toEqual([]);
    }
    for (const link of view.root.querySelectorAll("a")) expect(link.href).toMatch(/^https?:/);
    expect((window as unknown as { __pwned?: string }).__pwned).toBeUndefined();
  });
});

describe("the end of a round", () => {
  it("offers to ask again after an error that may pass", async () => {
    const error = { code: "cut", message: "The connection ended early.", retryable: true };
    await view.snapshot([
      script.start("why?"),
      script.say("half"),
      script.event("LoopError", error),
      script.done("error"),
    ]);
    expect(view.find(".nph-error").textContent).toBe("The connection ended early.");
    expect(view.find(".nph-markdown").textContent).toContain("half");
    view.button("Ask again").click();
    expect(view.port.ofType("ask")).toEqual([
      { type: "ask", text: "why?", mode: "agent", research: false, instead: "r-1" },
    ]);
  });

  it("offers undo for the round's own mark, once", async () => {
    await view.snapshot([script.start(), script.say("ok"), script.say("<!--UNDO:r-1-->"), script.done()]);
    expect(view.find(".nph-reply").textContent).not.toContain("UNDO");
    view.button("Undo this round").click();
    await drawn();
    expect(view.port.ofType("undo")).toEqual([{ type: "undo", round_id: "r-1" }]);
    expect(view.button("Undo asked").disabled).toBe(true);
  });

  it("shows any other mark as text", async () => {
    await view.snapshot([script.start(), script.say("ok <!--UNDO:r-1-->"), script.done()]);
    expect(view.find(".nph-reply").textContent).toContain("<!--UNDO:r-1-->");
    expect(view.root.querySelector(".nph-undo")).toBeNull();
  });

  it("numbers the sources and says where they are", async () => {
    const usage = { input: 0, output: 0, cached: 0, reasoning: 0, total: 0, steps: 1 };
    const sources = [
      { n: 1, kind: "note" as const, content_id: "n", title: "会议", span: [3, 9] as [number, number] },
      { n: 2, kind: "table" as const, content_id: "t", title: "Sales", span: null },
    ].map((each) => ({ ...each, table: "sales", version: 3, rows: [0, 40] as [number, number] }));
    await view.snapshot([script.start(), script.event("LoopDone", { finish: "answer", usage, sources, numbers: [] })]);
    const chips = [...view.root.querySelectorAll<HTMLElement>(".nph-sources button")];
    expect(chips.map((chip) => [chip.textContent, chip.title])).toEqual([
      ["1会议", "Note, characters 3–9"],
      ["2Sales", "Table sales, rows 1–40, version 3"],
    ]);
  });
});
