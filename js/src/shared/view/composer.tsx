/** Where the user writes: the text, the mode, research for one message, send and stop. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AskMode } from "../protocol";
import { useSurroundings } from "./context";
import { isComposing, isSubmit } from "./keys";

const MAX_HEIGHT = 180;

export interface ComposerProps {
  mode: AskMode;
  busy: boolean;
}

export function Composer({ mode: preferred, busy }: ComposerProps): JSX.Element {
  const { say, send, ask } = useSurroundings();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<AskMode | null>(null);
  const [research, setResearch] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const mode = chosen ?? preferred;
  const submit = (): void => {
    // Read from the field: an input method may have written there without an input event of its own.
    const written = field.current?.value ?? text;
    if (written.trim() === "") return;
    if (!ask(written, mode, research)) return;
    if (field.current) field.current.value = "";
    setText("");
    setResearch(false);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isSubmit(event)) {
      event.preventDefault();
      submit();
    } else if (event.key === "Enter" && event.repeat && !event.shiftKey) {
      event.preventDefault();
    } else if (event.key === "Escape" && !isComposing(event)) {
      field.current?.blur();
    }
  };
  useGrowing(field, text);
  return (
    <form
      class="nph-composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={text}
        placeholder={say(busy ? "composer.steer" : "composer.placeholder")}
        aria-label={say("composer.label")}
        title={say("composer.hint")}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="nph-composer-row">
        <select
          value={mode}
          aria-label={say("composer.mode")}
          disabled={research}
          onChange={(event) => setChosen(event.currentTarget.value === "chat" ? "chat" : "agent")}
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
          <button type="submit" class="nph-primary" disabled={text.trim() === ""}>
            {say("composer.send")}
          </button>
        </div>
      </div>
    </form>
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
