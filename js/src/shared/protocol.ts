/** The messages between a view and the kernel: their types and the check of what arrives; it knows no transport. */

import { type Event, isObject, parseEvent, type Tier } from "./events";
import { type Intake, type Page, parseIntake, parsePage, type Wanted } from "./pages";

export type { Page, Wanted } from "./pages";

/** The way to the kernel, whatever carries it. `onMessage` returns its own undoing. */
export interface Port {
  send(message: ToKernel): void;
  onMessage(listen: (message: unknown) => void): () => void;
}

/** What a word being typed may become: `text` takes its place. */
export interface Choice {
  kind: string;
  label: string;
  text: string;
  about: string;
}

export interface Choices {
  prefix: string;
  choices: readonly Choice[];
}

/** What comes only when it is needed. */
export type ModuleName = "editor" | "math";

export type AskMode = "chat" | "agent";

/** A message of the user's. */
export interface Asked {
  text: string;
  /** null: as the kernel has it. */
  mode: AskMode | null;
  research: boolean;
  /** Pictures as data URLs. */
  images?: readonly string[];
  /** The round whose place this one takes; where it was `edited`, what followed it leaves the context too. */
  instead?: string;
  edited?: boolean;
}

/** Why a round has left the context. */
export type Why = "retried" | "edited" | "deleted";

/** A tier as it may be chosen here; `why` says why it can't be. */
export interface TierChoice {
  tier: Tier;
  host: string;
  why: string;
}

export type ToKernel =
  /** `language`: the page's, where it is not English, which leaves it to the conversation. */
  | { type: "hello"; view: string; language?: "zh" }
  | ({ type: "ask" } & Asked)
  /** Let the model get a round, or not any more. */
  | { type: "context"; round_id: string; in_context: boolean }
  /** Answer and work like this from the next message on. */
  | { type: "set"; tier?: Tier; mode?: AskMode }
  /** What may the word being typed become? */
  | { type: "complete"; prefix: string }
  | { type: "stop" }
  /** Send a module's source; only a view inside an output asks for it. */
  | { type: "module"; name: ModuleName }
  /** Give the code that was approved, as cells of a notebook. */
  | { type: "export"; form: "cells" }
  | { type: "cancel_task"; task_id: string }
  | ({ type: "open" } & Wanted)
  /** Take in the file or folder of this path, on the kernel's machine. */
  | { type: "add"; path: string }
  | { type: "cancel_add" }
  /** Delete a memory card; `after` is opened once it is done. */
  | { type: "forget"; id: string; after: Wanted }
  | {
      type: "decide";
      approval_id: string;
      action: "approve" | "reject";
      /** null: as proposed. */
      code: string | null;
      reason: string;
      /** Let it hold for what later in the round can do no more. */
      for_round: boolean;
    }
  /** Ask once more about what nobody decided. */
  | { type: "run_again"; approval_id: string }
  | { type: "undo"; round_id: string; after?: Wanted };

export interface LibraryState {
  notes: number;
  tables: number;
  embedder: string;
}

export interface KernelState {
  tier: Tier;
  model: string;
  host: string;
  mode: string;
  language: "en" | "zh";
  busy: boolean;
  queued: number;
  library: LibraryState | null;
  /** Where code runs. */
  place: string;
  /** A cell of the user's is running there, and what is approved runs after it. */
  cell_running: boolean;
  /** This view shows one round only: a new one would not be seen here. */
  single: boolean;
  /** Unix seconds by the kernel's clock. */
  now: number;
  notice: string;
  tiers: readonly TierChoice[];
  /** By round, why the model no longer gets it. */
  aside: { [round: string]: Why };
  /** By round, the calls whose data has changed since. */
  stale: { [round: string]: readonly string[] };
}

export type FromKernel =
  | { type: "snapshot"; state: KernelState; events: Event[] }
  | { type: "events"; events: Event[] }
  | { type: "state"; state: KernelState }
  | { type: "page"; page: Page }
  | ({ type: "intake" } & Intake)
  | ({ type: "choices" } & Choices)
  | { type: "decided"; approval_id: string; ok: boolean; message: string };

/** Return the message, or null for one that isn't of this protocol; throws for one that is and is malformed. */
export function parseMessage(value: unknown): FromKernel | null {
  if (!isObject(value)) return null;
  switch (value["type"]) {
    case "snapshot":
      return { type: "snapshot", state: parseState(value["state"]), events: parseEvents(value["events"]) };
    case "events":
      return { type: "events", events: parseEvents(value["events"]) };
    case "state":
      return { type: "state", state: parseState(value["state"]) };
    case "page":
      return { type: "page", page: parsePage(value["page"]) };
    case "intake":
      return { type: "intake", ...parseIntake(value) };
    case "choices":
      return { type: "choices", prefix: text(value["prefix"]), choices: parseChoices(value["choices"]) };
    case "decided":
      return {
        type: "decided",
        approval_id: String(value["approval_id"]),
        ok: value["ok"] === true,
        message: text(value["message"]),
      };
    default:
      return null;
  }
}

function parseEvents(value: unknown): Event[] {
  if (!Array.isArray(value)) throw new Error("events must be a list");
  return value.map(parseEvent);
}

function parseState(value: unknown): KernelState {
  if (!isObject(value)) throw new Error("state must be an object");
  const library = value["library"];
  return {
    tier: text(value["tier"]) as Tier,
    model: text(value["model"]),
    host: text(value["host"]),
    mode: text(value["mode"]),
    language: value["language"] === "zh" ? "zh" : "en",
    busy: value["busy"] === true,
    queued: count(value["queued"]),
    library: isObject(library)
      ? {
          notes: count(library["notes"]),
          tables: count(library["tables"]),
          embedder: text(library["embedder"]),
        }
      : null,
    place: text(value["place"]),
    cell_running: value["cell_running"] === true,
    single: value["single"] === true,
    now: count(value["now"]),
    notice: text(value["notice"]),
    tiers: array(value["tiers"])
      .filter(isObject)
      .map((each) => ({ tier: text(each["tier"]) as Tier, host: text(each["host"]), why: text(each["why"]) })),
    aside: isObject(value["aside"]) ? (value["aside"] as KernelState["aside"]) : {},
    stale: parseStale(value["stale"]),
  };
}

function parseChoices(value: unknown): Choice[] {
  return array(value)
    .filter(isObject)
    .map((each) => ({
      kind: text(each["kind"]),
      label: text(each["label"]),
      text: text(each["text"]),
      about: text(each["about"]),
    }));
}

const array = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function parseStale(value: unknown): KernelState["stale"] {
  if (!isObject(value)) return {};
  const lists = Object.entries(value).map(([round, calls]) => [round, Array.isArray(calls) ? calls.map(String) : []]);
  return Object.fromEntries(lists);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);
