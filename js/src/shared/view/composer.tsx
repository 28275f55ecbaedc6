/** Where the user writes: the text, pictures, the mode, research for one message, send and stop. */

import type { JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { AskMode } from "../protocol";
import type { State } from "../store";
import { askingWord, CompletionList, useCompletion } from "./completion";
import { useSurroundings } from "./context";
import { Editing, useEdited } from "./editing";
import { write } from "./field";
import { isComposing, isSubmit } from "./keys";
import { PictureChips, type Pictures, usePictures } from "./pictures";
import { useRecall } from "./recall";

const MAX_HEIGHT = 180;

export interface ComposerProps {
  state: State;
  busy: boolean;
}

export function Composer({ state, busy }: ComposerProps): JSX.Element {
  const { say, send, ask } = useSurroundings();
  const [chosen, setChosen] = useState<AskMode | null>(null);
  const [research, setResearch] = useState(false);
  const [empty, setEmpty] = useState(true);
  const pictures = usePictures();
  const field = useRef<HTMLTextAreaElement>(null);
  const set = state.kernel?.mode === "chat" ? "chat" : "agent";
  // What was chosen here counts until the kernel has taken it, or something else.
  const mode = chosen ?? set;
  useEffect(() => setChosen(null), [set]);
  const edited = useEdited(state, field, setResearch);
  const choose = (wanted: AskMode): void => {
    setChosen(wanted);
    send({ type: "set", mode: wanted });
  };
  const submit = (): void => {
    // Read from the field: an input method may have written there without an input event of its own.
    const written = field.current?.value ?? "";
    const images = pictures.list.map((picture) => picture.url);
    const text = written.trim() === "" && images.length > 0 ? say("picture.ask") : written;
    const instead = edited.round ? { instead: edited.round.id, edited: true } : {};
    const asked = { text, mode, research, ...(images.length > 0 ? { images } : {}), ...instead };
    if (text.trim() === "" || !ask(asked)) return;
    if (field.current) write(field.current, edited.before());
    pictures.clear();
    setResearch(false);
    field.current?.focus();
  };
  return (
    <form
      class="nph-composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
      }}
      onDrop={(event) => {
        // What is no picture isn't taken, but never opened in place of the page either.
        if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
        pictures.take(event.dataTransfer);
      }}
    >
      {edited.round ? <Editing round={edited.round} state={state} onCancel={edited.cancel} /> : null}
      <PictureChips pictures={pictures} />
      <Field field={field} state={state} busy={busy} pictures={pictures} onSubmit={submit} onEmpty={setEmpty} />
      <div class="nph-composer-row">
        <select
          value={mode}
          aria-label={say("composer.mode")}
          disabled={research}
          onChange={(event) => choose(event.currentTarget.value === "chat" ? "chat" : "agent")}
        >
          <option value="chat">{say("mode.chat")}</option>
          <option value="agent">{say("mode.agent")}</option>
        </select>
        <label class="nph-switch" title={say("composer.research.title")}>
          <input type="checkbox" checked={research} onChange={(event) => setResearch(event.currentTarget.checked)} />
          <span>{say("composer.research")}</span>
        </label>
        <div class="nph-buttons">
          {busy ? <Stop onStop={() => send({ type: "stop" })} /> : null}
          <button type="submit" class="nph-primary" disabled={empty && pictures.list.length === 0}>
            {say("composer.send")}
          </button>
        </div>
      </div>
    </form>
  );
}

interface FieldProps extends ComposerProps {
  field: { current: HTMLTextAreaElement | null };
  pictures: Pictures;
  onSubmit(): void;
  onEmpty(empty: boolean): void;
}

/** The text itself, with names to choose from and earlier messages to bring back. */
function Field({ field, state, busy, pictures, onSubmit, onEmpty }: FieldProps): JSX.Element {
  const { say } = useSurroundings();
  const [text, setText] = useState("");
  const [word, setWord] = useState("");
  const id = useId();
  const said = useMemo(
    () => [...state.rounds.map((round) => round.text), ...state.unsent],
    [state.rounds, state.unsent],
  );
  const recall = useRecall(said);
  const look = (element: HTMLTextAreaElement): void => {
    setText(element.value);
    onEmpty(element.value.trim() === "");
    const { selectionStart, selectionEnd } = element;
    setWord(selectionStart === selectionEnd ? askingWord(element.value.slice(0, selectionStart)) : "");
  };
  const completion = useCompletion(word, state.choices, (chosen) => {
    if (!field.current) return;
    const end = field.current.selectionStart;
    field.current.setRangeText(chosen, end - word.length, end, "end");
    look(field.current);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const arrow = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined;
    if (completion.onKey(event)) return;
    if (isSubmit(event)) {
      event.preventDefault();
      onSubmit();
    } else if (event.key === "Enter" && event.repeat && !event.shiftKey) {
      event.preventDefault();
    } else if (event.key === "Escape" && !isComposing(event)) {
      field.current?.blur();
    } else if (arrow && field.current && !event.shiftKey && !isComposing(event)) {
      const earlier = recall.step(field.current, arrow);
      if (earlier === null) return;
      event.preventDefault();
      write(field.current, earlier);
    }
  };
  useGrowing(field, text);
  const open = completion.list.length > 0;
  return (
    <>
      <CompletionList completion={completion} id={id} />
      <textarea
        ref={field}
        class="nph-field"
        rows={1}
        placeholder={say(busy ? "composer.steer" : "composer.placeholder")}
        aria-label={say("composer.label")}
        aria-autocomplete="list"
        aria-controls={open ? id : undefined}
        aria-activedescendant={open ? `${id}-${completion.at}` : undefined}
        title={say("composer.hint")}
        onInput={(event) => look(event.currentTarget)}
        onKeyDown={onKeyDown}
        onSelect={(event) => look(event.currentTarget)}
        onBlur={() => setWord("")}
        onPaste={(event) => {
          if (pictures.take(event.clipboardData)) event.preventDefault();
        }}
      />
    </>
  );
}

function Stop({ onStop }: { onStop: () => void }): JSX.Element {
  const { say } = useSurroundings();
  const [pressed, setPressed] = useState(false);
  const stop = (): void => {
    setPressed(true);
    onStop();
  };
  return (
    <button type="button" class="nph-stop" onClick={stop}>
      {say(pressed ? "composer.stopping" : "composer.stop")}
    </button>
  );
}

/** Let the field grow with its text, up to a height. */
function useGrowing(field: { current: HTMLTextAreaElement | null }, text: string): void {
  useEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    if (text !== "") element.style.height = `${Math.min(MAX_HEIGHT, element.scrollHeight + 2)}px`;
  }, [field, text]);
}
