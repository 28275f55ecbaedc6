/** What the view knows, and the one pure function that moves it on; it never draws, sends or looks at a clock. */

import type { Event } from "./events";
import type { FromKernel, KernelState } from "./protocol";
import { applyEvent, openRound, type Round } from "./round";

/** What the user wrote while a round ran; it is no event, so the view itself remembers where it was said. */
export interface Remark {
  round_id: string;
  /** It stands after this many parts of the round. */
  after: number;
  text: string;
}

export interface State {
  /** null until the first snapshot. */
  kernel: KernelState | null;
  /** Seconds the kernel's clock is ahead of this machine's. */
  skew: number;
  rounds: readonly Round[];
  remarks: readonly Remark[];
  /** Messages sent that no round has begun with yet. */
  outbox: readonly string[];
  /** Something was missed: the view has to ask for a snapshot. */
  gap: boolean;
  balance: number | null;
}

/** `at` is this machine's Unix time in seconds when the message came. */
export type Action = { type: "received"; message: FromKernel; at: number } | { type: "asked"; text: string };

export const EMPTY: State = {
  kernel: null,
  skew: 0,
  rounds: [],
  remarks: [],
  outbox: [],
  gap: false,
  balance: null,
};

export function reduce(state: State, action: Action): State {
  if (action.type === "asked") return asked(state, action.text);
  const { message, at } = action;
  switch (message.type) {
    case "snapshot":
      return withKernel(fromSnapshot(state, message.events), message.state, at);
    case "events":
      return message.events.reduce(apply, state);
    case "state":
      return withKernel(notice(state, message.state), message.state, at);
    case "decided":
      return { ...state, rounds: state.rounds.map((round) => markDecided(round, message)) };
  }
}

/** Is this round going on? Only the last one can be, and only while the kernel says that it works. */
export function isRunning(state: State, round: Round): boolean {
  return round.done === null && state.kernel?.busy === true && state.rounds.at(-1) === round;
}

/** Is there something to stop or to steer? The kernel's word may be a moment older than the last round's end. */
export function isBusy(state: State): boolean {
  if (state.kernel?.busy !== true) return false;
  const ended = state.rounds.at(-1)?.done !== null;
  return !ended || state.kernel.queued > 0 || state.outbox.length > 0;
}

function asked(state: State, text: string): State {
  const last = state.rounds.at(-1);
  if (last && isRunning(state, last)) {
    const remark = { round_id: last.id, after: last.parts.length, text };
    return { ...state, remarks: [...state.remarks, remark] };
  }
  return { ...state, outbox: [...state.outbox, text] };
}

function withKernel(state: State, kernel: KernelState, at: number): State {
  return { ...state, kernel, skew: kernel.now > 0 ? kernel.now - at : state.skew };
}

/** A kernel at rest while a round here is open means that its end was lost on the way. */
function notice(state: State, next: KernelState): State {
  const open = state.kernel?.busy === true && !next.busy && state.rounds.at(-1)?.done === null;
  return open ? { ...state, gap: true } : state;
}

/** A snapshot replaces all; but a round of which more was heard already keeps what was heard. */
function fromSnapshot(state: State, events: readonly Event[]): State {
  const fresh = events.reduce(apply, { ...state, rounds: [], outbox: [], gap: false });
  const held = new Map(state.rounds.map((round) => [round.id, round]));
  const rounds = fresh.rounds.map((round) => {
    const ours = held.get(round.id);
    return ours && ours.next >= round.next ? ours : round;
  });
  const known = new Set(rounds.map((round) => round.id));
  const remarks = state.remarks.filter((remark) => known.has(remark.round_id));
  const begun = rounds.filter((round) => !held.has(round.id));
  const outbox = begun.reduce((left, round) => without(left, round.text), state.outbox);
  return { ...fresh, rounds, remarks, outbox };
}

function apply(state: State, event: Event): State {
  const at = state.rounds.findLastIndex((round) => round.id === event.round_id);
  const round = state.rounds[at];
  if (!round) {
    if (event.kind !== "RoundStart" || event.seq !== 0) return { ...state, gap: true };
    const kernel = state.kernel && { ...state.kernel, busy: true };
    const outbox = without(state.outbox, event.text);
    return { ...state, kernel, outbox, rounds: [...state.rounds, openRound(event)] };
  }
  if (event.seq < round.next) return state;
  if (event.seq > round.next) return state.gap ? state : { ...state, gap: true };
  const rounds = state.rounds.slice();
  rounds[at] = applyEvent(round, event);
  const balance = event.kind === "CreditsUpdate" ? event.balance : state.balance;
  return { ...state, rounds, balance };
}

function without(outbox: readonly string[], text: string): readonly string[] {
  const first = outbox.indexOf(text);
  return first < 0 ? outbox : outbox.filter((_, index) => index !== first);
}

function markDecided(round: Round, message: Extract<FromKernel, { type: "decided" }>): Round {
  const hit = round.parts.some((part) => part.type === "tool" && part.approval?.id === message.approval_id);
  if (!hit) return round;
  const answer = { ok: message.ok, message: message.message };
  const parts = round.parts.map((part) =>
    part.type === "tool" && part.approval?.id === message.approval_id
      ? { ...part, approval: { ...part.approval, answer } }
      : part,
  );
  return { ...round, parts };
}
