/** The line on top: who answers, where messages go, what the library holds. */

import type { JSX } from "preact";
import type { KernelState } from "../protocol";
import { isWord } from "../strings";
import { useSurroundings } from "./context";

export function Header({ kernel, balance }: { kernel: KernelState; balance: number | null }): JSX.Element {
  const { say, send } = useSurroundings();
  const word = `tier.${kernel.tier}`;
  const where = kernel.host ? say("tier.host", { host: kernel.host }) : say("tier.local");
  const { library } = kernel;
  return (
    <header class="nph-header">
      <strong>{say("agent")}</strong>
      <span class="nph-tier" data-tier={kernel.tier} title={where}>
        <span>{isWord(word) ? say(word) : kernel.tier}</span>
        {kernel.model ? <span class="nph-tier-model">{kernel.model}</span> : null}
        {kernel.host ? <span class="nph-tier-host">{kernel.host}</span> : null}
      </span>
      <span class="nph-space" />
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
    </header>
  );
}

function searchWords(embedder: string, say: ReturnType<typeof useSurroundings>["say"]): string {
  return embedder && embedder !== "none" ? say("library.embedder", { embedder }) : say("library.text");
}
