import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Event } from "../src/shared/events";
import { openRound, type Round, wordsOf } from "../src/shared/round";
import { reduce } from "../src/shared/store";
import { speaker } from "../src/shared/strings";
import { asMarkdown } from "../src/shared/view/as_markdown";
import { spentBy, spentWords } from "../src/shared/view/spent";
import { run, Script, snapshot } from "./building";
import { drawn, type Mounted, mounted, type } from "./mounting";

let view: Mounted;
const field = (): HTMLTextAreaElement => view.find("textarea.nph-field");
const round = (id: string, text = "why?"): Event[] => {
  const script = new Script(id);
  return [script.start(text), script.say(`Because of ${id}.`), script.done()];
};
const three = [...round("r-1", "one"), ...round("r-2", "two"), ...round("r-3", "three")];
const press = async (label: string, at = 0): Promise<void> => {
  const all = [...view.root.querySelectorAll<HTMLButtonElement>("button")].filter((each) => each.textContent === label);
  all[at]?.click();
  await drawn();
};

beforeEach(async () => {
  view = await mounted();
});
afterEach(() => view.dispose());

describe("a round that is over", () => {
  it("can be asked again in its own place", async () => {
    await view.snapshot(three);
    await press("Ask again", 1);
    expect(view.port.ofType("ask")).toEqual([
      { type: "ask", text: "two", mode: "agent", research: false, instead: "r-2" },
    ]);
  });

  it.each([
    [0, "agent", true],
    [1, null, false],
  ])("is asked again as it was: with its research, in the mode that was chosen", async (at, mode, research) => {
    const start = { text: "look\n\n[pictures: a.png]", host: "", pictures: 1 };
    const researched = new Script("r-1");
    const alone = new Script("r-2");
    await view.snapshot([
      researched.event("RoundStart", { ...start, mode: "research", tier: "byok" }),
      researched.done(),
      alone.event("RoundStart", { ...start, mode: "chat", tier: "lite" }),
      alone.done(),
    ]);
    await press("Ask again", at);
    expect(view.port.ofType("ask")).toMatchObject([{ text: "look", mode, research }]);
  });

  it("is asked again once, however often it is pressed before the kernel has heard", async () => {
    await view.snapshot(three);
    await press("Ask again", 1);
    await press("Ask again", 1);
    expect(view.port.ofType("ask")).toHaveLength(1);
  });

  it("can leave the context, and come back", async () => {
    await view.snapshot(three);
    await press("Leave out", 1);
    await view.snapshot(three, { aside: { "r-2": "deleted" } });
    expect(view.find(".nph-aside").textContent).toContain("two");
    expect(view.root.textContent).not.toContain("Because of r-2.");
    view.find<HTMLDetailsElement>(".nph-aside details").open = true;
    view.find(".nph-aside details").dispatchEvent(new Event("toggle"));
    await drawn();
    expect(view.find(".nph-aside").textContent).toContain("Because of r-2.");
    expect(view.find(".nph-aside").querySelector(".nph-actions")).toBeNull();
    await press("Put back");
    expect(view.port.ofType("context")).toEqual([
      { type: "context", round_id: "r-2", in_context: false },
      { type: "context", round_id: "r-2", in_context: true },
    ]);
  });

  it("is left alone while another runs", async () => {
    await view.snapshot(round("r-1"));
    await view.events(new Script("r-2").start("more"));
    const labels = ["Ask again", "Edit", "Leave out"];
    expect(labels.map((label) => view.button(label).disabled)).toEqual([true, true, true]);
    expect(view.button("Copy").disabled).toBe(false);
  });

  it("is not asked again in a view that would not show it", async () => {
    await view.snapshot(round("r-1"), { single: true });
    const labels = [...view.root.querySelectorAll(".nph-actions button")].map((each) => each.textContent);
    expect(labels).toEqual(["Copy", "Leave out"]);
  });

  it("is copied where the page may use the clipboard, and says so", async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText } });
    await view.snapshot(round("r-1"));
    await press("Copy");
    expect(writeText).toHaveBeenCalledWith("Because of r-1.\n");
    expect(view.root.querySelector(".nph-actions")?.textContent).toContain("Copied");
    vi.unstubAllGlobals();
  });
});

describe("an earlier message that is edited", () => {
  it("says what leaves the context, and takes it along when it is sent", async () => {
    await view.snapshot(three);
    type(field(), "being written");
    await press("Edit", 1);
    expect(field().value).toBe("two");
    expect(view.find(".nph-editing").textContent).toContain("nor the 1 after it");
    type(field(), "two, but better");
    await press("Send");
    expect(view.port.ofType("ask")).toEqual([
      { type: "ask", text: "two, but better", mode: "agent", research: false, instead: "r-2", edited: true },
    ]);
    expect(field().value).toBe("being written");
    expect(view.root.querySelector(".nph-editing")).toBeNull();
  });

  it("can be left as it was", async () => {
    await view.snapshot(three);
    type(field(), "being written");
    await press("Edit", 2);
    expect(view.find(".nph-editing").textContent).not.toContain("after it");
    await press("Cancel");
    expect(field().value).toBe("being written");
    expect(view.root.querySelector(".nph-editing")).toBeNull();
    await press("Send");
    expect(view.port.ofType("ask").map(({ instead }) => instead)).toEqual([undefined]);
  });
});

