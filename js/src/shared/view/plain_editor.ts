/** A bare text field in place of the code editor, until that has come or where it can't; it highlights nothing. */

import type { CodeEditor, EditorOptions } from "./code_editor";
import { isComposing } from "./keys";

const TAB = "    ";

export function mountPlain(parent: HTMLElement, code: string, options: EditorOptions): CodeEditor {
  const area = document.createElement("textarea");
  area.className = "nph-plain-editor";
  area.spellcheck = false;
  area.setAttribute("aria-label", options.label);
  area.value = code;
  // A text field turns carriage returns into plain line ends: what nobody has touched is given back as it came.
  let [given, shown] = [code, area.value];
  const read = (): string => (area.value === shown ? given : area.value);
  const grow = (): void => {
    area.rows = Math.min(18, area.value.split("\n").length);
  };
  area.addEventListener("input", () => {
    grow();
    options.onChange(read());
  });
  area.addEventListener("keydown", (event) => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) options.onApprove();
    else if (event.key === "Escape") options.onLeave();
    else if (event.key === "Enter" && !event.shiftKey) indent(area);
    else return;
    event.preventDefault();
  });
  grow();
  parent.append(area);
  return {
    code: read,
    replace: (next) => {
      area.value = next;
      [given, shown] = [next, area.value];
      grow();
      options.onChange(next);
    },
    lock: (locked) => {
      area.readOnly = locked;
    },
    dispose: () => area.remove(),
  };
}

/** A new line keeps the indentation of the one above, one step more after a colon. */
function indent(area: HTMLTextAreaElement): void {
  if (area.readOnly) return;
  const line = area.value.slice(0, area.selectionStart).split("\n").at(-1) ?? "";
  const depth = (/^[ \t]*/.exec(line)?.[0] ?? "") + (/:\s*$/.test(line) ? TAB : "");
  area.setRangeText(`\n${depth}`, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}
