import type { ISessionContext } from "@jupyterlab/apputils";
import { Signal } from "@lumino/signaling";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Line } from "../src/lab/line";

class FakeComm {
  commId = "c1";
  isDisposed = false;
  subshellId = "s1";
  subshellStarted = Promise.resolve();
  onMsg: (message: unknown) => void = () => {};
  onClose: () => void = () => {};
  readonly sent: unknown[] = [];
  open(): void {
    this.sent.push("open");
  }
  send(data: unknown): void {
    this.sent.push(data);
  }
  dispose(): void {
    this.isDisposed = true;
  }
}

class FakeKernel {
  id = "k1";
  info = Promise.resolve({ language_info: { name: "python" } });
  supportsSubshells = true;
  commsOverSubshells = "perCommTarget";
  handleComms = true;
  isDisposed = false;
  username = "";
  clientId = "client";
  announced = true;
  comms: FakeComm[] = [];
  control: { header: { msg_type: string }; content: unknown }[] = [];
  ran: unknown[] = [];
  reply: object = { status: "ok" };
  announce: () => void = () => {};

  registerCommTarget(_name: string, callback: () => void): void {
    this.announce = callback;
  }
  createComm(): FakeComm {
    this.comms.push(new FakeComm());
    return this.comms.at(-1) as FakeComm;
  }
  requestCommInfo(): Promise<unknown> {
    return Promise.resolve({ content: { status: "ok", comms: this.announced ? { a: {} } : {} } });
  }
  sendShellMessage(): { done: Promise<unknown> } {
    return { done: this.requestCommInfo() };
  }
  sendControlMessage(message: FakeKernel["control"][number]): void {
    this.control.push(message);
  }
  requestExecute(content: unknown): { done: Promise<unknown> } {
    this.ran.push(content);
    return { done: Promise.resolve({ content: this.reply }) };
  }
}

class FakeSession {
  kernelChanged = new Signal<this, unknown>(this);
  statusChanged = new Signal<this, unknown>(this);
  connectionStatusChanged = new Signal<this, unknown>(this);
  constructor(public session: { kernel: FakeKernel } | null) {}
}

let kernel: FakeKernel;
let session: FakeSession;
let line: Line;
const HELLO = { type: "hello", view: "panel" };
const begun = async (): Promise<void> => {
  line = new Line(session as unknown as ISessionContext);
  line.use();
  await settled();
};
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
const sentOverControl = (): string[] => kernel.control.map((message) => message.header.msg_type);

beforeEach(() => {
  sessionStorage.clear();
  kernel = new FakeKernel();
  session = new FakeSession({ kernel });
});

describe("the way to a kernel", () => {
  it("goes over a subshell and says hello", async () => {
    await begun();
    expect(line.standing.kind).toBe("connected");
    expect(kernel.comms[0]?.sent).toEqual(["open", HELLO]);
    line.send({ type: "stop" });
    expect(kernel.comms[0]?.sent.at(-1)).toEqual({ type: "stop" });
    expect(kernel.control).toEqual([]);
  });

  it.each([
    ["the kernel has no subshells", { supportsSubshells: false }],
    ["the host sends nothing over them", { commsOverSubshells: "disabled" }],
  ])("goes over the control channel where %s", async (_why, change) => {
    Object.assign(kernel, change);
    await begun();
    line.send({ type: "stop" });
    expect(sentOverControl()).toEqual(["comm_open", "comm_msg", "comm_msg"]);
    expect(kernel.comms[0]?.sent).toEqual([]);
  });

  it("is not looked for before the panel is opened", async () => {
    line = new Line(session as unknown as ISessionContext);
    await settled();
    kernel.announce();
    await settled();
    expect(kernel.comms).toEqual([]);
  });

  it("is one, however often the kernel is said to have changed", async () => {
    await begun();
    session.kernelChanged.emit({});
    session.kernelChanged.emit({});
    kernel.announce();
    await settled();
    expect(kernel.comms).toHaveLength(1);
  });

  it("hands on what comes, to whoever listens", async () => {
    await begun();
    const heard: unknown[] = [];
    const off = line.onMessage((message) => heard.push(message));
    kernel.comms[0]?.onMsg({ content: { data: { type: "events" } } });
    off();
    kernel.comms[0]?.onMsg({ content: { data: { type: "more" } } });
    expect(heard).toEqual([{ type: "events" }]);
  });

  it("brings to one place alone what was asked from there, and greets again from there what begins anew", async () => {
    await begun();
    const heard: unknown[] = [];
    const tab = line.at("tab-1");
    line.onMessage((message) => heard.push(["chat", message]));
    const off = tab.onMessage((message) => heard.push(["tab", message]));
    tab.send({ type: "stop" });
    expect(kernel.comms[0]?.sent.at(-1)).toEqual({ type: "stop", place: "tab-1" });
    const come = (data: object): void => kernel.comms[0]?.onMsg({ content: { data } });
    come({ type: "page", place: "tab-1" });
    come({ type: "page" });
    come({ type: "snapshot" });
    expect(heard).toEqual([
      ["tab", { type: "page", place: "tab-1" }],
      ["chat", { type: "page" }],
      ["chat", { type: "snapshot" }],
    ]);
    expect(kernel.comms[0]?.sent.at(-1)).toEqual({ ...HELLO, place: "tab-1" });
    off();
    come({ type: "snapshot" });
    expect(kernel.comms[0]?.sent.filter((sent) => (sent as { place?: string }).place === "tab-1")).toHaveLength(2);
  });

  it("is trusted after a reload while the kernel is busy, and found out when it is free", async () => {
    await begun();
    kernel = Object.assign(new FakeKernel(), { supportsSubshells: false, announced: false });
    let free: (reply: unknown) => void = () => {};
    kernel.requestCommInfo = () => new Promise((resolve) => (free = resolve));
    session = new FakeSession({ kernel });
    await begun();
    expect(line.standing.kind).toBe("connected");
    free({ content: { status: "ok", comms: {} } });
    await settled();
    expect(line.standing.kind).toBe("lost");
    void line.connect();
    await settled();
    free({ content: { status: "ok", comms: {} } });
    await settled();
    expect(line.standing.kind).toBe("absent");
  });
});

