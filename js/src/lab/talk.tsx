/** What stands on one line, the conversation or one page of it, and how the line stands; it keeps neither. */

import { Widget } from "@lumino/widgets";
import { render } from "preact";
import type { Port } from "../shared/protocol";
import { guessLanguage, speaker } from "../shared/strings";
import { draft, fieldOf } from "../shared/view/draft";
import { type Around, type Modules, mount } from "../shared/view/mount";
import type { Question } from "./cells";
import type { Line } from "./line";
import { Notice } from "./notice";

const MODULES: Modules = {
  editor: () => import("../shared/view/code_editor"),
  math: () => import("../shared/math"),
};
const RETRY_MS = 50;

export class Talk extends Widget {
  private readonly notice = document.createElement("div");
  private readonly view = document.createElement("div");
  private unmount: (() => void) | null = null;
  /** What is to be put into the input as soon as there is one. */
  private drafted: Question | null = null;
  private mayLoad = false;

  constructor(
    private readonly line: Line,
    private readonly port: Port,
    private readonly around: Around,
  ) {
    super();
    this.addClass("nph-panel-talk");
    this.view.hidden = true;
    this.node.append(this.notice, this.view);
    line.changed.connect(this.refresh, this);
    this.refresh();
    line.use();
  }

  /** Put a question into the input, for a person to send; Nephele is loaded first where it is not. */
  draft(question: Question): void {
    const begun = this.drafted !== null;
    this.drafted = question;
    this.mayLoad = true;
    this.refresh();
    if (!begun) this.deliver();
  }

  /** Put the cursor into the input, where there is one. */
  focus(): void {
    fieldOf(this.view)?.focus();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.drafted = null;
    this.line.changed.disconnect(this.refresh, this);
    this.unmount?.();
    render(null, this.notice);
    super.dispose();
  }

  private deliver(): void {
    if (!this.drafted) return;
    const { text, selected } = this.drafted;
    if (this.line.standing.kind === "connected" && draft(this.view, text, selected)) this.drafted = null;
    else setTimeout(() => this.deliver(), RETRY_MS);
  }

  private refresh(): void {
    const { line } = this;
    const { kind } = line.standing;
    const connected = kind === "connected";
    if (connected && !this.unmount) {
      this.view.hidden = false;
      this.unmount = mount(this.view, this.port, MODULES, this.around);
    }
    // What was said stays to be read, and a draft as it is, but nothing can be sent. A short look takes no focus.
    this.view.inert = !connected && kind !== "looking";
    render(
      <Notice
        standing={line.standing}
        say={speaker(guessLanguage())}
        onLoad={() => void line.load()}
        onAgain={() => void line.connect()}
      />,
      this.notice,
    );
    if (this.mayLoad && (kind === "absent" || kind === "restarted")) {
      this.mayLoad = false;
      void line.load();
    }
  }
}
