/** What became of an approval: who decided what, the code that ran, and how it differs from the proposal. */

import type { JSX } from "preact";
import type { Approval } from "../round";
import { Code, Diff } from "./code";
import { useSurroundings } from "./context";

export function OutcomeView({ approval }: { approval: Approval }): JSX.Element {
  const { say } = useSurroundings();
  const { resolved, answer } = approval;
  if (!resolved) return <p class="nph-outcome">{say("approval.void")}</p>;
  const code = resolved.code ?? approval.code;
  const late = answer && !answer.ok ? ` ${answer.message || say("approval.elsewhere")}` : "";
  return (
    <div class="nph-outcome" data-outcome={resolved.outcome}>
      <p>
        {say(`outcome.${resolved.outcome}`)}
        {late}
      </p>
      {code === null ? null : <Code code={code} language="python" />}
      {resolved.diff ? (
        <details>
          <summary>{say("approval.diff")}</summary>
          <Diff text={resolved.diff} />
        </details>
      ) : null}
    </div>
  );
}
