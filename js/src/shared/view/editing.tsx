/** An earlier message written anew in the input: what was being written there waits meanwhile. */

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Round, wordsOf } from "../round";
import type { State } from "../store";
import { useSurroundings } from "./context";
import { write } from "./field";

type Field = { current: HTMLTextAreaElement | null };

export interface Edited {
  round: Round | undefined;
  /** Leave the earlier message as it was. */
  cancel(): void;
  /** What was being written before. */
  before(): string;
}

export function useEdited(state: State, field: Field, onResearch: (research: boolean) => void): Edited {
  const { edit } = useSurroundings();
  const kept = useRef("");
  const round = state.rounds.find(({ id }) => id === state.editing);
  useLayoutEffect(() => {
    if (!round || !field.current) return;
    kept.current = field.current.value;
    write(field.current, wordsOf(round));
    onResearch(round.mode === "research");
    field.current.focus();
  }, [round?.id]);
  const before = (): string => {
    const text = round ? kept.current : "";
    kept.current = "";
    return text;
  };
  return {
    round,
    before,
    cancel() {
      if (field.current) write(field.current, before());
      onResearch(false);
      edit(null);
      field.current?.focus();
    },
  };
}

interface Props {
  round: Round;
  state: State;
  onCancel: () => void;
}

/** Says what will leave the context when the message is sent. */
export function Editing({ round, state, onCancel }: Props): JSX.Element {
  const { say } = useSurroundings();
  const after = state.rounds.slice(state.rounds.indexOf(round) + 1);
  const count = after.filter(({ id }) => !state.kernel?.aside[id]).length;
  return (
    <div class="nph-line nph-editing" role="status">
      <span>
        {count > 0 ? say("editing.after", { count }) : say("editing")}
        {round.pictures > 0 ? ` ${say("editing.pictures", { count: round.pictures })}` : ""}
      </span>
      <button type="button" class="nph-link" onClick={onCancel}>
        {say("editing.cancel")}
      </button>
    </div>
  );
}
