import type { ISessionContext } from "@jupyterlab/apputils";
import type { IRenderMime, IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { Signal } from "@lumino/signaling";
import { Widget } from "@lumino/widgets";
import { beforeEach, describe, expect, it } from "vitest";
import { ConversationRenderer, MIME } from "../src/lab/conversation";
import { LiveWidgets } from "../src/lab/live_widgets";

const WIDGET_VIEW = "application/vnd.jupyter.widget-view+json";

/** A renderer that writes down what it was given. */
class Plain extends Widget implements IRenderMime.IRenderer {
  constructor(private readonly mime: string) {
    super();
  }
  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.node.textContent = `${this.mime} ${JSON.stringify(Object.values(model.data)[0])}`;
    return Promise.resolve();
  }
}

const registry = (known: string[], typesets = "typeset "): IRenderMimeRegistry =>
  ({
    getFactory: (mime: string) => (known.includes(mime) ? {} : undefined),
    createRenderer: (mime: string) => new Plain(typesets + mime),
    clone: () => registry(known, ""),
  }) as unknown as IRenderMimeRegistry;

class FakeSession {
  iopubMessage = new Signal<this, unknown>(this);
  statusChanged = new Signal<this, unknown>(this);
  kernelChanged = new Signal<this, unknown>(this);
  comms: { [id: string]: object } = {};
  asked = 0;
  session = { kernel: { requestCommInfo: () => this.list() } };

  private list(): Promise<unknown> {
    this.asked += 1;
    return Promise.resolve({ content: { status: "ok", comms: this.comms } });
  }

  open(comm_id: string): void {
    this.iopubMessage.emit({ header: { msg_type: "comm_open" }, content: { comm_id, target_name: "jupyter.widget" } });
  }
}

const bundle = (markdown: string, model_id = "m1"): IRenderMime.IMimeModel =>
  ({ data: { [MIME]: { version: 1, markdown }, [WIDGET_VIEW]: { model_id } } }) as unknown as IRenderMime.IMimeModel;

let session: FakeSession;
let renderer: ConversationRenderer;
const shown = (): string[] => [...renderer.node.children].map((child) => child.textContent ?? "");
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

beforeEach(() => {
  session = new FakeSession();
  const live = new LiveWidgets(session as unknown as ISessionContext);
  renderer = new ConversationRenderer(registry([WIDGET_VIEW]), live);
});

it("keeps what was written and not heard when the kernel goes away", async () => {
  session.open("m1");
  await renderer.renderModel(bundle("> why?"));
  const pending = '<div class="nph-pending"><div class="nph-bubble">sent</div></div>';
  const live = renderer.node.firstElementChild as HTMLElement;
  live.innerHTML = `${pending}<textarea class="nph-field"></textarea>`;
  (live.querySelector("textarea") as HTMLTextAreaElement).value = "being written";
  session.statusChanged.emit("dead");
  await settle();
  expect(shown().at(-1)).toContain("sent\n\nbeing written");
  await renderer.renderModel(bundle("> why?\n\nBecause."));
  await settle();
  expect(shown().at(-1)).toContain("being written");
  session.open("m1");
  await renderer.renderModel(bundle("> why?"));
  expect(shown().join()).not.toContain("being written");
});

describe("a conversation in an output", () => {
  it("is live at once when the widget was opened before this page's eyes", async () => {
    session.open("m1");
    await renderer.renderModel(bundle("# saved"));
    expect(shown()).toEqual([expect.stringContaining('"model_id":"m1"')]);
    expect(session.asked).toBe(0);
  });

  it("stays the same live view when its transcript is updated", async () => {
    session.open("m1");
    await renderer.renderModel(bundle("one"));
    const [before] = renderer.node.children;
    await renderer.renderModel(bundle("two"));
    expect(renderer.node.children[0]).toBe(before);
  });

  it("keeps a transcript that the kernel sends for its own widget, and no other", async () => {
    const kept: unknown[] = [];
    const model = { ...bundle("one"), setData: (change: unknown) => kept.push(change) };
    await renderer.renderModel(model as unknown as IRenderMime.IMimeModel);
    for (const { data } of [bundle("one"), bundle("two", "m2"), bundle("two")]) {
      session.iopubMessage.emit({ header: { msg_type: "update_display_data" }, content: { data } });
    }
    expect(kept).toEqual([{ data: bundle("two").data }]);
  });

  it("is the transcript where the kernel doesn't have the widget", async () => {
    await renderer.renderModel(bundle("$5\n\n<!--UNDO:r-1-->\n"));
    await settle();
    expect(shown()).toEqual(["Saved conversation", 'text/markdown "$5"']);
  });

  it("becomes live when the kernel turns out to have the widget", async () => {
    session.comms = { m1: {} };
    await renderer.renderModel(bundle("saved"));
    await settle();
    expect(shown()).toEqual([expect.stringContaining('"model_id":"m1"')]);
  });

  it("goes back to the last transcript when the kernel restarts, and asks the new one", async () => {
    session.open("m1");
    await renderer.renderModel(bundle("one"));
    await renderer.renderModel(bundle("two"));
    session.statusChanged.emit("restarting");
    await settle();
    expect(shown()).toEqual(["Saved conversation", 'text/markdown "two"']);
    expect(session.asked).toBe(1);
  });

  it("is the transcript where no widgets are installed", async () => {
    const live = new LiveWidgets(session as unknown as ISessionContext);
    renderer = new ConversationRenderer(registry([]), live);
    session.open("m1");
    await renderer.renderModel(bundle("saved"));
    expect(shown()).toEqual(["Saved conversation", 'text/markdown "saved"']);
  });
});

describe("a widget that the host can't find", () => {
  it("gives way to the transcript", async () => {
    class Lost extends Plain {
      override renderModel(): Promise<void> {
        this.node.textContent = "Error displaying widget: model not found";
        return Promise.resolve();
      }
    }
    const lost = {
      ...registry([WIDGET_VIEW]),
      createRenderer: (mime: string) => (mime === WIDGET_VIEW ? new Lost(mime) : new Plain(mime)),
    } as unknown as IRenderMimeRegistry;
    const live = new LiveWidgets(session as unknown as ISessionContext);
    renderer = new ConversationRenderer(lost, live);
    session.open("m1");
    await renderer.renderModel(bundle("# Talk"));
    expect(shown()[0]).toContain("model not found");
    await new Promise((resolve) => setTimeout(resolve, 450));
    expect(shown().join()).toContain("# Talk");
  });
});