describe("who answers", () => {
  it("is chosen among the tiers that can be had; the others say why not", async () => {
    await view.snapshot([]);
    const tier = (name: string): HTMLButtonElement => {
      const all = [...view.root.querySelectorAll<HTMLButtonElement>(".nph-tiers li button")];
      return all.find((each) => each.textContent?.startsWith(name)) as HTMLButtonElement;
    };
    expect(tier("Your own key").getAttribute("aria-current")).toBe("true");
    expect(tier("Zephyr").textContent).toContain("platform_url");
    tier("Zephyr").click();
    expect(view.port.ofType("set")).toEqual([]);
    tier("Lite").click();
    expect(view.port.ofType("set")).toEqual([{ type: "set", tier: "lite" }]);
  });

  it("goes by the kernel's mode until another is chosen, and by what another view has chosen since", async () => {
    const mode = (): HTMLSelectElement => view.find("select[aria-label='Mode']");
    await view.snapshot([], { mode: "chat" });
    expect(mode().value).toBe("chat");
    mode().value = "agent";
    mode().dispatchEvent(new Event("change", { bubbles: true }));
    await drawn();
    expect(view.port.ofType("set")).toEqual([{ type: "set", mode: "agent" }]);
    expect(mode().value).toBe("agent");
    await view.snapshot([], { mode: "agent" });
    await view.snapshot([], { mode: "chat" });
    expect(mode().value).toBe("chat");
  });
});

describe("what was spent", () => {
  const say = speaker("en");
  const ended = (tier: Round["tier"], cost: { [unit: string]: number }, steps = 1): Round => {
    const script = new Script();
    const start = script.event("RoundStart", { text: "x", mode: "agent", tier, host: "" });
    const usage = { input: 1000, output: 234, cached: 0, reasoning: 0, total: 1234, steps };
    const done = script.event("LoopDone", { finish: "answer", usage, sources: [], numbers: [], cost });
    return { ...openRound(start as never), done: done as never };
  };

  it.each([
    ["money", ended("byok", { USD: 0.004217 }), "1 step · 1,234 tokens · 0.00422 USD"],
    ["credits", ended("zephyr", { credits: 1.5 }, 2), "2 steps · 1,234 tokens · 1.5 credits"],
    ["a price that nobody knows", ended("byok", {}), "1 step · 1,234 tokens · cost unknown"],
    ["nothing", ended("lite", {}), "1 step · 1,234 tokens"],
  ])("is told in %s", (_what, one, words) => {
    expect(spentWords(spentBy([one]), say)).toBe(words);
  });

  it("is told together, and nothing where no model was asked", () => {
    const all = [ended("byok", { USD: 0.5 }, 2), ended("byok", { USD: 0.25 }), ended("tempest", { credits: 3 })];
    const words = "4 steps · 3,702 tokens · 0.75 USD · 3 credits";
    expect(spentWords(spentBy(all), say)).toBe(words);
    const unpriced = spentWords(spentBy([...all, ended("byok", {})]), say);
    expect(unpriced).toBe("5 steps · 4,936 tokens · 0.75 USD · 3 credits · more at an unknown price");
    expect(spentWords(spentBy([]), say)).toBe("");
  });
});

describe("a round as markdown", () => {
  it("holds the answer, the code that ran and the sources, and none of its own marks", () => {
    const script = new Script();
    const asked = { approval_id: "a", call_id: "c", tool: "run_python", description: "", effects: [], expires_at: 0 };
    const place = { span: [0, 9] as [number, number], table: null, version: null, rows: null };
    const source = { n: 1, kind: "note" as const, content_id: "n", title: "Delays", ...place };
    const usage = { input: 0, output: 0, cached: 0, reasoning: 0, total: 0, steps: 1 };
    const code = 'print("```")';
    const state = run(
      snapshot([
        script.start("why?"),
        script.event("ThinkingChunk", { text: "hm" }),
        script.event("ToolStart", { call_id: "c", tool: "run_python", arguments: { code: "1" } }),
        script.event("ApprovalRequest", { ...asked, code: "1" } as never),
        script.event("ApprovalResolved", { approval_id: "a", outcome: "edited", code, diff: "" } as never),
        script.event("ToolFinish", { call_id: "c", tool: "run_python", ok: true, result: "", elapsed_s: 0 }),
        script.say("It *fell* [1]."),
        script.say("<!--UNDO:r-1-->"),
        script.event("LoopDone", { finish: "answer", usage, sources: [source], numbers: [] }),
      ]),
    );
    const text = asMarkdown(state.rounds[0] as Round, speaker("en"));
    const ran = '````python\nprint("```")\n````';
    expect(text).toBe(`${ran}\n\nIt *fell* [1].\n\n**Sources**\n\n1. Delays (Note, characters 0–9)\n`);
  });
});

describe("words", () => {
  it("leave out the names of pictures below a message", () => {
    const script = new Script();
    const named = script.event("RoundStart", {
      text: "a\n\nb\n\n[x]",
      mode: "chat",
      tier: "lite",
      host: "",
      pictures: 1,
    });
    expect(wordsOf(openRound(named as never))).toBe("a\n\nb");
    expect(wordsOf(openRound(new Script().start("a\n\nb") as never))).toBe("a\n\nb");
  });

  it("agree with their number", () => {
    const say = speaker("en");
    expect(say("library", { notes: 1, tables: 2 })).toBe("1 note · 2 tables");
  });
});

it("takes back a message that the kernel has not heard", () => {
  const sent = run(snapshot([]), { type: "asked", text: "lost" });
  expect(sent.outbox).toEqual(["lost"]);
  expect(reduce(sent, { type: "withdrawn", text: "lost" }).outbox).toEqual([]);
});
