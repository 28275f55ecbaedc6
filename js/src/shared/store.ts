/** What the view knows, and the one pure function that moves it on; it never draws, sends or looks at a clock. */

import type { Event } from "./events";
import { arrived, asking, closed, NOTHING_OPEN, type Opened, stepBack } from "./opening";
import type { Choices, FromKernel, KernelState, Wanted } from "./protocol";
import { applyEvent, openRound, type Round } from "./round";

export interface State extends Opened {
  /** null until the first snapshot. */
  kernel: KernelState | null;
  /** Seconds the kernel's clock is ahead of this machine's. */
  skew: number;
  rounds: readonly Round[];
  /** Messages sent that no round has begun with, or heard, yet. */
  outbox: readonly string[];
  /** Something was missed: the view has to ask for a snapshot. */
  gap: boolean;
  balance: number | null;
  /** The round whose message is being edited. */
  editing: string | null;
  /** Messages that the kernel took no round for: they can be had back. */
  unsent: readonly string[];
  /** What the word being typed may become. */
  choices: Choices | null;
}

/** `at` is this machine's Unix time in seconds when the message came. */
export type Action =
  | { type: "received"; message: FromKernel; at: number }
  | { type: "asked"; text: string }
  /** A message that the kernel has not heard is taken back. */
  | { type: "withdrawn"; text: string }
  | { type: "editing"; round_id: string | null }
  | { type: "asking"; wanted: Wanted }
  | { type: "stepped back" }
  | { type: "closed" };

export const EMPTY: State = {
  ...NOTHING_OPEN,
  kernel: null,
  skew: 0,
  rounds: [],
  outbox: [],
  gap: false,
  balance: null,
  editing: null,
  unsent: [],
  choices: null,
};

export function reduce(state: State, action: Action): State {
  if (action.type === "asked") return { ...closed(state), editing: null, outbox: [...state.outbox, action.text] };
  if (action.type === "withdrawn") return { ...state, outbox: without(state.outbox, action.text) };
  if (action.type === "editing") return { ...closed(state), editing: action.round_id };
  if (action.type === "closed") return closed(state);
  if (action.type === "asking") return asking(state, action.wanted);
  if (action.type === "stepped back") return stepBack(state);
  const { message, at } = action;
  switch (message.type) {
    case "snapshot":
      return withKernel(fromSnapshot(state, message.events), message.state, at);
    case "events":
      return message.events.reduce(apply, state);
    case "state":
      return withKernel(refused(notice(state, message.state), message.state), message.state, at);
    case "choices":
      return { ...state, choices: message };
    case "page":
      return arrived(state, message.page);
    case "intake":
      return { ...state, intake: message };
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

function withKernel(state: State, kernel: KernelState, at: number): State {
  return { ...state, kernel, skew: kernel.now > 0 ? kernel.now - at : state.skew };
}

/** A word from a kernel at rest tells why what was sent last began no round. */
function refused(state: State, next: KernelState): State {
  if (next.busy || next.notice === "" || state.outbox.length === 0) return state;
  return { ...state, outbox: [], unsent: [...state.unsent, ...state.outbox] };
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
  const heard = rounds.flatMap((round) => heardSince(round, held.get(round.id)));
  return { ...fresh, rounds, outbox: heard.reduce(without, state.outbox) };
}

/** What the user said that `round` holds and `before` did not yet. */
function heardSince(round: Round, before: Round | undefined): string[] {
  const remarks = round.parts.flatMap((part) => (part.type === "remark" ? [part.text] : []));
  if (!before) return [round.text, ...remarks];
  return remarks.slice(before.parts.filter((part) => part.type === "remark").length);
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
  const outbox = event.kind === "Steer" ? without(state.outbox, event.text) : state.outbox;
  return { ...state, rounds, balance, outbox };
}

/** `text` is what was heard: without the sign that calls for a model, and with the names of pictures below. */
function without(outbox: readonly string[], text: string): readonly string[] {
  const heard = text.trim();
  const first = outbox.findIndex((sent) => {
    const words = sent.replace(/^\s*\/\//, "").trim();
    return words === heard || (heard.startsWith(words) && /^\s*\n\n/.test(heard.slice(words.length)));
  });
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
