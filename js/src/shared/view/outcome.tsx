/** What became of an approval: who decided what, the code that ran, and how it differs from the proposal. */

import type { JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Approval, Resolution } from "../round";
import { isWord, type Say } from "../strings";
import { Code, Diff } from "./code";
import { TalkContext, useSurroundings } from "./context";

/** Say how an approval ended and by whom. */
export function outcomeWords(resolved: Resolution, say: Say): string {
  const exact = `outcome.${resolved.outcome}.${resolved.by}`;
  const words = say(isWord(exact) ? exact : `outcome.${resolved.outcome}`);
  return resolved.for_round ? `${words} ${say("outcome.for_round")}` : words;
}

export function OutcomeView({ approval }: { approval: Approval }): JSX.Element {
  const { say } = useSurroundings();
  const { resolved, answer } = approval;
  if (!resolved) return <p class="nph-outcome">{say("approval.void")}</p>;
  const code = resolved.code ?? approval.code;
  const late = answer && !answer.ok ? ` ${answer.message || say("approval.elsewhere")}` : "";
  return (
    <div class="nph-outcome" data-outcome={resolved.outcome}>
      <p>
        {outcomeWords(resolved, say)}
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

const UNDECIDED: ReadonlySet<string> = new Set(["expired", "cancelled"]);

/** What nobody decided can be asked once more; it runs nothing by itself. */
export function AskAgain({ approval }: { approval: Approval }): JSX.Element | null {
  const { say, send } = useSurroundings();
  const { busy, single } = useContext(TalkContext);
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (!busy) setAsked(false);
  }, [busy]);
  const open = approval.resolved === null || UNDECIDED.has(approval.resolved.outcome);
  // A view of one round would not show the one in which it is asked.
  if (!open || single) return null;
  return (
    <div class="nph-ask-again">
      <button
        type="button"
        disabled={asked}
        title={say("approval.run_now.title")}
        onClick={() => setAsked(send({ type: "run_again", approval_id: approval.id }))}
      >
        {say(asked ? "approval.run_now.asked" : "approval.run_now")}
      </button>
    </div>
  );
}
