/** One round as the view shows it, built from its events in order; pure, it never looks outside its arguments. */

import type {
  ApprovalRequest,
  ApprovalResolved,
  Event,
  JsonObject,
  LoopDone,
  LoopError,
  Mode,
  Output,
  RateLimitUpdate,
  RoundStart,
  Tier,
} from "./events";

export type Resolution = Pick<ApprovalResolved, "outcome" | "code" | "diff" | "by" | "for_round">;

export interface Approval {
  id: string;
  code: string | null;
  description: string;
  effects: string[];
  expires_at: number;
  /** A word may be given for the whole round. */
  for_round: boolean;
  resolved: Resolution | null;
  /** What the kernel said to this view's own decision. */
  answer: { ok: boolean; message: string } | null;
}

export interface ToolPart {
  type: "tool";
  call_id: string;
  /** Calls of one step share its number. */
  step: number;
  tool: string;
  arguments: JsonObject;
  outputs: readonly Output[];
  approval: Approval | null;
  finished: { ok: boolean; result: string; elapsed_s: number } | null;
}

export type Part =
  | { type: "thinking"; text: string }
  | { type: "answer"; text: string }
  | { type: "remark"; text: string }
  | ToolPart
  | { type: "progress"; label: string; done: number; total: number | null }
  | { type: "subagent"; task_id: string; title: string; state: string; steps: number; tokens: number; text: string }
  | { type: "navigate"; view: string; target: string }
  | { type: "unreadable"; name: string };

export interface Round {
  id: string;
  text: string;
  mode: Mode;
  tier: Tier;
  host: string;
  /** How many pictures go with the message; its last paragraph names them. */
  pictures: number;
  /** The number that the next event must have. */
  next: number;
  parts: readonly Part[];
  /** The last chunk was this round's undo mark: a button if the round ends now, plain text if more text comes. */
  mark: boolean;
  undoable: boolean;
  errors: readonly LoopError[];
  limit: RateLimitUpdate | null;
  done: LoopDone | null;
}

export function openRound(event: RoundStart): Round {
  return {
    id: event.round_id,
    text: event.text,
    mode: event.mode,
    tier: event.tier,
    host: event.host,
    pictures: event.pictures ?? 0,
    next: event.seq + 1,
    parts: [],
    mark: false,
    undoable: false,
    errors: [],
    limit: null,
    done: null,
  };
}

/** What the user wrote, without the names of pictures below it. */
export function wordsOf({ text, pictures }: Round): string {
  return pictures > 0 ? text.slice(0, text.lastIndexOf("\n\n")) : text;
}

export function undoMark(roundId: string): string {
  return `<!--UNDO:${roundId}-->`;
}

/** Return the round with one more event; the event's number has been checked already. */
export function applyEvent(round: Round, event: Event): Round {
  const next = { ...round, next: event.seq + 1 };
  switch (event.kind) {
    case "StreamChunk":
      return withChunk(next, event.text);
    case "StreamReset":
      return { ...next, parts: asThinking(round.parts), mark: false };
    case "Steer":
      return { ...next, parts: [...round.parts, { type: "remark", text: event.text }] };
    case "ThinkingChunk":
      return { ...next, parts: withText(round.parts, "thinking", event.text) };
    case "ToolStart":
    case "ToolOutput":
    case "ToolFinish":
    case "ApprovalRequest":
    case "ApprovalResolved":
      return { ...next, parts: withTool(round.parts, event) };
    case "Progress":
    case "SubagentUpdate":
    case "NavigateView":
    case "Unreadable":
      return { ...next, parts: withLine(round.parts, event) };
    case "RateLimitUpdate":
      return { ...next, limit: event };
    case "LoopError":
      return { ...next, errors: [...round.errors, event] };
    case "LoopDone":
      return { ...next, done: event, undoable: round.mark, mark: false };
    case "RoundStart":
    case "CreditsUpdate":
    case "StaminaCost":
      return next;
    default:
      return unreachable(event);
  }
}

function unreachable(event: never): never {
  throw new Error(`unhandled event ${JSON.stringify(event)}`);
}

function withChunk(round: Round, text: string): Round {
  const mark = undoMark(round.id);
  const before = round.mark ? withText(round.parts, "answer", mark) : round.parts;
  if (text === mark) return { ...round, mark: true, parts: before };
  return { ...round, mark: false, parts: withText(before, "answer", text) };
}

function withText(parts: readonly Part[], type: "answer" | "thinking", text: string): readonly Part[] {
  const last = parts.at(-1);
  if (last?.type !== type) return text === "" ? parts : [...parts, { type, text }];
  return replaceAt(parts, parts.length - 1, { type, text: last.text + text });
}

