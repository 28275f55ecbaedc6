import { describe, expect, it } from "vitest";
import type { Event } from "../src/shared/events";
import { reduce, type State } from "../src/shared/store";
import { events, run, Script, snapshot } from "./building";

/** The same numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed + 1;
  return (sides) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % sides;
  };
}

function conversation(): Event[] {
  return ["a", "b", "c"].flatMap((id) => {
    const script = new Script(id);
    const start = script.start(id);
    const words = Array.from({ length: 8 }, (_, n) => script.say(`${id}${n} `));
    return [start, ...words, script.done()];
  });
}

/** A view that is mounted at some moment. A snapshot comes in order with what is sent, and may be ahead of it. */
function late(all: readonly Event[], throwDie: (sides: number) => number): State {
  const mounted = throwDie(all.length);
  let state = run();
  let turns = 0;
  let asked = true;
  for (let sent = mounted; sent < all.length || asked; ) {
    if (++turns > 500) throw new Error("it asks for ever");
    if (asked && (sent >= all.length || throwDie(3) === 0)) {
      state = reduce(state, snapshot(all.slice(0, sent + throwDie(3)), { busy: sent < all.length }));
      asked = false;
    }
    const upto = Math.min(all.length, sent + 1 + throwDie(4));
    const again = Math.max(0, sent - throwDie(3));
    if (sent < upto) state = reduce(state, events(...all.slice(again, upto)));
    sent = upto;
    asked ||= state.gap;
  }
  return state;
}

describe("views that come late, in any order", () => {
  it("come to hold what one that was there from the start holds", () => {
    const all = conversation();
    const whole = run(snapshot(all)).rounds;
    for (let seed = 0; seed < 500; seed += 1) {
      const state = late(all, dice(seed));
      expect(state.gap, `seed ${seed}`).toBe(false);
      expect(state.rounds, `seed ${seed}`).toEqual(whole);
    }
  });
});
