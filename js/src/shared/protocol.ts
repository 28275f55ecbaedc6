/** The messages between a view and the kernel: their types and the check of what arrives; it knows no transport. */

import { type Event, isObject, parseEvent, type Tier } from "./events";

/** The way to the kernel, whatever carries it. `onMessage` returns its own undoing. */
export interface Port {
  send(message: ToKernel): void;
  onMessage(listen: (message: unknown) => void): () => void;
}

export type AskMode = "chat" | "agent";

export type ToKernel =
  | { type: "hello"; view: string }
  | { type: "ask"; text: string; mode: AskMode; research: boolean }
  | { type: "stop" }
  | { type: "cancel_task"; task_id: string }
  | {
      type: "decide";
      approval_id: string;
      action: "approve" | "reject";
      /** null: as proposed. */
      code: string | null;
      reason: string;
    }
  | { type: "undo"; round_id: string };

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
  /** This view shows one round only: a new one would not be seen here. */
  single: boolean;
  /** Unix seconds by the kernel's clock. */
  now: number;
  notice: string;
  /** By round, the calls whose data has changed since. */
  stale: { [round: string]: readonly string[] };
}

export type FromKernel =
  | { type: "snapshot"; state: KernelState; events: Event[] }
  | { type: "events"; events: Event[] }
  | { type: "state"; state: KernelState }
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
    single: value["single"] === true,
    now: count(value["now"]),
    notice: text(value["notice"]),
    stale: parseStale(value["stale"]),
  };
}

function parseStale(value: unknown): KernelState["stale"] {
  if (!isObject(value)) return {};
  const lists = Object.entries(value).map(([round, calls]) => [round, Array.isArray(calls) ? calls.map(String) : []]);
  return Object.fromEntries(lists);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);
