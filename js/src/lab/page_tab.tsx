/** One page in the main area, over its notebook's line, for as long as that is open; it keeps nothing of the page. */

import type { NotebookPanel } from "@jupyterlab/notebook";
import { Signal } from "@lumino/signaling";
import { PanelLayout, Widget } from "@lumino/widgets";
import { render } from "preact";
import type { Host } from "../shared/host";
import type { Wanted } from "../shared/protocol";
import { guessLanguage, speaker } from "../shared/strings";
import type { Lines } from "./lines";
import { Talk } from "./talk";

/** All that it takes to show the same page again. */
export interface Shown {
  /** The tab's, which stays its own when the layout comes back. */
  id: string;
  path: string;
  title: string;
  wanted: Wanted;
}

export class PageTab extends Widget {
  /** Another page is shown, or the notebook was renamed. */
  readonly moved = new Signal<this, Shown>(this);
  private notebook: NotebookPanel | undefined;
  private talk: Talk | null = null;
  private readonly closed = new Widget();
  private readonly content = new PanelLayout();

  constructor(
    private readonly lines: Lines,
    private shown_: Shown,
    private readonly hostFor: (notebook: NotebookPanel) => Host,
    private readonly openNotebook: (path: string) => void,
  ) {
    super();
    this.id = `nephele-nb-page-${shown_.id}`;
    this.addClass("nph-page-tab");
    this.title.iconClass = "nph-panel-icon";
    this.layout = this.content;
    this.content.addWidget(this.closed);
    this.move(shown_);
    lines.changed.connect(this.follow, this);
    this.follow();
  }

  get shown(): Shown {
    return this.shown_;
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.lines.changed.disconnect(this.follow, this);
    render(null, this.closed.node);
    super.dispose();
  }

  private move(shown: Shown): void {
    this.shown_ = shown;
    this.title.label = shown.title || shown.wanted.target || shown.wanted.view;
    this.title.caption = `${this.title.label} · ${shown.path}`;
    this.moved.emit(shown);
  }

  private follow(): void {
    if (this.notebook?.isDisposed) {
      this.talk?.dispose();
      this.talk = null;
      this.notebook = undefined;
    }
    this.notebook ??= this.lines.notebookAt(this.shown.path);
    const path = this.notebook?.context.path;
    if (path !== undefined && path !== this.shown.path) this.move({ ...this.shown, path });
    if (this.notebook && !this.talk) this.begin(this.notebook);
    this.closed.setHidden(this.talk !== null);
    const say = speaker(guessLanguage());
    render(
      <div class="nph-panel-notice" role="status">
        <p>{say("page.closed", { path: this.shown.path })}</p>
        <button type="button" class="nph-panel-primary" onClick={() => this.openNotebook(this.shown.path)}>
          {say("page.notebook")}
        </button>
      </div>,
      this.closed.node,
    );
  }

  private begin(notebook: NotebookPanel): void {
    const line = this.lines.of(notebook);
    if (!line) return;
    this.talk = new Talk(line, line.at(this.id), {
      host: this.hostFor(notebook),
      alone: this.shown.wanted,
      onPage: ({ title }, wanted) => this.move({ ...this.shown, title, wanted }),
    });
    this.content.addWidget(this.talk);
  }
}
