/** The JupyterLab plugins: the renderer of saved and live conversations, and the side panel; they hold no state. */

import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { ConversationRenderer, MIME } from "./conversation";
import { LiveWidgets } from "./live_widgets";
import { ChatPanel, PANEL_ID } from "./panel";

/** Before the widgets' own renderer, which can only say that a model was not found. */
const RANK = -50;

function install(panel: NotebookPanel): void {
  const live = new LiveWidgets(panel.sessionContext);
  const { rendermime } = panel.content;
  rendermime.addFactory(
    {
      safe: true,
      mimeTypes: [MIME],
      createRenderer: () => new ConversationRenderer(rendermime, live),
    },
    RANK,
  );
  panel.disposed.connect(() => live.dispose());
}

const SHOW_PANEL = "nephele-nb:show-panel";

const conversations: JupyterFrontEndPlugin<void> = {
  id: "nephele-nb:conversations",
  description: "Shows a chat live while its kernel is there, and its saved transcript otherwise.",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker) => {
    tracker.widgetAdded.connect((_sender, panel) => install(panel));
    tracker.forEach(install);
  },
};

const sidePanel: JupyterFrontEndPlugin<void> = {
  id: "nephele-nb:panel",
  description: "A side panel with the conversation of the notebook in front.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
  ) => {
    const panel = new ChatPanel(tracker);
    app.shell.add(panel, "right", { rank: 900, type: "Nephele" });
    restorer?.add(panel, PANEL_ID);
    app.commands.addCommand(SHOW_PANEL, {
      label: panel.title.caption,
      execute: () => app.shell.activateById(PANEL_ID),
      describedBy: { args: { type: "object", properties: {} } },
    });
    palette?.addItem({ command: SHOW_PANEL, category: "Nephele" });
  },
};

export default [conversations, sidePanel];
