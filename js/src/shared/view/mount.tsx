/** Puts the view into an element and keeps it in step with the kernel behind a port, until it is disposed. */

import { render } from "preact";
import type { Event } from "../events";
import { hello } from "../hello";
import type { Host } from "../host";
import type { Page, Port, ToKernel, Wanted } from "../protocol";
import { parseMessage } from "../protocol";
import { type Action, EMPTY, reduce, type State } from "../store";
import { guessLanguage, type Say, speaker } from "../strings";
import { App } from "./app";
import type { Modules, Surroundings } from "./context";
import { keepKeys } from "./host_keys";
import { PageAlone } from "./page_alone";

export type { Modules } from "./context";

const FRAME_MS = 16;
/** Where drawing is slow it is done less often, so that typing and scrolling keep their share of the time. */
const DRAW_SHARE = 5;
const DRAW_MAX_MS = 100;
const HELLO_MS = [4_000, 8_000, 16_000, 32_000];

/** What is around the view. */
export interface Around {
  host?: Host;
  /** Show this alone, without the conversation. */
  alone?: Wanted;
  /** A page is shown, which is what was wanted last. */
  onPage?: (page: Page, wanted: Wanted) => void;
}

/** Mount the view; returns its disposal. `modules` brings what a host may have to send for. */
export function mount(element: HTMLElement, port: Port, modules: Modules, around: Around = {}): () => void {
  const chat = new Chat(element, port, modules, around);
  return () => chat.dispose();
}

class Chat {
  private state: State = EMPTY;
  private say: Say = speaker(guessLanguage());
  private surroundings: Surroundings;
  private readonly abort = new AbortController();
  private readonly view = crypto.randomUUID?.() ?? String(Math.random());
  private readonly stopListening: () => void;
  private drawing: ReturnType<typeof setTimeout> | undefined;
  private asking: ReturnType<typeof setTimeout> | undefined;
  private lastCost = 0;
  private slow = false;
  private gone = false;
  private broken = "";
  constructor(
    private readonly root: HTMLElement,
    private readonly port: Port,
    private readonly modules: Modules,
    private readonly around: Around,
  ) {
    this.surroundings = this.surround();
    root.classList.add("nph");
    keepKeys(root, this.abort.signal);
    this.stopListening = port.onMessage((message) => this.receive(message));
    this.hello(0);
    this.draw();
  }

  dispose(): void {
    this.abort.abort();
    this.stopListening();
    clearTimeout(this.drawing);
    clearTimeout(this.asking);
    render(null, this.root);
  }

  private surround(): Surroundings {
    const { host = {} } = this.around;
    const { detach } = host;
    return {
      say: this.say,
      send: (message) => this.send(message),
      ask: (asked) => {
        const sent = this.send({ type: "ask", ...asked });
        if (sent) this.act({ type: "asked", text: asked.text });
        return sent;
      },
      withdraw: (text) => this.act({ type: "withdrawn", text }),
      edit: (round_id) => this.act({ type: "editing", round_id }),
      close: () => (this.around.alone ? host.back?.() : this.act({ type: "closed" })),
      back: () => this.back(),
      insert: host.insert,
      detach: detach && (() => this.wanted && detach(this.wanted, this.state.page?.title ?? "")),
      ...this.modules,
      now: () => Date.now() / 1000 + this.state.skew,
    };
  }

  /** Ask for everything; again, less and less often, while no snapshot comes (it may be lost on the way). */
  private hello(attempt: number): void {
    clearTimeout(this.asking);
    this.send(hello(this.view));
    const wait = HELLO_MS[Math.min(attempt, HELLO_MS.length - 1)];
    this.asking = setTimeout(() => {
      this.slow = true;
      this.schedule();
      this.hello(attempt + 1);
    }, wait);
  }

  /** Note what is asked for, so that the page that comes can be told from those asked for before. */
  private ticketed(message: ToKernel): ToKernel {
    if (message.type === "open") {
      const { type: _, ...wanted } = message;
      this.act({ type: "asking", wanted });
      return { ...message, ticket: this.state.ticket };
    }
    if (!("after" in message) || !message.after) return message;
    this.act({ type: "asking", wanted: message.after });
    return { ...message, after: { ...message.after, ticket: this.state.ticket } };
  }

  /** What was to be opened last. */
  private get wanted(): Wanted | undefined {
    return this.state.trail.at(-1) ?? this.around.alone;
  }

  /** Open what an event points to as it comes: its round may have ended before it was drawn. */
  private follow(events: readonly Event[]): void {
    const found = events.findLast((event) => event.kind === "NavigateView");
    if (found?.kind !== "NavigateView") return;
    if (found.view === "chat") this.act({ type: "closed" });
    else this.send({ type: "open", view: found.view, target: found.target });
  }

  private back(): void {
    const wanted = this.state.trail.at(-2);
    if (!wanted) return;
    this.act({ type: "stepped back" });
    this.send({ type: "open", ...wanted });
  }

  private send(message: ToKernel): boolean {
    try {
      this.port.send(this.ticketed(message));
      return true;
    } catch {
      // The edge to the kernel: a channel that was closed throws, whatever carries it.
      this.gone = true;
      this.schedule();
      return false;
    }
  }

  private receive(raw: unknown): void {
    try {
      const message = parseMessage(raw);
      if (message === null) return;
      if (message.type === "snapshot") {
        clearTimeout(this.asking);
        this.slow = false;
        this.gone = false;
      }
      this.act({ type: "received", message, at: Date.now() / 1000 });
      const { around, wanted } = this;
      if (message.type === "snapshot" && around.alone && wanted) this.send({ type: "open", ...wanted });
      if (message.type === "events" && !around.alone) this.follow(message.events);
      if (message.type === "page" && wanted) around.onPage?.(message.page, wanted);
    } catch (error) {
      // The edge to the kernel: what can't be read is said in the view, and what was shown stays.
      this.broken = error instanceof Error ? error.message : String(error);
      this.schedule();
    }
  }

  private act(action: Action): void {
    const before = this.state;
    this.state = reduce(before, action);
    if (this.state.gap && !before.gap) this.hello(0);
    // Code may soon be proposed: the editor is there by then.
    if (this.state.kernel?.busy && !before.kernel?.busy) this.modules.editor().catch(() => undefined);
    const language = this.state.kernel?.language;
    if (language && language !== before.kernel?.language) {
      this.say = speaker(language);
      this.surroundings = this.surround();
      this.root.lang = language === "zh" ? "zh-CN" : "en";
    }
    this.schedule();
  }

  private schedule(): void {
    if (this.drawing !== undefined) return;
    const wait = Math.min(DRAW_MAX_MS, this.lastCost * DRAW_SHARE);
    this.drawing = setTimeout(() => this.draw(), Math.max(FRAME_MS, wait));
  }

  private draw(): void {
    this.drawing = undefined;
    const begun = performance.now();
    const { state, surroundings, slow, gone, broken } = this;
    const trouble = { slow, gone, broken };
    const View = this.around.alone ? PageAlone : App;
    render(<View state={state} surroundings={surroundings} trouble={trouble} />, this.root);
    this.lastCost = performance.now() - begun;
  }
}
