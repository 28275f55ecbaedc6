/** What is open and nothing else, in a place of its own beside the conversation; it keeps nothing. */

import type { JSX } from "preact";
import type { AppProps } from "./app";
import { SurroundingsContext } from "./context";
import { PageView } from "./page";

export function PageAlone({ state, surroundings, trouble }: AppProps): JSX.Element {
  const { say } = surroundings;
  const { slow, gone, broken } = trouble;
  const notice = state.kernel?.notice;
  return (
    <SurroundingsContext.Provider value={surroundings}>
      {broken ? <p class="nph-error">{say("broken", { reason: broken })}</p> : null}
      {gone ? <p class="nph-error">{say("gone")}</p> : null}
      {state.page ? (
        <PageView
          page={state.page}
          loading={state.opening !== null}
          further={state.trail.length > 1}
          intake={state.intake}
        />
      ) : (
        <p class="nph-connecting">{say(slow ? "connecting.slow" : "connecting")}</p>
      )}
      {notice ? (
        <p class="nph-notice" role="status">
          {notice}
        </p>
      ) : null}
    </SurroundingsContext.Provider>
  );
}
