/** One comm to one kernel, heard there even while a cell runs; it knows nothing of what is said over it. */

import { type Kernel, KernelMessage } from "@jupyterlab/services";

/** The comm that the kernel opens to say that a panel will be answered, and the one that a panel opens. */
export const ANNOUNCE = "nephele_nb.announce";
const CHAT = "nephele_nb.chat";
const INFO_MS = 4_000;
const SUBSHELL_MS = 5_000;
/** Which kernels have answered this page's session: known without asking when the page is loaded again. */
const MEMORY = "nephele-nb:answered:";

type Data = KernelMessage.ICommMsgMsg["content"]["data"];
type Kind = "comm_open" | "comm_msg" | "comm_close";
/** JupyterLab gives its comms a subshell, and doesn't yet say so in its types. */
type Comm = Kernel.IComm & { subshellStarted?: Promise<void>; subshellId?: string | null };

export function forget(kernelId: string): void {
  sessionStorage.removeItem(MEMORY + kernelId);
}

/**
 * A cell that runs holds the kernel's main shell. So messages go over a subshell, where the front end knows of some,
 * and else over the control channel, to which a kernel that has announced itself listens.
 */
export class Channel {
  private isOpen = false;
  /** It was taken on trust that the kernel has announced itself. */
  private trusted = false;

  private constructor(
    private readonly kernel: Kernel.IKernelConnection,
    private readonly comm: Comm,
    private readonly overSubshell: boolean,
  ) {}

  /** Make a channel that is not open yet; throws where this connection may hold no comms. */
  static async to(kernel: Kernel.IKernelConnection): Promise<Channel> {
    // A kernel that is busy tells nothing about itself until it is free.
    await within(INFO_MS, kernel.info);
    const comm: Comm = kernel.createComm(CHAT);
    const wanted = kernel.supportsSubshells && kernel.commsOverSubshells !== "disabled";
    const overSubshell = wanted && !!comm.subshellStarted && (await within(SUBSHELL_MS, comm.subshellStarted));
    return new Channel(kernel, comm, overSubshell);
  }

  /** Has the kernel announced itself? Without subshells a busy kernel answers late, unless it is remembered. */
  async isAnnounced(): Promise<boolean> {
    this.trusted = !this.overSubshell && sessionStorage.getItem(MEMORY + this.kernel.id) !== null;
    return this.trusted || (await this.isListed());
  }

  open(hear: (data: unknown) => void, lost: () => void): void {
    this.comm.onMsg = (message) => hear(message.content.data);
    this.comm.onClose = () => {
      this.isOpen = false;
      lost();
    };
    this.isOpen = true;
    if (this.overSubshell) this.comm.open();
    else this.control("comm_open", { comm_id: this.comm.commId, target_name: CHAT, data: {} });
    sessionStorage.setItem(MEMORY + this.kernel.id, "");
    if (this.trusted) void this.verify(lost);
  }

  /** Send a message; throws when the comm or the kernel is gone. */
  send(message: object): void {
    const data = message as Data;
    if (!this.isOpen || this.comm.isDisposed) throw new Error("The channel is closed.");
    if (this.overSubshell) this.comm.send(data);
    else this.control("comm_msg", { comm_id: this.comm.commId, data });
  }

  /** Close it on both ends, as far as the other one is there. */
  close(): void {
    if (this.isOpen && !this.kernel.isDisposed && !this.comm.isDisposed) {
      // The subshell goes with the comm: what is sent over it now could arrive too late.
      this.control("comm_close", { comm_id: this.comm.commId, data: {} });
    }
    this.isOpen = false;
    if (!this.comm.isDisposed) this.comm.dispose();
  }

  /** The kernel that was trusted may have been restarted meanwhile: it tells once it is free. */
  private async verify(lost: () => void): Promise<void> {
    const listed = await this.isListed().catch(() => true);
    if (listed || !this.isOpen) return;
    forget(this.kernel.id);
    lost();
  }

  private async isListed(): Promise<boolean> {
    const { content } = this.overSubshell
      ? await this.askOverSubshell()
      : await this.kernel.requestCommInfo({ target_name: ANNOUNCE });
    return content.status === "ok" && Object.keys(content.comms).length > 0;
  }

  private async askOverSubshell(): Promise<KernelMessage.ICommInfoReplyMsg> {
    const request = KernelMessage.createMessage<KernelMessage.ICommInfoRequestMsg>({
      msgType: "comm_info_request",
      channel: "shell",
      username: this.kernel.username,
      session: this.kernel.clientId,
      subshellId: this.comm.subshellId ?? null,
      content: { target_name: ANNOUNCE },
    });
    return (await this.kernel.sendShellMessage(request, true).done) as KernelMessage.ICommInfoReplyMsg;
  }

  private control(msgType: Kind, content: object): void {
    const { username, clientId: session } = this.kernel;
    const options = { msgType, channel: "control", username, session, content } as unknown;
    const message = KernelMessage.createMessage(options as KernelMessage.IOptions<KernelMessage.IDebugRequestMsg>);
    this.kernel.sendControlMessage(message, false, true);
  }
}

/** Did it come in time? */
function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), ms);
    promise.then(
      () => resolve(true),
      () => resolve(false),
    );
  });
}
