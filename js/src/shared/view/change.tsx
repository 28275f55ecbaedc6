/** How the code in the editor differs from what was proposed, told while it is edited. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { lineDiff } from "../line_diff";
import { Diff } from "./code";
import { useSurroundings } from "./context";

export function ChangeView({ proposal, code }: { proposal: string; code: string }): JSX.Element | null {
  const { say } = useSurroundings();
  const change = useMemo(() => lineDiff(proposal, code), [proposal, code]);
  if (change.text === "") return null;
  return (
    <details class="nph-change">
      <summary>
        {say("approval.diff")} <ins>+{change.added}</ins> <del>−{change.removed}</del>
      </summary>
      <Diff text={change.text} />
    </details>
  );
}
