/** Who answers, and who else could: the tiers, each with where its messages go or why it can't be had. */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { KernelState, TierChoice } from "../protocol";
import { isWord, type Say } from "../strings";
import { useSurroundings } from "./context";

export function TierPicker({ kernel }: { kernel: KernelState }): JSX.Element {
  const { say, send } = useSurroundings();
  const box = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (box.current) box.current.open = false;
  };
  const choose = ({ tier, why }: TierChoice): void => {
    if (why !== "") return;
    if (tier !== kernel.tier) send({ type: "set", tier });
    close();
    box.current?.querySelector("summary")?.focus();
  };
  return (
    <details
      ref={box}
      class="nph-tiers"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !box.current?.open) return;
        close();
        box.current.querySelector("summary")?.focus();
      }}
      onFocusOut={(event) => {
        if (!(event.relatedTarget instanceof Node && box.current?.contains(event.relatedTarget))) close();
      }}
    >
      <summary class="nph-tier" data-tier={kernel.tier} title={say("tier.choose")}>
        <span>{nameOf(kernel.tier, say)}</span>
        {kernel.model ? <span class="nph-tier-model">{kernel.model}</span> : null}
        {kernel.host ? <span class="nph-tier-host">{kernel.host}</span> : null}
      </summary>
      <ul aria-label={say("tier.choose")}>
        {kernel.tiers.map((each) => (
          <li key={each.tier}>
            <button
              type="button"
              aria-disabled={each.why !== ""}
              aria-current={each.tier === kernel.tier}
              onClick={() => choose(each)}
            >
              <b>{nameOf(each.tier, say)}</b>
              <span>{each.why || (each.host ? say("tier.host", { host: each.host }) : say("tier.local"))}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

export function nameOf(tier: string, say: Say): string {
  const word = `tier.${tier}`;
  return isWord(word) ? say(word) : tier;
}
