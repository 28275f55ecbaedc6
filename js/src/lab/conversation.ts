/** Renders one conversation in an output: the live widget while the kernel has it, else the saved transcript. */

import type { IRenderMime, IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { PanelLayout, Widget } from "@lumino/widgets";
import { guessLanguage, speaker } from "../shared/strings";
import type { LiveWidgets } from "./live_widgets";

export const MIME = "application/vnd.nephele-nb.chat+json";
const WIDGET_VIEW = "application/vnd.jupyter.widget-view+json";
const MARKDOWN = "text/markdown";

/** The host's typesetter takes two amounts of money in one line for a formula: text stays as the chat showed it. */
const UNSET: IRenderMime.ILatexTypesetter = { typeset() {} };

/** What the widgets' renderer says where the host's manager has no such model, as after a reload under load. */
const FAILED = /^Error displaying widget/;
const LOOK_MS = [300, 1_000, 3_000, 8_000];
const RETRIES = 4;

interface Conversation {
  modelId: string;
  markdown: string;
}

type Shown = { kind: "nothing" } | { kind: "live"; modelId: string } | { kind: "saved"; markdown: string };

export class ConversationRenderer extends Widget implements IRenderMime.IRenderer {
  private conversation: Conversation = { modelId: "", markdown: "" };
  private model: IRenderMime.IMimeModel | null = null;
  private shown: Shown = { kind: "nothing" };
  private work: Promise<void> = Promise.resolve();
  private failures = 0;
  /** What was written and not heard when the live view went away. */
  private unsent = "";
  private readonly content = new PanelLayout();

  constructor(
    private readonly rendermime: IRenderMimeRegistry,
    private readonly live: LiveWidgets,
  ) {
    super();
    this.addClass("nph-conversation");
    this.layout = this.content;
    live.changed.connect(this.refresh, this);
    live.updated.connect(this.keep, this);
  }

  override dispose(): void {
    this.live.changed.disconnect(this.refresh, this);
    this.live.updated.disconnect(this.keep, this);
    super.dispose();
  }

  /** Show the model; a live widget that is shown already stays as it is. */
  renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.model = model;
    this.conversation = read(model.data);
    return this.refresh();
  }

  /** Keep a newer transcript: after a reload of the page the host no longer knows which output it belongs to. */
  private keep(_sender: LiveWidgets, data: IRenderMime.IMimeModel["data"]): void {
    const { modelId, markdown } = read(data);
    const ours = modelId !== "" && modelId === this.conversation.modelId;
    if (ours && markdown !== this.conversation.markdown) this.model?.setData({ data });
  }

  private refresh(): Promise<void> {
    this.work = this.work.then(() => this.choose());
    return this.work;
  }

  private async choose(): Promise<void> {
    if (this.isDisposed) return;
    const { modelId, markdown } = this.conversation;
    const canLive = modelId !== "" && this.rendermime.getFactory(WIDGET_VIEW) !== undefined;
    if (canLive && this.live.has(modelId)) {
      if (this.shown.kind === "live" && this.shown.modelId === modelId) return;
      await this.showLive(modelId);
      return;
    }
    if (canLive) this.live.lookUp();
    if (this.shown.kind === "saved" && this.shown.markdown === markdown) return;
    await this.showSaved(markdown);
  }

  private async showLive(modelId: string): Promise<void> {
    const view = { model_id: modelId, version_major: 2, version_minor: 0 };
    this.shown = { kind: "live", modelId };
    this.unsent = "";
    await this.draw(WIDGET_VIEW, view, true);
    this.look(modelId, 0);
  }

  /** See whether the widget came; where it didn't, the transcript stands in its place, and it is tried again. */
  private look(modelId: string, time: number): void {
    const wait = LOOK_MS[time];
    if (wait === undefined) return;
    setTimeout(() => {
      if (this.isDisposed || this.shown.kind !== "live" || this.shown.modelId !== modelId) return;
      if (!FAILED.test(this.node.textContent ?? "")) {
        this.look(modelId, time + 1);
        return;
      }
      this.failures += 1;
      this.work = this.work.then(() => this.showSaved(this.conversation.markdown));
      if (this.failures <= RETRIES) setTimeout(() => void this.refresh(), LOOK_MS[this.failures - 1]);
    }, wait);
  }

  private async showSaved(markdown: string): Promise<void> {
    this.shown = { kind: "saved", markdown };
    this.unsent ||= unsentIn(this.node);
    await this.draw(MARKDOWN, markdown, false);
    if (this.isDisposed || this.shown.kind !== "saved") return;
    if (markdown !== "") this.content.insertWidget(0, said("saved"));
    if (this.unsent !== "") this.content.addWidget(kept(this.unsent));
  }

  private async draw(mime: string, value: IRenderMime.IMimeModel["data"][string], trusted: boolean): Promise<void> {
    for (const old of [...this.content.widgets]) old.dispose();
    const registry = mime === MARKDOWN ? this.rendermime.clone({ latexTypesetter: UNSET }) : this.rendermime;
    const renderer = registry.createRenderer(mime);
    const data = { [mime]: value };
    const model = { data, metadata: {}, trusted, setData() {} } as IRenderMime.IMimeModel;
    this.content.addWidget(renderer);
    await renderer.renderModel(model);
  }
}

function said(word: "saved" | "unsent"): Widget {
  const node = document.createElement("div");
  node.className = "nph-conversation-caption";
  node.textContent = speaker(guessLanguage())(word);
  return new Widget({ node });
}

/** Return what a live view holds that its kernel has not heard: messages on their way, and what is being written. */
function unsentIn(view: HTMLElement): string {
  const sent = [...view.querySelectorAll(".nph-pending .nph-bubble")].map((each) => each.textContent ?? "");
  const written = view.querySelector<HTMLTextAreaElement>("textarea.nph-field")?.value ?? "";
  return [...sent, written].filter((text) => text.trim() !== "").join("\n\n");
}

/** Words that were not heard, to be taken from here. */
function kept(text: string): Widget {
  const widget = said("unsent");
  const words = document.createElement("pre");
  words.textContent = text;
  widget.node.append(words);
  return widget;
}

/** The widget's id stands in its own part of the bundle, so that the saved transcript holds nothing random. */
function read(data: IRenderMime.IMimeModel["data"]): Conversation {
  const chat = fieldsOf(data[MIME]);
  const modelId = chat["model_id"] ?? fieldsOf(data[WIDGET_VIEW])["model_id"];
  const text = typeof chat["markdown"] === "string" ? chat["markdown"] : joined(data[MARKDOWN]);
  return {
    modelId: typeof modelId === "string" ? modelId : "",
    markdown: text.replace(/\s*<!--UNDO:[^>]*-->\s*$/, ""),
  };
}

function fieldsOf(value: unknown): { [key: string]: unknown } {
  return typeof value === "object" && value !== null ? (value as { [key: string]: unknown }) : {};
}

/** nbformat allows a text to be one string or a list of them. */
function joined(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join("");
  return typeof value === "string" ? value : "";
}