describe("where there is none", () => {
  it.each([
    ["no_kernel", null, {}],
    ["absent", "python", { announced: false }],
    ["deaf", "python", { handleComms: false }],
    ["foreign", "R", { announced: false }],
  ] as const)("it says %s", async (kind, language, change) => {
    Object.assign(kernel, change, { info: Promise.resolve({ language_info: { name: language } }) });
    if (language === null) session.session = null;
    await begun();
    expect(line.standing.kind).toBe(kind);
    expect(() => line.send({ type: "stop" })).toThrow();
    expect(() => line.send({ type: "hello", view: "v" })).not.toThrow();
    expect(kernel.control).toEqual([]);
  });

  it("one click loads the extension, silently", async () => {
    kernel.announced = false;
    await begun();
    kernel.announced = true;
    await line.load();
    expect(kernel.ran).toEqual([expect.objectContaining({ silent: true, store_history: false })]);
    expect(line.standing.kind).toBe("connected");
  });

  it("it says why the extension could not be loaded", async () => {
    kernel.announced = false;
    kernel.reply = { status: "error", evalue: "No module named 'nephele_nb'" };
    await begun();
    await line.load();
    expect(line.standing).toEqual({ kind: "failed", reason: "No module named 'nephele_nb'" });
  });

  it("it says why there is no agent", async () => {
    await begun();
    kernel.comms[0]?.onMsg({ content: { data: { type: "trouble", message: "no such tier" } } });
    expect(line.standing).toEqual({ kind: "trouble", reason: "no such tier" });
  });
});

describe("what becomes of it", () => {
  it("ends with a restart and begins with the kernel's announcement", async () => {
    await begun();
    const [before] = kernel.comms;
    kernel.announced = false;
    session.statusChanged.emit("restarting");
    expect(line.standing.kind).toBe("restarting");
    expect(before?.isDisposed).toBe(true);
    session.statusChanged.emit("idle");
    await settled();
    expect(line.standing.kind).toBe("restarted");
    kernel.announced = true;
    kernel.announce();
    await settled();
    expect(line.standing.kind).toBe("connected");
  });

  it("begins anew when the page was offline for a while", async () => {
    await begun();
    session.connectionStatusChanged.emit("connected");
    await settled();
    expect(kernel.comms.map((comm) => comm.isDisposed)).toEqual([true, false]);
  });

  it("is told when the kernel closes it, and tells the kernel when the page goes", async () => {
    await begun();
    window.dispatchEvent(new Event("pagehide"));
    expect(sentOverControl()).toEqual(["comm_close"]);
    await line.connect();
    kernel.comms.at(-1)?.onClose();
    expect(line.standing.kind).toBe("lost");
  });

  it("changes over to another kernel, and leaves the old one", async () => {
    await begun();
    const old = kernel;
    kernel = Object.assign(new FakeKernel(), { id: "k2" });
    session.session = { kernel };
    session.kernelChanged.emit({});
    await settled();
    expect(old.comms[0]?.isDisposed).toBe(true);
    expect(kernel.comms[0]?.sent).toEqual(["open", HELLO]);
    const changed = vi.fn();
    line.changed.connect(changed);
    old.announce();
    await settled();
    expect(changed).not.toHaveBeenCalled();
  });
});
