/** The side panel: it follows the notebook in front and shows that one's conversation; it keeps none itself. */

import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import { PanelLayout, Widget } from "@lumino/widgets";
import { render } from "preact";
import type { Host } from "../shared/host";
import { guessLanguage, speaker } from "../shared/strings";
import type { Question } from "./cells";
import type { Lines } from "./lines";
import { Notice } from "./notice";
import { Talk } from "./talk";

export const PANEL_ID = "nephele-nb-panel";

export class ChatPanel extends Widget {
  private readonly talks = new Map<NotebookPanel, Talk>();
  private readonly nothing = new Widget();
  private readonly content = new PanelLayout();

  constructor(
    private readonly tracker: INotebookTracker,
    private readonly lines: Lines,
    private readonly hostFor: (notebook: NotebookPanel) => Host,
  ) {
    super();
    const say = speaker(guessLanguage());
    this.id = PANEL_ID;
    this.addClass("nph-panel");
    this.title.caption = say("panel.caption");
    this.title.iconClass = "nph-panel-icon jp-SideBar-tabIcon";
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", say("panel.caption"));
    this.layout = this.content;
    this.content.addWidget(this.nothing);
    render(<Notice standing={null} say={say} onLoad={() => {}} onAgain={() => {}} />, this.nothing.node);
    // A notebook that is opened comes to the front before it is said to be there.
    lines.changed.connect(this.follow, this);
    tracker.currentChanged.connect(this.follow, this);
  }

  /** Put a question about a notebook into the input of its conversation. */
  draft(notebook: NotebookPanel, question: Question): void {
    this.talkOf(notebook)?.draft(question);
  }

  /** Put the cursor where the person writes to the notebook in front. */
  focusInput(): void {
    const { currentWidget: notebook } = this.tracker;
    if (notebook) this.talkOf(notebook)?.focus();
  }

  protected override onAfterShow(): void {
    this.follow();
  }

  private follow(): void {
    for (const [owner, talk] of this.talks) {
      if (!owner.isDisposed) continue;
      talk.dispose();
      this.talks.delete(owner);
    }
    if (!this.isVisible) return;
    const { currentWidget: notebook } = this.tracker;
    const shown = notebook && this.talkOf(notebook);
    this.nothing.setHidden(Boolean(shown));
    for (const talk of this.talks.values()) talk.setHidden(talk !== shown);
  }

  private talkOf(notebook: NotebookPanel): Talk | undefined {
    const line = this.lines.of(notebook);
    if (!line) return undefined;
    const talk = this.talks.get(notebook) ?? new Talk(line, line, { host: this.hostFor(notebook) });
    if (!this.talks.has(notebook)) {
      this.talks.set(notebook, talk);
      this.content.addWidget(talk);
      talk.setHidden(this.tracker.currentWidget !== notebook);
    }
    return talk;
  }
}
