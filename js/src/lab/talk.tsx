/** One notebook's part of the panel: its conversation, kept while another notebook is in front, and how it stands. */

import { Widget } from "@lumino/widgets";
import { render } from "preact";
import { guessLanguage, speaker } from "../shared/strings";
import { mount } from "../shared/view/mount";
import type { Line } from "./line";
import { Notice } from "./notice";

export class Talk extends Widget {
  private readonly notice = document.createElement("div");
  private readonly view = document.createElement("div");
  private unmount: (() => void) | null = null;

  constructor(private readonly line: Line) {
    super();
    this.addClass("nph-panel-talk");
    this.view.hidden = true;
    this.node.append(this.notice, this.view);
    line.changed.connect(this.refresh, this);
    this.refresh();
    line.use();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.line.changed.disconnect(this.refresh, this);
    this.unmount?.();
    render(null, this.notice);
    super.dispose();
  }

  private refresh(): void {
    const { line } = this;
    const { kind } = line.standing;
    const connected = kind === "connected";
    if (connected && !this.unmount) {
      this.view.hidden = false;
      this.unmount = mount(this.view, line, {
        editor: () => import("../shared/view/code_editor"),
        math: () => import("../shared/math"),
      });
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
  }
}
