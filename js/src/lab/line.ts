/** The way from the panel to one notebook's kernel, whatever becomes of that; it draws nothing. */

import type { ISessionContext } from "@jupyterlab/apputils";
import type { Kernel } from "@jupyterlab/services";
import { Signal } from "@lumino/signaling";
import { hello } from "../shared/hello";
import type { Port, ToKernel } from "../shared/protocol";
import { ANNOUNCE, Channel, forget } from "./channel";

/** How it stands between the panel and the kernel. */
export type Standing =
  | {
      kind:
        | "no_kernel"
        | "dead"
        | "restarting"
        | "looking"
        | "absent"
        | "restarted"
        | "loading"
        | "connected"
        | "deaf"
        | "lost";
    }
  | { kind: "foreign" | "failed" | "trouble"; reason: string };

const LOAD = [
  'get_ipython().extension_manager.load_extension("nephele_nb")',
  '__import__("importlib").import_module("nephele_nb.panel").announce()',
].join("\n");

/** A message with the place it is from: what that asks is answered to it alone. */
type Placed = ToKernel & { place?: string };
type Listener = (message: unknown) => void;

/** It looks for an agent only once it is used; till then it only listens for the kernel's announcement. */
export class Line implements Port {
  readonly changed = new Signal<this, void>(this);
  private standing_: Standing = { kind: "no_kernel" };
  private used = false;
  /** The kernel was restarted under the conversation that is shown. */
  private cut = false;
  private kernel: Kernel.IKernelConnection | null = null;
  private channel: Channel | null = null;
  /** Counts attempts: what an earlier one finds out no longer matters. */
  private attempt = 0;
  /** Who listens, by place; the conversation itself is at none. */
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly leave = (): void => this.hangUp();

  constructor(private readonly context: ISessionContext) {
    context.kernelChanged.connect(this.onKernel, this);
    context.statusChanged.connect(this.onStatus, this);
    context.connectionStatusChanged.connect(this.onConnection, this);
    window.addEventListener("pagehide", this.leave);
    this.onKernel();
  }

  get standing(): Standing {
    return this.standing_;
  }

  /** Connect, as soon as there is something to connect to. */
  use(): void {
    if (this.used) return;
    this.used = true;
    void this.connect();
  }

  /** Send to the kernel; throws where none listens. A hello is said anyway once one does. */
  send(message: Placed): void {
    if (this.channel && this.standing_.kind === "connected") this.channel.send(message);
    else if (message.type !== "hello") throw new Error("No kernel listens.");
  }

  onMessage(listen: Listener): () => void {
    return this.listen("", listen);
  }

  /** A way of its own over this line, for one place beside the conversation. */
  at(place: string): Port {
    return {
      send: (message) => this.send({ ...message, place }),
      onMessage: (listen) => this.listen(place, listen),
    };
  }

  /** Look for the agent; connect if it is there. */
  async connect(): Promise<void> {
    const attempt = this.begin();
    const { kernel } = this;
    if (!kernel || kernel.isDisposed) return this.stand({ kind: "no_kernel" });
    if (!this.used) return;
    if (!kernel.handleComms) return this.stand({ kind: "deaf" });
    this.stand({ kind: "looking" });
    try {
      const channel = await Channel.to(kernel);
      const found = attempt === this.attempt && (await channel.isAnnounced());
      if (attempt !== this.attempt) return channel.close();
      if (!found) {
        channel.close();
        forget(kernel.id);
        return await this.explainAbsence(kernel, attempt);
      }
      this.open(channel);
    } catch (error) {
      // The edge to the kernel: it may end or restart at any moment, which is then told by its status.
      if (attempt === this.attempt && !kernel.isDisposed) this.stand({ kind: "failed", reason: words(error) });
    }
  }

  /** Load the extension in the kernel, at the person's wish; nothing of it shows in the notebook. */
  async load(): Promise<void> {
    const { kernel } = this;
    if (!kernel) return;
    const attempt = this.begin();
    this.stand({ kind: "loading" });
    try {
      const request = { code: LOAD, silent: true, store_history: false, stop_on_error: false, allow_stdin: true };
      const { content } = await kernel.requestExecute(request).done;
      if (attempt !== this.attempt) return;
      if (content.status === "ok") await this.connect();
      else this.stand({ kind: "failed", reason: content.status === "error" ? content.evalue : content.status });
    } catch (error) {
      // As above: a kernel that ended tells so by its status.
      if (attempt === this.attempt && !kernel.isDisposed) this.stand({ kind: "failed", reason: words(error) });
    }
  }

  dispose(): void {
    this.hangUp();
    window.removeEventListener("pagehide", this.leave);
    this.listeners.clear();
    Signal.clearData(this);
  }

  private open(channel: Channel): void {
    channel.open(
      (data) => this.hear(data),
      () => {
        if (channel === this.channel) this.stand({ kind: "lost" });
      },
    );
    this.channel = channel;
    this.cut = false;
    this.stand({ kind: "connected" });
    channel.send(hello("panel"));
  }

  private listen(place: string, listen: Listener): () => void {
    const here = this.listeners.get(place) ?? new Set();
    this.listeners.set(place, here.add(listen));
    return () => {
      here.delete(listen);
      if (here.size === 0) this.listeners.delete(place);
    };
  }

  private hear(data: unknown): void {
    const { type, message, place = "" } = data as { type?: unknown; message?: unknown; place?: string };
    if (type === "trouble") this.stand({ kind: "trouble", reason: String(message) });
    else for (const listen of [...(this.listeners.get(place) ?? [])]) listen(data);
    if (type === "snapshot" && place === "") this.greetBeside();
  }

  /** The conversation began anew, perhaps another agent's: so does what stands beside it. */
  private greetBeside(): void {
    for (const place of this.listeners.keys()) if (place !== "") this.send({ ...hello("panel"), place });
  }

  private async explainAbsence(kernel: Kernel.IKernelConnection, attempt: number): Promise<void> {
    const { language_info: language } = await kernel.info;
    if (attempt !== this.attempt) return;
    const isPython = language.name.toLowerCase().startsWith("python");
    if (!isPython) this.stand({ kind: "foreign", reason: language.name });
    else this.stand({ kind: this.cut ? "restarted" : "absent" });
  }

  private onKernel(): void {
    const kernel = this.context.session?.kernel ?? null;
    if (kernel === this.kernel && kernel !== null) return;
    this.kernel = kernel;
    kernel?.registerCommTarget(ANNOUNCE, () => {
      if (kernel === this.kernel && this.standing_.kind !== "connected") void this.connect();
    });
    void this.connect();
  }

  private onStatus(_sender: ISessionContext, status: Kernel.Status): void {
    const ended = status === "restarting" || status === "autorestarting";
    if (ended || status === "dead") {
      if (this.kernel) forget(this.kernel.id);
      this.cut ||= this.standing_.kind === "connected";
      this.begin();
      this.stand({ kind: ended ? "restarting" : "dead" });
    } else if (this.standing_.kind === "restarting" && (status === "idle" || status === "busy")) {
      void this.connect();
    }
  }

  /** What was sent while the page had no connection is lost, and the kernel may be another: begin anew. */
  private onConnection(_sender: ISessionContext, status: Kernel.ConnectionStatus): void {
    if (status === "connected" && this.standing_.kind === "connected") void this.connect();
  }

  private begin(): number {
    this.hangUp();
    this.attempt += 1;
    return this.attempt;
  }

  private hangUp(): void {
    const { channel } = this;
    this.channel = null;
    channel?.close();
  }

  private stand(standing: Standing): void {
    this.standing_ = standing;
    this.changed.emit();
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
