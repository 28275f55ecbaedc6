/** Which widgets the notebook's kernel holds at this moment; it renders nothing. */

import type { ISessionContext } from "@jupyterlab/apputils";
import type { IRenderMime } from "@jupyterlab/rendermime";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { Signal } from "@lumino/signaling";

type Bundle = IRenderMime.IMimeModel["data"];

const TARGET = "jupyter.widget";

/**
 * A widget opened while this page listens is known from its `comm_open`, so that it shows even while its cell keeps
 * the kernel busy; one opened before the page was loaded is known only once the kernel has time to list its comms.
 */
export class LiveWidgets {
  /** Something changed: ask again. */
  readonly changed = new Signal<this, void>(this);
  /** The kernel put something else in the place of an output, wherever that stands. */
  readonly updated = new Signal<this, Bundle>(this);
  private readonly opened = new Set<string>();
  private listed: Promise<void> | null = null;

  constructor(private readonly context: ISessionContext) {
    context.iopubMessage.connect(this.onMessage, this);
    context.statusChanged.connect(this.onStatus, this);
    context.kernelChanged.connect(this.forget, this);
  }

  has(modelId: string): boolean {
    return this.opened.has(modelId);
  }

  /** Ask the kernel, if there is one, for the widgets it holds; `changed` follows if that adds any. */
  lookUp(): void {
    const kernel = this.context.session?.kernel;
    if (!kernel || this.listed) return;
    this.listed = this.list(kernel);
  }

  dispose(): void {
    Signal.clearData(this);
  }

  private async list(kernel: Kernel.IKernelConnection): Promise<void> {
    try {
      const reply = await kernel.requestCommInfo({ target_name: TARGET });
      if (reply.content.status !== "ok" || this.context.session?.kernel !== kernel) return;
      const before = this.opened.size;
      for (const id of Object.keys(reply.content.comms)) this.opened.add(id);
      if (this.opened.size > before) this.changed.emit();
    } catch {
      // The kernel went away before it answered: the next one is asked when it connects.
      this.listed = null;
    }
  }

  private onMessage(_sender: ISessionContext, message: KernelMessage.IMessage): void {
    const { msg_type } = message.header;
    if (msg_type === "comm_open") {
      const content = message.content as KernelMessage.ICommOpenMsg["content"];
      if (content.target_name === TARGET) this.opened.add(content.comm_id);
    } else if (msg_type === "comm_close") {
      const content = message.content as KernelMessage.ICommCloseMsg["content"];
      if (this.opened.delete(content.comm_id)) this.changed.emit();
    } else if (msg_type === "update_display_data") {
      this.updated.emit((message.content as KernelMessage.IUpdateDisplayDataMsg["content"]).data as Bundle);
    }
  }

  private onStatus(_sender: ISessionContext, status: Kernel.Status): void {
    if (status === "restarting" || status === "autorestarting" || status === "dead") this.forget();
  }

  private forget(): void {
    this.listed = null;
    this.opened.clear();
    this.changed.emit();
  }
}
