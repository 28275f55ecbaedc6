/** The JupyterLab plugins: the renderer of saved and live conversations, and the side panel; they hold no state. */

import { ILabShell, ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { ITranslator } from "@jupyterlab/translation";
import { answerViews, type Host } from "../shared/host";
import { guessLanguage, speaker } from "../shared/strings";
import { insertBelow } from "./cells";
import { addCommands } from "./commands";
import { ConversationRenderer, MIME } from "./conversation";
import { Lines } from "./lines";
import { LiveWidgets } from "./live_widgets";
import { own, ownerOf } from "./owners";
import { PageTabs } from "./page_tabs";
import { ChatPanel, PANEL_ID } from "./panel";

/** Before the widgets' own renderer, which can only say that a model was not found. */
const RANK = -50;

function install(panel: NotebookPanel): void {
  const live = new LiveWidgets(panel.sessionContext);
  const { rendermime } = panel.content;
  own(panel.node, panel);
  rendermime.addFactory(
    {
      safe: true,
      mimeTypes: [MIME],
      createRenderer: () => {
        const renderer = new ConversationRenderer(rendermime, live);
        own(renderer.node, panel);
        return renderer;
      },
    },
    RANK,
  );
  panel.disposed.connect(() => live.dispose());
}

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
  description: "A side panel with the conversation of the notebook in front, and what leads to it.",
  autoStart: true,
  requires: [INotebookTracker],
  // The translator has told the page its language once it is there.
  optional: [ICommandPalette, ILayoutRestorer, ILabShell, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    shell: ILabShell | null,
  ) => {
    const lines = new Lines(tracker);
    const insert = (notebook: NotebookPanel) => (code: string) => insertBelow(notebook, code);
    const back = (): void => app.shell.activateById(PANEL_ID);
    const pages = shell && new PageTabs(app, shell, lines, (notebook) => ({ insert: insert(notebook), back }));
    const hostFor = (notebook: NotebookPanel): Host => ({
      insert: insert(notebook),
      ...(pages && {
        detach: (wanted, title) => pages.open({ path: notebook.context.path, title, wanted }),
      }),
    });
    answerViews((element) => {
      // Where it stands is known only once it is there, which it may not be when it asks.
      const host = (): Host => {
        const notebook = ownerOf(element);
        return notebook ? hostFor(notebook) : {};
      };
      return {
        insert: (code) => host().insert?.(code) ?? false,
        ...(pages && { detach: (wanted, title) => host().detach?.(wanted, title) }),
      };
    });
    const panel = new ChatPanel(tracker, lines, hostFor);
    app.shell.add(panel, "right", { rank: 900, type: "Nephele" });
    restorer?.add(panel, PANEL_ID);
    addCommands({ app, tracker, lines, panel, pages, say: speaker(guessLanguage()) }, palette);
    if (restorer) pages?.restoreWith(restorer);
  },
};

export default [conversations, sidePanel];
