import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Event } from "../src/shared/events";
import { Script } from "./building";
import { drawn, type Mounted, mounted } from "./mounting";

let view: Mounted;
let script: Script;

beforeEach(async () => {
  view = await mounted();
  script = new Script();
});
afterEach(() => view.dispose());

const usage = { input: 1, output: 1, cached: 0, reasoning: 0, total: 2, steps: 1 };

function round(answer: string, texts: readonly string[]): Event[] {
  return [
    script.start(),
    script.event("ToolStart", { call_id: "c1", tool: "run_python", arguments: { code: "x" } }),
    script.event("ToolFinish", { call_id: "c1", tool: "run_python", ok: true, result: "17 and 3.14", elapsed_s: 0 }),
    script.say(answer),
    script.event("LoopDone", {
      finish: "answer",
      usage,
      sources: [],
      numbers: texts.map((text) => ({ text, call_id: "c1" })),
    }),
  ];
}

const marks = (): HTMLElement[] => [...view.root.querySelectorAll<HTMLElement>(".nph-number")];

describe("numbers of an answer", () => {
  it("marks those that came out of a call, wherever they stand, and no others", async () => {
    await view.snapshot(
      round("It is **17** [17], not 170 or 1.17; π is 3.14.\n\n| a |\n|---|\n| 17 |\n\n`17`\n", ["17", "3.14"]),
    );
    await drawn();
    expect(marks().map((mark) => mark.textContent)).toEqual(["17", "3.14", "17"]);
    expect(view.find(".nph-markdown").textContent).toContain("It is 17 [17], not 170 or 1.17; π is 3.14.");
  });

  it("marks none in an answer without links, and none while it is being written", async () => {
    const [start, ...rest] = round("It is 17.", ["17"]);
    await view.snapshot([start as Event], { busy: true });
    await view.events(...rest.slice(0, 3));
    expect(marks()).toEqual([]);
    await view.events(...rest.slice(3));
    await drawn();
    expect(marks()).toHaveLength(1);
  });

  it("opens the card of the call", async () => {
    await view.snapshot(round("It is 17.", ["17"]));
    await drawn();
    marks()[0]?.click();
    expect(view.root.querySelector<HTMLDetailsElement>("[data-call-card=c1] details")?.open).toBe(true);
  });

  it("says which are out of date, and takes it back when they are not", async () => {
    const events = round("It is 17.", ["17"]);
    await view.snapshot(events);
    await drawn();
    expect(marks()[0]?.hasAttribute("data-stale")).toBe(false);
    await view.snapshot(events, { stale: { [events[0]?.round_id ?? ""]: ["c1"] } });
    await drawn();
    expect(marks()[0]?.hasAttribute("data-stale")).toBe(true);
    expect(marks()[0]?.title).toContain("Out of date");
    await view.snapshot(events);
    await drawn();
    expect(marks()[0]?.hasAttribute("data-stale")).toBe(false);
  });
});
