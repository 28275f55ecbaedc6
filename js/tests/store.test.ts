import { describe, expect, it } from "vitest";
import type { Event } from "../src/shared/events";
import type { ToolPart } from "../src/shared/round";
import { isBusy, isRunning, reduce, type State } from "../src/shared/store";
import { events, kernelState, run, Script, snapshot } from "./building";

const answer = (state: State, at = 0): string =>
  (state.rounds[at]?.parts ?? []).map((part) => (part.type === "answer" ? part.text : "")).join("");

const round = (): Event[] => {
  const script = new Script();
  return [script.start(), script.say("one "), script.say("two "), script.say("three"), script.done()];
};

describe("order and repetition", () => {
  it("takes each event once, however often it comes", () => {
    const list = round();
    const once = run(events(...list));
    expect(answer(once)).toBe("one two three");
    expect(reduce(once, events(...list))).toBe(once);
    expect(run(events(...list.slice(0, 3)), events(...list.slice(1)))).toEqual(once);
  });

  it("shows nothing across a gap, and asks", () => {
    const list = round();
    const state = run(events(...list.slice(0, 2)), events(...list.slice(3)));
    expect(state.gap).toBe(true);
    expect(answer(state)).toBe("one ");
    expect(state.rounds[0]?.done).toBeNull();
    const healed = reduce(state, snapshot(list));
    expect(healed.gap).toBe(false);
    expect(answer(healed)).toBe("one two three");
  });

  it("takes the middle of an unknown round for a gap", () => {
    const state = run(events(...round().slice(1)));
    expect(state.gap).toBe(true);
    expect(state.rounds).toEqual([]);
  });

  it("keeps rounds in the order in which they began", () => {
    const a = new Script("a");
    const b = new Script("b");
    const state = run(events(a.start(), b.start(), a.say("1"), b.say("2"), a.say("3")));
    expect(state.rounds.map((each) => each.id)).toEqual(["a", "b"]);
    expect([answer(state, 0), answer(state, 1)]).toEqual(["13", "2"]);
  });

  it("notices a lost end when the kernel says that it rests", () => {
    const state = run(snapshot([], { busy: true }), events(...round().slice(0, 3)));
    const rested = reduce(state, { type: "received", message: { type: "state", state: kernelState() }, at: 0 });
    expect(rested.gap).toBe(true);
    expect(reduce(rested, snapshot(round())).gap).toBe(false);
  });
});

describe("snapshots", () => {
  it("replace all, also rounds that are gone", () => {
    const other = new Script("other");
    const state = run(events(other.start(), other.done()), snapshot(round()));
    expect(state.rounds.map((each) => each.id)).toEqual(["r-1"]);
  });

  it("don't take back what was heard since they were written", () => {
    const list = round();
    const state = run(events(...list), snapshot(list.slice(0, 2)));
    expect(answer(state)).toBe("one two three");
    expect(state.rounds[0]?.done).not.toBeNull();
  });

  it("leave the same rounds the same objects, so that nothing is drawn again", () => {
    const before = run(events(...round()));
    expect(reduce(before, snapshot(round())).rounds[0]).toBe(before.rounds[0]);
  });

  it("leave a round that never ended without hope, not working for ever", () => {
    const state = run(snapshot(round().slice(0, 3)));
    const [open] = state.rounds;
    expect(open && isRunning(state, open)).toBe(false);
    expect(state.gap).toBe(false);
  });

  it("correct the clock", () => {
    const message = { type: "snapshot" as const, events: [], state: kernelState({ now: 1000 }) };
    expect(run({ type: "received", message, at: 940 }).skew).toBe(60);
  });
});

describe("tools and approvals", () => {
  const script = new Script();
  const list = [
    script.start(),
    script.event("ToolStart", { call_id: "c1", tool: "run_python", arguments: { code: "x" } }),
    script.event("ToolStart", { call_id: "c2", tool: "run_python", arguments: { code: "y" } }),
    ...["c1", "c2"].map((call_id) =>
      script.event("ApprovalRequest", {
        ...{ approval_id: `a-${call_id}`, call_id, tool: "run_python", code: "x" },
        ...{ description: "", effects: [], expires_at: 5, for_round: false },
      }),
    ),
    script.event("ApprovalResolved", {
      approval_id: "a-c2",
      outcome: "rejected",
      code: null,
      diff: "",
      by: "user",
      for_round: false,
    }),
    script.event("ToolFinish", { call_id: "c2", tool: "run_python", ok: false, result: "no", elapsed_s: 0 }),
  ];

  it("decides two approvals in any order, each on its own card", () => {
    const state = run(events(...list));
    const [first, second] = (state.rounds[0]?.parts ?? []) as ToolPart[];
    expect(first?.approval).toMatchObject({ id: "a-c1", resolved: null });
    expect(second?.approval?.resolved?.outcome).toBe("rejected");
    expect([first?.finished, second?.finished?.ok]).toEqual([null, false]);
  });

  it("remembers what the kernel said to this view's decision", () => {
    const message = { type: "decided" as const, approval_id: "a-c1", ok: false, message: "too late" };
    const state = run(events(...list), { type: "received", message, at: 0 });
    const [first, second] = (state.rounds[0]?.parts ?? []) as ToolPart[];
    expect(first?.approval?.answer).toEqual({ ok: false, message: "too late" });
    expect(second?.approval?.answer).toBeNull();
  });
});

