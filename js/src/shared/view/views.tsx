/** The quiet way from the conversation to everything else that can be looked at, and back. */

import type { JSX } from "preact";
import type { Word } from "../strings";
import { useSurroundings } from "./context";

const VIEWS = ["chat", "notes", "graph", "memory", "journal"] as const;

export function Views({ current }: { current: string }): JSX.Element {
  const { say, send, close } = useSurroundings();
  const shown = current === "note" || current === "table" ? "notes" : current || "chat";
  const choose = (view: string): void => {
    if (view === "chat") close();
    else send({ type: "open", view, target: "" });
  };
  return (
    <select
      class="nph-views"
      aria-label={say("page.views")}
      value={shown}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {VIEWS.map((view) => {
        const name = say(`page.view.${view}` as Word);
        return (
          <option key={view} value={view}>
            {view === shown ? say("page.views.at", { view: name }) : name}
          </option>
        );
      })}
    </select>
  );
}
