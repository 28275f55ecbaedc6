/** The events of a round as Python writes them: their types and the check of what arrives; it never acts on them. */

export type Mode = "chat" | "research" | "agent";
export type Tier = "lite" | "zephyr" | "tempest" | "byok";
export type Outcome = "approved" | "edited" | "rejected" | "expired" | "cancelled";
/** Who decided an approval; `round`: an earlier word of the user's for the whole round. */
export type Decider = "user" | "policy" | "round" | "tape" | "nobody";
export type Finish = "answer" | "rule" | "stopped" | "budget" | "timeout" | "tool_failed" | "no_progress" | "error";
export type Span = [number, number];
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface Usage {
  input: number;
  output: number;
  cached: number;
  reasoning: number;
  total: number;
  steps: number;
}

/** A number of an answer as it is written there, and the call it came out of. */
export interface NumberLink {
  text: string;
  call_id: string;
}

export interface Source {
  n: number;
  kind: "note" | "table";
  content_id: string;
  title: string;
  span: Span | null;
  table: string | null;
  version: number | null;
  rows: Span | null;
}

/** One nbformat v4 output. */
export type Output = { output_type: string } & JsonObject;

interface Stamped<K extends string> {
  kind: K;
  round_id: string;
  seq: number;
}

export interface RoundStart extends Stamped<"RoundStart"> {
  text: string;
  mode: Mode;
  tier: Tier;
  host: string;
  /** How many pictures go with it; the text's last paragraph names them. */
  pictures?: number;
}
export interface StreamChunk extends Stamped<"StreamChunk"> {
  text: string;
}
/** What this step has streamed as text turned out to be thinking. */
export type StreamReset = Stamped<"StreamReset">;
/** The user wrote while the round ran. */
export interface Steer extends Stamped<"Steer"> {
  text: string;
}
export interface ThinkingChunk extends Stamped<"ThinkingChunk"> {
  text: string;
}
export interface ToolStart extends Stamped<"ToolStart"> {
  call_id: string;
  tool: string;
  arguments: JsonObject;
}
export interface ToolOutput extends Stamped<"ToolOutput"> {
  call_id: string;
  output: Output;
}
export interface ToolFinish extends Stamped<"ToolFinish"> {
  call_id: string;
  tool: string;
  ok: boolean;
  result: string;
  elapsed_s: number;
}
export interface ApprovalRequest extends Stamped<"ApprovalRequest"> {
  approval_id: string;
  call_id: string;
  tool: string;
  code: string | null;
  description: string;
  effects: string[];
  expires_at: number;
  /** A word may be given for the whole round. */
  for_round: boolean;
}
export interface ApprovalResolved extends Stamped<"ApprovalResolved"> {
  approval_id: string;
  outcome: Outcome;
  code: string | null;
  diff: string;
  by: Decider;
  /** The word also holds for what later in the round can do no more. */
  for_round: boolean;
}
export interface Progress extends Stamped<"Progress"> {
  label: string;
  done: number;
  total: number | null;
}
export interface SubagentUpdate extends Stamped<"SubagentUpdate"> {
  task_id: string;
  title: string;
  state: string;
  steps: number;
  tokens: number;
  text: string;
}
export interface NavigateView extends Stamped<"NavigateView"> {
  view: string;
  target: string;
}
export interface RateLimitUpdate extends Stamped<"RateLimitUpdate"> {
  scope: string;
  limit: number | null;
  remaining: number | null;
  reset_s: number | null;
}
export interface StaminaCost extends Stamped<"StaminaCost"> {
  amount: number;
  remaining: number;
}
export interface CreditsUpdate extends Stamped<"CreditsUpdate"> {
  spent: number;
  balance: number;
}
export interface LoopError extends Stamped<"LoopError"> {
  code: string;
  message: string;
  retryable: boolean;
}
export interface LoopDone extends Stamped<"LoopDone"> {
  finish: Finish;
  usage: Usage;
  sources: Source[];
  numbers: NumberLink[];
  /** By unit, `credits` or a currency; empty where nobody knows the price. */
  cost?: { [unit: string]: number };
}

/** What arrived in a form this view doesn't know (a newer kernel): it keeps its place, and is shown as such. */
export interface Unreadable extends Stamped<"Unreadable"> {
  name: string;
}

export type Event =
  | RoundStart
  | StreamChunk
  | StreamReset
  | Steer
  | ThinkingChunk
  | ToolStart
  | ToolOutput
  | ToolFinish
  | ApprovalRequest
  | ApprovalResolved
  | Progress
  | SubagentUpdate
  | NavigateView
  | RateLimitUpdate
  | StaminaCost
  | CreditsUpdate
  | LoopError
  | LoopDone
  | Unreadable;

type Check = (value: unknown) => boolean;
const string: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number";
const boolean: Check = (value) => typeof value === "boolean";
const object: Check = (value) => isObject(value);
const maybe =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const output: Check = (value) => isObject(value) && typeof value["output_type"] === "string";
const source: Check = (value) => isObject(value) && number(value["n"]) && string(value["title"]);
const link: Check = (value) => isObject(value) && string(value["text"]) && string(value["call_id"]);
const amounts: Check = (value) => isObject(value) && Object.values(value).every(number);
const usage: Check = (value) => isObject(value) && number(value["total"]) && number(value["steps"]);

const FIELDS: { [K in Exclude<Event["kind"], "Unreadable">]: { [field: string]: Check } } = {
  RoundStart: { text: string, mode: string, tier: string, host: string, pictures: optional(number) },
  Steer: { text: string },
  StreamChunk: { text: string },
  StreamReset: {},
  ThinkingChunk: { text: string },
  ToolStart: { call_id: string, tool: string, arguments: object },
  ToolOutput: { call_id: string, output },
  ToolFinish: { call_id: string, tool: string, ok: boolean, result: string, elapsed_s: number },
  ApprovalRequest: {
    approval_id: string,
    call_id: string,
    tool: string,
    code: maybe(string),
    description: string,
    effects: list(string),
    expires_at: number,
    for_round: boolean,
  },
  ApprovalResolved: {
    approval_id: string,
    outcome: string,
    code: maybe(string),
    diff: string,
    by: string,
    for_round: boolean,
  },
  Progress: { label: string, done: number, total: maybe(number) },
  SubagentUpdate: { task_id: string, title: string, state: string, steps: number, tokens: number, text: string },
  NavigateView: { view: string, target: string },
  RateLimitUpdate: { scope: string, limit: maybe(number), remaining: maybe(number), reset_s: maybe(number) },
  StaminaCost: { amount: number, remaining: number },
  CreditsUpdate: { spent: number, balance: number },
  LoopError: { code: string, message: string, retryable: boolean },
  LoopDone: { finish: string, usage, sources: list(source), numbers: list(link), cost: optional(amounts) },
};

export const KINDS = Object.keys(FIELDS);

export function isObject(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Return the event, or `Unreadable` in its place; throws only for what has no round and number at all. */
export function parseEvent(value: unknown): Event {
  if (!isObject(value) || typeof value["round_id"] !== "string" || typeof value["seq"] !== "number") {
    throw new Error("not an event: round_id and seq are missing");
  }
  const kind = String(value["kind"]);
  const fields = Object.hasOwn(FIELDS, kind) ? FIELDS[kind as keyof typeof FIELDS] : undefined;
  if (fields && Object.entries(fields).every(([field, check]) => check(value[field]))) {
    return value as unknown as Event;
  }
  return { kind: "Unreadable", round_id: value["round_id"], seq: value["seq"], name: kind };
}
