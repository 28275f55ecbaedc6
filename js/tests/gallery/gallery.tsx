/** Shows one scripted session, named by the page's address; for looking at, by hand or by a camera. */

import "../../style/chat.css";
import "../../style/markdown.css";
import "../../style/pages.css";
import "../../style/rounds.css";
import "../../style/tools.css";
import "../../style/approval.css";
import { mountEditor } from "../../src/shared/view/code_editor";
import { mount } from "../../src/shared/view/mount";
import { FakePort } from "../building";
import { names, session } from "./sessions";

const query = new URLSearchParams(location.search);
const language = query.get("language") === "zh" ? "zh" : "en";
const { state, events, page, press = [] } = session(query.get("session") ?? "answered", language);
document.documentElement.lang = language;
Object.assign(window, { sessions: names });

const port = new FakePort();
const root = document.getElementById("chat");
if (root) mount(root, port, () => Promise.resolve({ mountEditor }));
port.deliver({ type: "snapshot", state, events });
if (page) port.deliver({ type: "page", page });
requestAnimationFrame(() =>
  setTimeout(() => {
    for (const selector of press) for (const found of document.querySelectorAll<HTMLElement>(selector)) found.click();
    document.body.dataset["drawn"] = "true";
  }, 100),
);
