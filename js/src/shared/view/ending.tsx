/** How a round ended: its errors, its badge, what it used, its sources, and the ways on from there. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RateLimitUpdate } from "../events";
import type { Round } from "../round";
import { isWord, type Say } from "../strings";
import { Actions, Retry } from "./actions";
import { useSurroundings } from "./context";
import { Sources } from "./sources";
import { spentBy, spentWords } from "./spent";
import { nameOf } from "./tiers";

interface Props {
  round: Round;
  running: boolean;
  /** The model no longer gets this round. */
  aside: boolean;
}

export function Ending({ round, running, aside }: Props): JSX.Element | null {
  const { say } = useSurroundings();
  if (running) return <Limit limit={round.limit} />;
  const { done } = round;
  const failed = done === null || round.errors.some((error) => error.retryable);
  return (
    <footer class="nph-ending">
      {done ? <Sources sources={done.sources} /> : null}
      {round.errors.map((error) => (
        <p key={error.seq} class="nph-error">
          {error.message}
        </p>
      ))}
      <div class="nph-ending-line">
        <Badge finish={done ? done.finish : "cut"} say={say} />
        {failed && !aside ? <Retry round={round} /> : null}
        {round.undoable ? <Undo roundId={round.id} /> : null}
        <Used round={round} />
        {aside ? null : <Actions round={round} retry={!failed} />}
      </div>
    </footer>
  );
}

function Badge({ finish, say }: { finish: string; say: Say }): JSX.Element | null {
  const word = `finish.${finish}`;
  if (finish === "answer") return null;
  return (
    <span class="nph-badge" data-finish={finish}>
      {isWord(word) ? say(word) : finish}
    </span>
  );
}

function Undo({ roundId }: { roundId: string }): JSX.Element {
  const { say, send } = useSurroundings();
  const [asked, setAsked] = useState(false);
  const undo = (): void => {
    setAsked(send({ type: "undo", round_id: roundId }));
  };
  return (
    <button type="button" class="nph-undo" disabled={asked} onClick={undo}>
      {say(asked ? "undo.asked" : "undo")}
    </button>
  );
}

/** Who answered, how, and what it took. */
function Used({ round }: { round: Round }): JSX.Element | null {
  const { say } = useSurroundings();
  const { done, host, tier, mode } = round;
  if (!done || done.finish === "rule") return null;
  const { input, cached, output, reasoning } = done.usage;
  const spent = spentWords(spentBy([round]), say);
  return (
    <>
      <span class="nph-used" title={spent && say("finish.usage.title", { input, cached, output, reasoning })}>
        {[nameOf(tier, say), say(`mode.${mode}`), spent].filter(Boolean).join(" · ")}
      </span>
      {done.finish === "error" || !host ? null : <span class="nph-used">{say("answered.host", { host })}</span>}
    </>
  );
}

function Limit({ limit }: { limit: RateLimitUpdate | null }): JSX.Element | null {
  const { say } = useSurroundings();
  if (limit?.remaining !== 0 || limit.reset_s === null) return null;
  const word = limit.scope === "stamina" ? "limit.stamina" : "limit.provider";
  return <p class="nph-line">{say(word, { seconds: Math.ceil(limit.reset_s) })}</p>;
}
