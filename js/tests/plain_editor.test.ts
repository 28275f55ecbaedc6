import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { CodeEditor } from "../src/shared/view/code_editor";
import { mountPlain } from "../src/shared/view/plain_editor";
import { decodeHTML } from "../src/widget/entities";
import { type } from "./mounting";

const CODE = 'if x:\r\n    print("三月")\r\n';
const on = { label: "Code", onChange: vi.fn(), onApprove: vi.fn(), onLeave: vi.fn() };
let box: HTMLElement;
let editor: CodeEditor;
const area = (): HTMLTextAreaElement => box.querySelector("textarea") as HTMLTextAreaElement;
const press = (key: string, fields: KeyboardEventInit = {}): void => {
  area().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...fields }));
};

beforeEach(() => {
  box = document.createElement("div");
  document.body.append(box);
  editor = mountPlain(box, CODE, on);
});
afterEach(() => editor.dispose());

it("gives back untouched code byte for byte, and an edit as it stands", () => {
  expect(editor.code()).toBe(CODE);
  type(area(), "x = 2\n");
  expect(editor.code()).toBe("x = 2\n");
  expect(on.onChange).toHaveBeenLastCalledWith("x = 2\n");
  editor.replace(CODE);
  expect(editor.code()).toBe(CODE);
});

it("approves, leaves and indents by keys, but not while a word is composed", () => {
  press("Enter", { ctrlKey: true, isComposing: true });
  expect(on.onApprove).not.toHaveBeenCalled();
  press("Enter", { ctrlKey: true });
  press("Escape");
  expect(on.onApprove).toHaveBeenCalledOnce();
  expect(on.onLeave).toHaveBeenCalledOnce();
  type(area(), "if x:");
  area().setSelectionRange(5, 5);
  press("Enter");
  expect(editor.code()).toBe("if x:\n    ");
  editor.lock(true);
  press("Enter");
  expect(editor.code()).toBe("if x:\n    ");
});

it.each([
  ["&amp;", "&"],
  ["&mdash;", "—"],
  ["&semi;", ";"],
  ["&nosuchname;", "&nosuchname;"],
  ["&copyfoo;", "&copyfoo;"],
  ["&NotEqualTilde;", "≂̸"],
])("decodes %s", (reference, text) => {
  expect(decodeHTML(reference)).toBe(text);
});
