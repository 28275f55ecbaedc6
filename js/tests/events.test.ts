import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KINDS, parseEvent } from "../src/shared/events";
import { parseMessage } from "../src/shared/protocol";
import { EMPTY, reduce } from "../src/shared/store";
import { kernelState } from "./building";

const FIXTURE: { [field: string]: unknown }[] = JSON.parse(readFileSync("../tests/fixtures/events.json", "utf8"));

describe("the contract with Python", () => {
  it("covers every kind", () => {
    expect(new Set(FIXTURE.map((event) => event["kind"]))).toEqual(new Set(KINDS));
  });

  it.each(FIXTURE.map((event) => [event["kind"], event]))("reads %s as it was written", (_kind, event) => {
    expect(parseEvent(event)).toEqual(event);
  });

  it("folds the fixture into one finished round", () => {
    const message = parseMessage({ type: "snapshot", state: kernelState(), events: FIXTURE });
    if (message === null) throw new Error("not read");
    const state = reduce(EMPTY, { type: "received", message, at: 0 });
    const [round] = state.rounds;
    expect(state.gap).toBe(false);
    expect(round?.next).toBe(FIXTURE.length);
    expect(round?.parts.map((part) => part.type)).toEqual([
      "thinking",
      "tool",
      "remark",
      "tool",
      "progress",
      "subagent",
      "navigate",
      "answer",
    ]);
    expect(round?.undoable).toBe(true);
    expect(round?.done?.sources.map((source) => source.n)).toEqual([1, 2]);
    expect(state.balance).toBe(41.9875);
  });
});

describe("what this view doesn't know", () => {
  it.each(FIXTURE.filter((event) => Object.keys(event).length > 3).map((event) => [event["kind"], event]))(
    "keeps the place of a %s without its fields",
    (kind, event) => {
      const { round_id, seq } = event;
      expect(parseEvent({ kind, round_id, seq })).toEqual({ kind: "Unreadable", round_id, seq, name: kind });
    },
  );

  it("keeps the place of an unknown kind", () => {
    expect(parseEvent({ kind: "toString", round_id: "r", seq: 4 })).toMatchObject({ kind: "Unreadable", seq: 4 });
  });

  it("refuses what has no place in a round", () => {
    expect(() => parseEvent({ kind: "StreamChunk", text: "x" })).toThrow(/round_id/);
  });

  it("leaves messages of other protocols alone", () => {
    expect(parseMessage({ type: "anywidget-command" })).toBeNull();
    expect(parseMessage("hello")).toBeNull();
  });
});
