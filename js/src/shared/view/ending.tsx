/** How a round ended: its errors, its badge, what it used, its sources, and the ways on from there. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RateLimitUpdate, Usage } from "../events";
import type { Round } from "../round";
import { isWord, type Say } from "../strings";
import { useSurroundings } from "./context";
import { Sources } from "./sources";

export function Ending({ round, running }: { round: Round; running: boolean }): JSX.Element | null {
  const { say } = useSurroundings();
  if (running) return <Limit limit={round.limit} />;
  const { done } = round;
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
        <Retry round={round} />
        {round.undoable ? <Undo roundId={round.id} /> : null}
        {done ? <Used usage={done.usage} say={say} /> : null}
        {done && done.finish !== "error" && done.finish !== "rule" ? (
          <span class="nph-used">
            {round.host ? say("answered.host", { host: round.host }) : say("answered.local")}
          </span>
        ) : null}
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

function Retry({ round }: { round: Round }): JSX.Element | null {
  const { say, ask } = useSurroundings();
  const lost = round.done === null;
  if (!lost && !round.errors.some((error) => error.retryable)) return null;
  const again = (): void => {
    ask(round.text, round.mode === "chat" ? "chat" : "agent", round.mode === "research");
  };
  return (
    <button type="button" onClick={again}>
      {say("retry")}
    </button>
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

function Used({ usage, say }: { usage: Usage; say: Say }): JSX.Element | null {
  if (usage.total === 0) return null;
  const { input, cached, output, reasoning, steps, total } = usage;
  return (
    <span class="nph-used" title={say("finish.usage.title", { input, cached, output, reasoning })}>
      {say("finish.usage", { steps, total: total.toLocaleString("en") })}
    </span>
  );
}

function Limit({ limit }: { limit: RateLimitUpdate | null }): JSX.Element | null {
  const { say } = useSurroundings();
  if (limit?.remaining !== 0 || limit.reset_s === null) return null;
  const word = limit.scope === "stamina" ? "limit.stamina" : "limit.provider";
  return <p class="nph-line">{say(word, { seconds: Math.ceil(limit.reset_s) })}</p>;
}
