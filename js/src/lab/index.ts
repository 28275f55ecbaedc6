/** The JupyterLab plugin: gives each notebook the renderer of saved and live conversations; nothing else yet. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { ConversationRenderer, MIME } from "./conversation";
import { LiveWidgets } from "./live_widgets";

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

const plugin: JupyterFrontEndPlugin<void> = {
  id: "nephele-nb:conversations",
  description: "Shows a chat live while its kernel is there, and its saved transcript otherwise.",
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker) => {
    tracker.widgetAdded.connect((_sender, panel) => install(panel));
    tracker.forEach(install);
  },
};

export default plugin;
