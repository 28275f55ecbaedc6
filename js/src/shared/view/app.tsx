/** The whole view of one state; it keeps nothing of its own. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { awaited } from "../opening";
import { isBusy, isRunning, type State } from "../store";
import { isWord } from "../strings";
import { toolTitle } from "./arguments";
import { Composer } from "./composer";
import { PlaceContext, type Surroundings, SurroundingsContext, TalkContext } from "./context";
import { Header } from "./header";
import { PageView } from "./page";
import { spentBy } from "./spent";
import { Transcript } from "./transcript";

/** What is wrong between the view and its kernel. */
export interface Trouble {
  /** The kernel is silent for longer than usual. */
  slow: boolean;
  /** There is no way to the kernel any more. */
  gone: boolean;
  /** Why a message could not be read, empty if all could. */
  broken: string;
}

export interface AppProps {
  state: State;
  surroundings: Surroundings;
  trouble: Trouble;
}

export function App({ state, surroundings, trouble }: AppProps): JSX.Element {
  const { say } = surroundings;
  const { kernel } = state;
  const busy = isBusy(state);
  const ownRuns = state.rounds.some((round) => isRunning(state, round));
  const { slow, gone, broken } = trouble;
  const { place: where = "", cell_running = false } = kernel ?? {};
  const place = useMemo(() => ({ place: where, cell_running }), [where, cell_running]);
  const { single = false } = kernel ?? {};
  const sent = state.outbox.length > 0;
  const talk = useMemo(() => ({ busy, sent, single }), [busy, sent, single]);
  const ended = state.rounds.filter((round) => round.done).length;
  const spent = useMemo(() => spentBy(state.rounds), [ended, state.rounds.length]);
  const page = state.page ?? (state.opening && awaited(state.opening));
  const announcement = useMemo(() => announce(state, surroundings), [state, surroundings]);
  return (
    <SurroundingsContext.Provider value={surroundings}>
      {kernel ? <Header kernel={kernel} balance={state.balance} spent={spent} view={page?.view ?? ""} /> : null}
      {broken ? <p class="nph-error">{say("broken", { reason: broken })}</p> : null}
      {gone ? <p class="nph-error">{say("gone")}</p> : null}
      {page ? (
        <PageView page={page} loading={state.opening !== null} further={state.trail.length > 1} intake={state.intake} />
      ) : null}
      <TalkContext.Provider value={talk}>
        <PlaceContext.Provider value={place}>
          <Transcript state={state} hidden={page !== null} />
        </PlaceContext.Provider>
      </TalkContext.Provider>
      {kernel ? null : <p class="nph-connecting">{say(slow ? "connecting.slow" : "connecting")}</p>}
      {kernel?.notice ? (
        <p class="nph-notice" role="status">
          {kernel.notice}
        </p>
      ) : null}
      {kernel && kernel.queued > 0 ? <p class="nph-line">{say("queued", { count: kernel.queued })}</p> : null}
      {kernel?.single && !ownRuns ? null : <Composer state={state} busy={busy} />}
      <p class="nph-announcer" role="status" aria-live="polite">
        {announcement}
      </p>
    </SurroundingsContext.Provider>
  );
}

/** What a screen reader should hear beside the answer itself. */
function announce(state: State, { say }: Surroundings): string {
  const round = state.rounds.at(-1);
  if (!round || !state.kernel) return "";
  if (round.done) {
    const ended = `finish.${round.done.finish}`;
    return round.done.finish !== "answer" && isWord(ended) ? say(ended) : say("live.done");
  }
  const waiting = round.parts.find(
    (part) => part.type === "tool" && part.approval !== null && part.approval.resolved === null,
  );
  if (waiting?.type === "tool") return say("live.approval", { what: toolTitle(waiting.tool, say) });
  return state.kernel.busy ? say("live.answering") : "";
}