/** The text of the running step, which began after the last call or the user's last word, was thinking. */
function asThinking(parts: readonly Part[]): readonly Part[] {
  const begin = parts.findLastIndex((part) => part.type === "tool" || part.type === "remark") + 1;
  let kept: readonly Part[] = parts.slice(0, begin);
  for (const part of parts.slice(begin)) {
    const words = part.type === "answer" || part.type === "thinking";
    kept = words ? withText(kept, "thinking", part.text) : [...kept, part];
  }
  return kept;
}

type ToolEvent = Extract<
  Event,
  { kind: "ToolStart" | "ToolOutput" | "ToolFinish" | "ApprovalRequest" | "ApprovalResolved" }
>;

function withTool(parts: readonly Part[], event: ToolEvent): readonly Part[] {
  const at = parts.findLastIndex((part) => part.type === "tool" && concerns(part, event));
  const found = parts[at];
  const part = found?.type === "tool" ? found : event.kind === "ApprovalResolved" ? null : blank(event, stepOf(parts));
  if (!part) return parts;
  const next = advance(part, event);
  return at < 0 ? [...parts, next] : replaceAt(parts, at, next);
}

function concerns(part: ToolPart, event: ToolEvent): boolean {
  if (event.kind === "ApprovalResolved") return part.approval?.id === event.approval_id;
  return part.call_id === event.call_id && (event.kind !== "ToolStart" || part.finished === null);
}

/** The step that a call which begins now belongs to: the running one while calls of it are open, else a new one. */
function stepOf(parts: readonly Part[]): number {
  const calls = parts.filter((part) => part.type === "tool");
  const last = calls.at(-1)?.step ?? 0;
  return calls.some((call) => call.finished === null) ? last : last + 1;
}

/** Was this call in the last step of a round that was stopped? Then it did not fail by itself. */
export function wasStopped(round: Round, part: ToolPart): boolean {
  const last = round.parts.findLast((each) => each.type === "tool");
  return round.done?.finish === "stopped" && last?.type === "tool" && last.step === part.step;
}

function blank(event: Exclude<ToolEvent, { kind: "ApprovalResolved" }>, step: number): ToolPart {
  const tool = event.kind === "ToolOutput" ? "" : event.tool;
  return {
    type: "tool",
    call_id: event.call_id,
    step,
    tool,
    arguments: {},
    outputs: [],
    approval: null,
    finished: null,
  };
}

function advance(part: ToolPart, event: ToolEvent): ToolPart {
  switch (event.kind) {
    case "ToolStart":
      return { ...part, tool: event.tool, arguments: event.arguments };
    case "ToolOutput":
      return { ...part, outputs: withOutput(part.outputs, event.output) };
    case "ToolFinish": {
      const { ok, result, elapsed_s } = event;
      return { ...part, finished: { ok, result, elapsed_s } };
    }
    case "ApprovalRequest":
      return { ...part, approval: pending(event) };
    case "ApprovalResolved": {
      const { outcome, code, diff, by, for_round } = event;
      const resolved: Resolution = { outcome, code, diff, by, for_round };
      return part.approval ? { ...part, approval: { ...part.approval, resolved } } : part;
    }
  }
}

/** What is printed piece by piece is one text. */
function withOutput(outputs: readonly Output[], output: Output): readonly Output[] {
  const last = outputs.at(-1);
  const goesOn = output.output_type === "stream" && last?.output_type === "stream" && last["name"] === output["name"];
  if (!goesOn) return [...outputs, output];
  return [...outputs.slice(0, -1), { ...last, text: `${last["text"]}${output["text"]}` }];
}

function pending(event: ApprovalRequest): Approval {
  const { approval_id: id, code, description, effects, expires_at, for_round } = event;
  return { id, code, description, effects, expires_at, for_round, resolved: null, answer: null };
}

type LineEvent = Extract<Event, { kind: "Progress" | "SubagentUpdate" | "NavigateView" | "Unreadable" }>;

function withLine(parts: readonly Part[], event: LineEvent): readonly Part[] {
  const line = lineOf(event);
  const at = parts.findLastIndex(
    (part) =>
      (part.type === "progress" && line.type === "progress" && part.label === line.label) ||
      (part.type === "subagent" && line.type === "subagent" && part.task_id === line.task_id),
  );
  return at < 0 ? [...parts, line] : replaceAt(parts, at, line);
}

function lineOf(event: LineEvent): Part {
  switch (event.kind) {
    case "Progress":
      return { type: "progress", label: event.label, done: event.done, total: event.total };
    case "SubagentUpdate":
      return {
        type: "subagent",
        task_id: event.task_id,
        title: event.title,
        state: event.state,
        steps: event.steps,
        tokens: event.tokens,
        text: event.text,
      };
    case "NavigateView":
      return { type: "navigate", view: event.view, target: event.target };
    case "Unreadable":
      return { type: "unreadable", name: event.name };
  }
}

function replaceAt(parts: readonly Part[], at: number, part: Part): readonly Part[] {
  const next = parts.slice();
  next[at] = part;
  return next;
}
