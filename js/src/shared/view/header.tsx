/** The line on top: who answers, where messages go, what the library holds. */

import type { JSX } from "preact";
import type { KernelState } from "../protocol";
import { useSurroundings } from "./context";
import { type Spent, spentWords } from "./spent";
import { TierPicker } from "./tiers";
import { Views } from "./views";

interface Props {
  kernel: KernelState;
  balance: number | null;
  spent: Spent;
  /** What is open, empty for the conversation. */
  view: string;
}

export function Header({ kernel, balance, spent, view }: Props): JSX.Element {
  const { say, send } = useSurroundings();
  const { library } = kernel;
  return (
    <header class="nph-header">
      <strong>{say("agent")}</strong>
      <TierPicker kernel={kernel} />
      <span class="nph-space" />
      <span class="nph-muted nph-spent" title={say("spent.title")}>
        {spentWords(spent, say)}
      </span>
      {balance === null ? null : <span class="nph-muted">{say("balance", { balance: balance.toFixed(2) })}</span>}
      {library ? (
        <button
          type="button"
          class="nph-link nph-muted"
          title={searchWords(library.embedder, say)}
          onClick={() => send({ type: "open", view: "notes", target: "" })}
        >
          {say("library", { notes: library.notes, tables: library.tables })}
        </button>
      ) : null}
      <Views current={view} />
    </header>
  );
}

function searchWords(embedder: string, say: ReturnType<typeof useSurroundings>["say"]): string {
  return embedder && embedder !== "none" ? say("library.embedder", { embedder }) : say("library.text");
}
