/** What a person can do from the palette, the menus, a toolbar or a key; schema/panel.json says where each stands. */

import type { JupyterFrontEnd } from "@jupyterlab/application";
import { type ICommandPalette, Notification } from "@jupyterlab/apputils";
import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import type { CommandRegistry } from "@lumino/commands";
import type { ReadonlyPartialJSONObject } from "@lumino/coreutils";
import type { Wanted } from "../shared/protocol";
import type { Say, Word } from "../shared/strings";
import { approvedCells } from "./approved";
import { type AskedCell, aboutCell, aboutError, append, hasError } from "./cells";
import type { Lines } from "./lines";
import { OPEN_PAGE, type PageTabs } from "./page_tabs";
import { type ChatPanel, PANEL_ID } from "./panel";

const SHOW = "nephele-nb:show-panel";
const TOGGLE = "nephele-nb:toggle-panel";
const ASK_CELL = "nephele-nb:ask-cell";
const ASK_ERROR = "nephele-nb:ask-error";
const INSERT = "nephele-nb:insert-approved";
const NO_ARGUMENTS = { args: { type: "object", properties: {} } } as const;
const SHOWN_MS = 8_000;
const HUBS = ["notes", "memory", "journal"] as const;

export interface Parts {
  app: JupyterFrontEnd;
  tracker: INotebookTracker;
  lines: Lines;
  panel: ChatPanel;
  /** null where there is no main area for more than the notebook. */
  pages: PageTabs | null;
  say: Say;
}

export function addCommands(parts: Parts, palette: ICommandPalette | null): void {
  const add = (id: string, options: CommandRegistry.ICommandOptions): void => {
    parts.app.commands.addCommand(id, { describedBy: NO_ARGUMENTS, ...options });
  };
  addPanelCommands(parts, add);
  addCellCommands(parts, add);
  for (const command of [SHOW, ASK_CELL, ASK_ERROR, INSERT]) palette?.addItem({ command, category: "Nephele" });
  if (!parts.pages) return;
  addPageCommand(parts, parts.pages, add);
  for (const view of HUBS) palette?.addItem({ command: OPEN_PAGE, category: "Nephele", args: { view } });
}

type Add = (id: string, options: CommandRegistry.ICommandOptions) => void;

function addPanelCommands({ app, panel, say }: Parts, add: Add): void {
  add(SHOW, {
    label: say("panel.caption"),
    execute: () => {
      app.shell.activateById(PANEL_ID);
      panel.focusInput();
    },
  });
  add(TOGGLE, {
    label: say("command.panel"),
    caption: say("panel.caption"),
    iconClass: "nph-panel-icon",
    isToggled: () => panel.isVisible,
    execute: () => {
      // Both JupyterLab's shell and Notebook's can close their right side, and no type they share says so.
      if (panel.isVisible) (app.shell as unknown as { collapseRight(): void }).collapseRight();
      else app.shell.activateById(PANEL_ID);
    },
  });
}

function addCellCommands({ app, tracker, lines, panel, say }: Parts, add: Add): void {
  // The context menu is of the cell that was clicked, which need not be the active one.
  const cellOf = ({ here }: ReadonlyPartialJSONObject): AskedCell => {
    const notebook = tracker.currentWidget?.content;
    const node = here ? app.contextMenuHitTest((each) => each.classList.contains("jp-Cell")) : undefined;
    return notebook?.widgets.find((cell) => cell.node === node) ?? notebook?.activeCell ?? null;
  };
  const ask = (about: typeof aboutCell, args: ReadonlyPartialJSONObject): void => {
    const { currentWidget: notebook } = tracker;
    const question = about(cellOf(args), say);
    if (!notebook || !question) return;
    app.shell.activateById(PANEL_ID);
    panel.draft(notebook, question);
  };
  const hasCell = (): boolean => Boolean(tracker.currentWidget?.content.activeCell);
  add(ASK_CELL, { label: say("command.ask.cell"), isEnabled: hasCell, execute: (args) => ask(aboutCell, args) });
  const fails = (args: ReadonlyPartialJSONObject): boolean => hasError(cellOf(args));
  add(ASK_ERROR, {
    label: say("command.ask.error"),
    isEnabled: fails,
    isVisible: fails,
    execute: (args) => ask(aboutError, args),
  });
  add(INSERT, {
    label: say("command.approved"),
    caption: say("command.approved.caption"),
    isEnabled: hasCell,
    execute: async () => {
      const { currentWidget: notebook } = tracker;
      if (notebook) await insertApproved(notebook, lines, say);
    },
  });
}

async function insertApproved(notebook: NotebookPanel, lines: Lines, say: Say): Promise<void> {
  const line = lines.of(notebook);
  if (!line) return;
  try {
    const cells = await approvedCells(line);
    if (cells.length === 0) Notification.info(say("approved.none"), { autoClose: SHOWN_MS });
    else if (!append(notebook, cells)) Notification.warning(say("approved.locked"), { autoClose: SHOWN_MS });
  } catch (error) {
    // The edge to the kernel: what it said, or that nobody is there.
    const reason = error instanceof Error && error.message ? error.message : say("approved.nobody");
    Notification.warning(reason, { autoClose: SHOWN_MS });
  }
}

function addPageCommand({ tracker, say }: Parts, pages: PageTabs, add: Add): void {
  const wordOf = (args: ReadonlyPartialJSONObject): Word => `page.view.${String(args["view"] ?? "notes")}` as Word;
  add(OPEN_PAGE, {
    label: (args) => (HUBS.some((view) => view === args["view"]) ? say(wordOf(args)) : say("page.detach")),
    isEnabled: (args) => Boolean(args["path"] ?? tracker.currentWidget),
    describedBy: {
      args: {
        type: "object",
        properties: { view: { type: "string" }, target: { type: "string" }, path: { type: "string" } },
        required: ["view"],
      },
    },
    execute: (args) => {
      const { path = tracker.currentWidget?.context.path, title = "", id, ...wanted } = args;
      if (typeof path !== "string" || typeof wanted["view"] !== "string") return;
      const page = { target: "", ...wanted } as unknown as Wanted;
      pages.open({ path, title: String(title), wanted: page, id: typeof id === "string" ? id : undefined });
    },
  });
}
