/** What was done, round by round, each with the way to take it back and what that would leave. */

import type { JSX } from "preact";
import type { Done, DoneRound, Page } from "../../pages";
import { isWord, type Say, type Word } from "../../strings";
import { useSurroundings } from "../context";
import { Confirmed } from "./confirm";
import { PART, Scrolls, Steps } from "./list";

export function Journal({ page }: { page: Page }): JSX.Element {
  const { say, send } = useSurroundings();
  const open = (offset: number): void => {
    send({ type: "open", view: "journal", target: "", offset });
  };
  if (page.rounds.length === 0) return <p class="nph-page-body nph-muted">{say("page.empty.journal")}</p>;
  return (
    <Scrolls>
      <ol class="nph-journal">
        {page.rounds.map((round) => (
          <Round key={round.round} round={round} offset={page.offset} />
        ))}
      </ol>
      <Steps page={page} shown={page.rounds.length} size={PART} open={open} />
    </Scrolls>
  );
}

function Round({ round, offset }: { round: DoneRound; offset: number }): JSX.Element {
  const { say, send } = useSurroundings();
  const undo = (): void => {
    send({ type: "undo", round_id: round.round, after: { view: "journal", target: "", offset } });
  };
  const back = round.operations.filter(({ fate }) => fate === "open");
  const stays = round.operations.filter(({ fate }) => fate === "stays");
  return (
    <li data-undone={round.undone ? "" : undefined}>
      <p class="nph-journal-head">
        <b>{round.title}</b>
        <span class="nph-muted">{round.about}</span>
        {round.undone ? <span class="nph-kind">{say("journal.undone")}</span> : null}
      </p>
      <ul>
        {round.operations.map((done, at) => (
          <li key={at} data-fate={done.fate}>
            {named(done, say)}
            {round.undone || done.fate === "open" ? null : (
              <span class="nph-muted"> · {say(`journal.${done.fate}` as Word)}</span>
            )}
          </li>
        ))}
      </ul>
      {back.length > 0 ? (
        <Confirmed label={say(round.undoes ? "journal.redo" : "undo")} onConfirm={undo}>
          <p>{say(round.undoes ? "journal.again" : "journal.back", { count: back.length })}</p>
          {stays.length > 0 ? <Stays operations={stays} /> : null}
        </Confirmed>
      ) : null}
    </li>
  );
}

function Stays({ operations }: { operations: readonly Done[] }): JSX.Element {
  const { say } = useSurroundings();
  return (
    <>
      <p>{say("journal.left")}</p>
      <ul>
        {operations.map((done, at) => (
          <li key={at}>
            {named(done, say)}
            {done.why ? <span class="nph-muted"> · {done.why}</span> : null}
          </li>
        ))}
      </ul>
    </>
  );
}

function named({ tool, title }: Done, say: Say): string {
  const word = `tool.${tool}`;
  const what = isWord(word) ? say(word) : tool.replaceAll("_", " ");
  return title ? `${what}: ${title}` : what;
}
