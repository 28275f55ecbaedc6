/** Shows one scripted session, named by the page's address; for looking at, by hand or by a camera. */

import "../../style/chat.css";
import "../../style/markdown.css";
import "../../style/pages.css";
import "../../style/rounds.css";
import "../../style/tools.css";
import "../../style/approval.css";
import "../../style/messages.css";
import { EditorView } from "@codemirror/view";
import { typeset } from "../../src/shared/math";
import { mountEditor } from "../../src/shared/view/code_editor";
import { mount } from "../../src/shared/view/mount";
import { FakePort } from "../building";
import { names, session } from "./sessions";

const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const query = new URLSearchParams(location.search);
const language = query.get("language") === "zh" ? "zh" : "en";
const {
  state,
  events,
  page,
  intake,
  press = [],
  typed = "",
  choices = [],
  pictures = 0,
  edited,
  decided,
} = session(query.get("session") ?? "answered", language);
document.documentElement.lang = language;
Object.assign(window, { sessions: names });

const port = new FakePort();
const root = document.getElementById("chat");
if (root) mount(root, port, { editor: async () => ({ mountEditor }), math: async () => ({ typeset }) });
port.deliver({ type: "snapshot", state, events });
if (page) port.deliver({ type: "page", page });
if (decided) port.deliver({ type: "decided", ...decided });
if (intake) port.deliver({ type: "intake", ...intake });
/** Write into the field and paste pictures, as a person would. */
function compose(): void {
  const field = document.querySelector("textarea.nph-field") as HTMLTextAreaElement | null;
  if (!field || (typed === "" && pictures === 0)) return;
  const data = new DataTransfer();
  const bytes = Uint8Array.from(atob(DOT), (character) => character.charCodeAt(0));
  for (let n = 0; n < pictures; n += 1) data.items.add(new File([bytes], `chart-${n}.png`, { type: "image/png" }));
  field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  field.value = typed;
  field.setSelectionRange(typed.length, typed.length);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  port.deliver({ type: "choices", prefix: typed.split(" ").at(-1) ?? "", choices });
}

/** Type over the code that is asked about, once its editor is there. */
async function edit(): Promise<void> {
  if (edited === undefined) return;
  const find = (): HTMLElement | null => document.querySelector(".nph-approval .cm-editor");
  while (find() === null) await pause(20);
  const editor = EditorView.findFromDOM(find() as HTMLElement);
  editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: edited } });
  await pause(60);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

requestAnimationFrame(() =>
  setTimeout(async () => {
    compose();
    await edit();
    for (const selector of press) for (const found of document.querySelectorAll<HTMLElement>(selector)) found.click();
    document.body.dataset["drawn"] = "true";
  }, 100),
);
