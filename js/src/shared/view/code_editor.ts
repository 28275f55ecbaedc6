/** The editor of proposed code (CodeMirror with Python); what it gives back is byte for byte what stands in it. */

import { defaultKeymap, history, historyKeymap, insertNewlineAndIndent } from "@codemirror/commands";
import { bracketMatching, indentService, indentUnit, LRLanguage, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { parser } from "@lezer/python";

export interface CodeEditor {
  code(): string;
  replace(code: string): void;
  lock(locked: boolean): void;
  dispose(): void;
}

export interface EditorOptions {
  label: string;
  onChange(code: string): void;
  onApprove(): void;
  onLeave(): void;
}

const python = LRLanguage.define({ name: "python", parser });

/** A new line keeps the indentation of the one above, one step more after a colon. */
const indentation = indentService.of((context, at) => {
  const above = context.state.doc.lineAt(at > 0 ? at - 1 : 0).text;
  const depth = /^[ \t]*/.exec(above)?.[0].length ?? 0;
  return /:\s*(#.*)?$/.test(above) ? depth + context.unit : depth;
});

export function mountEditor(parent: HTMLElement, code: string, options: EditorOptions): CodeEditor {
  const editable = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: code, extensions: [editable.of([]), ...extensions(code, options)] }),
  });
  return {
    code: () => view.state.sliceDoc(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    lock: (locked) => view.dispatch({ effects: editable.reconfigure(locked ? [EditorState.readOnly.of(true)] : []) }),
    dispose: () => view.destroy(),
  };
}

function extensions(code: string, options: EditorOptions): Extension[] {
  const approve = (): boolean => {
    options.onApprove();
    return true;
  };
  const leave = (): boolean => {
    options.onLeave();
    return true;
  };
  return [
    // Carriage returns of the proposal are kept: the editor would else turn them into plain line ends.
    code.includes("\r") ? EditorState.lineSeparator.of("\n") : [],
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    bracketMatching(),
    python,
    indentation,
    indentUnit.of("    "),
    syntaxHighlighting(classHighlighter),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": options.label, spellcheck: "false", tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.onChange(update.state.sliceDoc());
    }),
    Prec.highest(
      keymap.of([
        { key: "Mod-Enter", run: approve },
        { key: "Ctrl-Enter", run: approve },
        { key: "Escape", run: leave },
      ]),
    ),
    keymap.of([{ key: "Enter", run: insertNewlineAndIndent }, ...historyKeymap, ...defaultKeymap]),
  ];
}
