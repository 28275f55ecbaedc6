/** One line for each notebook that is open, from the moment it is; it asks nothing of their kernels. */

import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import { Signal } from "@lumino/signaling";
import { Line } from "./line";

export class Lines {
  /** A notebook was opened, closed or renamed. */
  readonly changed = new Signal<this, void>(this);
  private readonly lines = new Map<NotebookPanel, Line>();

  constructor(tracker: INotebookTracker) {
    tracker.widgetAdded.connect((_sender, notebook) => this.add(notebook));
    tracker.forEach((notebook) => {
      this.add(notebook);
    });
  }

  of(notebook: NotebookPanel): Line | undefined {
    return this.lines.get(notebook);
  }

  notebookAt(path: string): NotebookPanel | undefined {
    return [...this.lines.keys()].find((notebook) => notebook.context.path === path);
  }

  /** Listen to each notebook's kernel from the start: an announcement nobody listens for is closed by the host. */
  private add(notebook: NotebookPanel): void {
    const line = new Line(notebook.sessionContext);
    this.lines.set(notebook, line);
    notebook.context.pathChanged.connect(() => this.changed.emit());
    notebook.disposed.connect(() => {
      this.lines.delete(notebook);
      this.changed.emit();
      line.dispose();
    });
    this.changed.emit();
  }
}