describe("what the user said", () => {
  it("waits in sight until its round begins", () => {
    const asked = run(snapshot([]), { type: "asked", text: "hi" }, { type: "asked", text: "hi" });
    expect(asked.outbox).toEqual(["hi", "hi"]);
    const begun = reduce(asked, events(new Script().start("hi")));
    expect(begun.outbox).toEqual(["hi"]);
    expect(reduce(begun, snapshot([new Script().start("hi")])).outbox).toEqual(["hi"]);
    expect(reduce(asked, snapshot([new Script().start("hi")])).outbox).toEqual(["hi"]);
  });

  it("stands in a running round where it was heard, also after a snapshot", () => {
    const steer: Event = { kind: "Steer", round_id: "r-1", seq: 2, text: "only East" };
    const begun = [...round().slice(0, 2), steer];
    const sent = run(snapshot([]), events(...begun.slice(0, 2)), { type: "asked", text: "only East" });
    expect(sent.outbox).toEqual(["only East"]);
    for (const heard of [reduce(sent, events(steer)), reduce(sent, snapshot(begun))]) {
      expect(heard.outbox).toEqual([]);
      expect(heard.rounds[0]?.parts.at(-1)).toEqual({ type: "remark", text: "only East" });
    }
  });
});

describe("text that turns out to be thinking", () => {
  it("moves, from the running step only", () => {
    const script = new Script();
    const finish = { call_id: "c", tool: "get_stats", ok: true, result: "", elapsed_s: 0 };
    const state = run(
      events(
        script.start(),
        script.say("first step"),
        script.event("ToolStart", { call_id: "c", tool: "get_stats", arguments: {} }),
        script.event("ToolFinish", finish),
        script.event("ThinkingChunk", { text: "so " }),
        script.say("I think "),
        script.event("StreamReset", {}),
        script.event("ThinkingChunk", { text: "on" }),
        script.say("answer"),
      ),
    );
    expect(state.rounds[0]?.parts.filter((part) => part.type !== "tool")).toEqual([
      { type: "answer", text: "first step" },
      { type: "thinking", text: "so I think on" },
      { type: "answer", text: "answer" },
    ]);
  });
});

describe("the undo mark", () => {
  const mark = "<!--UNDO:r-1-->";
  const play = (...texts: string[]): State => {
    const script = new Script();
    return run(events(script.start(), ...texts.map((text) => script.say(text)), script.done()));
  };

  it("becomes a button as the last chunk, and is no text then", () => {
    const state = play("done.", mark);
    expect(state.rounds[0]?.undoable).toBe(true);
    expect(answer(state)).toBe("done.");
  });

  it.each([
    ["not last", ["a", mark, "b"], `a${mark}b`],
    ["twice", ["a", mark, mark, "b"], `a${mark}${mark}b`],
    ["of another round", ["a", "<!--UNDO:r-2-->"], "a<!--UNDO:r-2-->"],
    ["inside a chunk", [`a${mark}`], `a${mark}`],
    ["in pieces", ["a", "<!--UNDO:", "r-1-->"], `a${mark}`],
  ])("stays text when %s", (_how, texts, shown) => {
    const state = play(...texts);
    expect(state.rounds[0]?.undoable).toBe(false);
    expect(answer(state)).toBe(shown);
  });

  it("is no button while the round goes on", () => {
    const script = new Script();
    expect(run(events(script.start(), script.say(mark))).rounds[0]?.undoable).toBe(false);
  });
});

describe("being busy", () => {
  it("ends with the last round, even if the kernel's word is a moment older", () => {
    const list = round();
    const begun = run(snapshot([]), events(...list.slice(0, 2)));
    expect(isBusy(begun)).toBe(true);
    const ended = reduce(begun, events(...list.slice(2)));
    expect(isBusy(ended)).toBe(false);
    const stale = { type: "state" as const, state: kernelState({ busy: true }) };
    expect(isBusy(reduce(ended, { type: "received", message: stale, at: 0 }))).toBe(false);
    const more = { type: "state" as const, state: kernelState({ busy: true, queued: 1 }) };
    expect(isBusy(reduce(ended, { type: "received", message: more, at: 0 }))).toBe(true);
  });
});

describe("size", () => {
  it("takes 10,000 chunks one by one, complete and in order", () => {
    const script = new Script();
    let state = run(events(script.start()));
    let expected = "";
    for (let n = 0; n < 10_000; n++) {
      const text = `chunk${n} `;
      expected += text;
      state = reduce(state, events(script.say(text)));
    }
    expect(answer(state)).toBe(expected);
    expect(state.rounds[0]?.parts).toHaveLength(1);
  });
});
