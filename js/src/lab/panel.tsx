/** The side panel: it follows the notebook in front and shows that one's conversation; it keeps none itself. */

import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import { PanelLayout, Widget } from "@lumino/widgets";
import { render } from "preact";
import { guessLanguage, speaker } from "../shared/strings";
import { Line } from "./line";
import { Notice } from "./notice";
import { Talk } from "./talk";

export const PANEL_ID = "nephele-nb-panel";

export class ChatPanel extends Widget {
  private readonly lines = new Map<NotebookPanel, Line>();
  private readonly talks = new Map<NotebookPanel, Talk>();
  private readonly nothing = new Widget();
  private readonly content = new PanelLayout();

  constructor(private readonly tracker: INotebookTracker) {
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
    tracker.widgetAdded.connect((_sender, notebook) => this.add(notebook));
    tracker.forEach((notebook) => {
      this.add(notebook);
    });
    tracker.currentChanged.connect(this.follow, this);
  }

  protected override onAfterShow(): void {
    this.follow();
  }

  /** Listen to each notebook's kernel from the start: an announcement nobody listens for is closed by the host. */
  private add(notebook: NotebookPanel): void {
    const line = new Line(notebook.sessionContext);
    this.lines.set(notebook, line);
    notebook.disposed.connect(() => {
      this.talks.get(notebook)?.dispose();
      this.talks.delete(notebook);
      this.lines.delete(notebook);
      line.dispose();
    });
    // A notebook that is opened comes to the front before it is said to be there.
    this.follow();
  }

  private follow(): void {
    if (!this.isVisible) return;
    const { currentWidget: notebook } = this.tracker;
    const line = notebook && this.lines.get(notebook);
    if (notebook && line && !this.talks.has(notebook)) {
      const talk = new Talk(line);
      this.talks.set(notebook, talk);
      this.content.addWidget(talk);
    }
    this.nothing.setHidden(Boolean(line));
    for (const [owner, talk] of this.talks) talk.setHidden(owner !== notebook);
  }
}
