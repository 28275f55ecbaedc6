/** The pages that stand in the main area: opened, found again, and brought back with the layout. */

import type { ILabShell, ILayoutRestorer, JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget, WidgetTracker } from "@jupyterlab/apputils";
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { ReadonlyPartialJSONObject } from "@lumino/coreutils";
import type { Host } from "../shared/host";
import type { Wanted } from "../shared/protocol";
import type { Lines } from "./lines";
import { PageTab, type Shown } from "./page_tab";

/** The command that opens one; its arguments are those of `Shown`, flat. */
export const OPEN_PAGE = "nephele-nb:open-page";

/** A page to open; a new tab, which one mostly is, is named here. */
type Opened = Omit<Shown, "id"> & { id?: string | undefined };

export class PageTabs {
  private readonly tabs = new WidgetTracker<MainAreaWidget<PageTab>>({ namespace: "nephele-nb-page" });

  constructor(
    private readonly app: JupyterFrontEnd,
    private readonly shell: ILabShell,
    private readonly lines: Lines,
    private readonly hostFor: (notebook: NotebookPanel) => Host,
  ) {}

  /** Bring back what stood there when the page was left; the command has to be there. */
  restoreWith(restorer: ILayoutRestorer): void {
    void restorer.restore(this.tabs, {
      command: OPEN_PAGE,
      args: ({ content }) => {
        const { wanted, ...more } = content.shown;
        return { ...wanted, ...more } as unknown as ReadonlyPartialJSONObject;
      },
      name: ({ content }) => content.shown.id,
    });
  }

  /** Show a page of a notebook's, or the tab that shows it already. */
  open({ id = crypto.randomUUID?.() ?? String(Math.random()), ...page }: Opened): void {
    const same = this.tabs.find(({ content }) => isSame(content.shown, page));
    const tab = same ?? this.add({ ...page, id });
    this.shell.activateById(tab.id);
  }

  private add(shown: Shown): MainAreaWidget<PageTab> {
    const content = new PageTab(this.lines, shown, this.hostFor, (path) => {
      void this.app.commands.execute("docmanager:open", { path });
    });
    const tab = new MainAreaWidget({ content });
    tab.id = `${content.id}-tab`;
    tab.toolbar.hide();
    this.shell.add(tab, "main", { type: "Nephele" });
    content.moved.connect(() => void this.tabs.save(tab));
    void this.tabs.add(tab);
    return tab;
  }
}

function isSame(one: Opened, other: Opened): boolean {
  return one.path === other.path && keyOf(one.wanted) === keyOf(other.wanted);
}

function keyOf(wanted: Wanted): string {
  return JSON.stringify(Object.entries(wanted).sort());
}
