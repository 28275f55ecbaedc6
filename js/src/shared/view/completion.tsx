/** What the word under the cursor may become, as a list to choose from; the kernel knows the names, not this. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Choice, Choices } from "../protocol";
import { isWord } from "../strings";
import { useSurroundings } from "./context";
import { isComposing } from "./keys";

const PAUSE_MS = 120;

/** The word that ends at the cursor, if it asks for names: `/…` at the beginning of a message, `@…` anywhere. */
export function askingWord(before: string): string {
  return /^\s*(\/[a-z0-9-]*)$/.exec(before)?.[1] ?? /(?:^|[\s(（，。、])(@[^\s@]{0,60})$/.exec(before)?.[1] ?? "";
}

export interface Completion {
  list: readonly Choice[];
  at: number;
  /** Take a key press; true if it was for the list. */
  onKey(event: KeyboardEvent): boolean;
  take(choice: Choice): void;
}

/** `word` is what stands before the cursor, `choices` the kernel's last answer; `put` replaces the word. */
export function useCompletion(word: string, choices: Choices | null, put: (text: string) => void): Completion {
  const { send } = useSurroundings();
  const [at, setAt] = useState(0);
  const [left, setLeft] = useState("");
  useEffect(() => {
    setAt(0);
    if (word === "") return;
    const timer = setTimeout(() => send({ type: "complete", prefix: word }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [word, send]);
  const open = word !== "" && word !== left && choices?.prefix === word;
  const list = open ? choices.choices : [];
  const take = (choice: Choice): void => put(choice.text);
  const onKey = (event: KeyboardEvent): boolean => {
    const chosen = list[at];
    if (!chosen || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "ArrowDown") setAt((at + 1) % list.length);
    else if (event.key === "ArrowUp") setAt((at + list.length - 1) % list.length);
    else if (event.key === "Escape") setLeft(word);
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) take(chosen);
    else return false;
    event.preventDefault();
    return true;
  };
  return { list, at, onKey, take };
}

export function CompletionList({ completion, id }: { completion: Completion; id: string }): JSX.Element | null {
  const { say } = useSurroundings();
  const { list, at, take } = completion;
  if (list.length === 0) return null;
  return (
    <div class="nph-choices" id={id} role="listbox" aria-label={say("choices")}>
      {list.map((choice, index) => {
        const kind = `choice.${choice.kind}`;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's, which keeps the focus
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          <div
            key={`${choice.kind} ${choice.text}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(choice)}
          >
            <b>{choice.label}</b>
            <span class="nph-muted">{isWord(kind) ? say(kind) : choice.kind}</span>
            <span class="nph-choice-about">{choice.about}</span>
          </div>
        );
      })}
    </div>
  );
}
