/** All notes and tables, a search among them, and the way to add more. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Intake, Page } from "../../pages";
import { useSurroundings } from "../context";
import { Adding } from "./adding";
import { Items, PART, Scrolls, Steps } from "./list";

const TYPING_MS = 400;

interface Props {
  page: Page;
  loading: boolean;
  intake: Intake | null;
}

export function Notes({ page, loading, intake }: Props): JSX.Element {
  const { say, send } = useSurroundings();
  const open = (offset: number): void => {
    send({ type: "open", view: "notes", target: "", offset });
  };
  useRenewal(intake, page.target);
  return (
    <Scrolls>
      <div class="nph-page-tools">
        <Search target={page.target} />
        <Adding intake={intake} />
      </div>
      <Items items={page.items} />
      {page.items.length === 0 && !page.fault ? <p class="nph-muted">{nothing(page, loading, say)}</p> : null}
      {page.target ? null : <Steps page={page} shown={page.items.length} size={PART} open={open} />}
    </Scrolls>
  );
}

function nothing(page: Page, loading: boolean, say: ReturnType<typeof useSurroundings>["say"]): string {
  if (loading) return say("page.opening");
  return page.target ? say("page.empty.search", { query: page.target }) : say("page.empty.notes");
}

function Search({ target }: { target: string }): JSX.Element {
  const { say, send } = useSurroundings();
  const [typed, setTyped] = useState(target);
  const box = useRef<HTMLInputElement>(null);
  const waiting = useRef<ReturnType<typeof setTimeout>>();
  const search = (text: string): void => {
    clearTimeout(waiting.current);
    send({ type: "open", view: "notes", target: text.trim() });
  };
  useEffect(() => () => clearTimeout(waiting.current), []);
  const onInput = (text: string): void => {
    setTyped(text);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => search(text), TYPING_MS);
  };
  return (
    <form
      class="nph-page-search"
      onSubmit={(event) => {
        event.preventDefault();
        search(box.current?.value ?? "");
      }}
    >
      <input
        type="text"
        ref={box}
        aria-label={say("page.search")}
        placeholder={say("page.search")}
        value={typed}
        onInput={(event) => !event.isComposing && onInput(event.currentTarget.value)}
        onCompositionEnd={(event) => onInput(event.currentTarget.value)}
      />
    </form>
  );
}

/** Ask for the list anew once files have been added, however quickly they were. */
function useRenewal(intake: Intake | null, target: string): void {
  const { send } = useSurroundings();
  const seen = useRef(intake);
  useEffect(() => {
    const ended = intake !== seen.current && intake?.running === false;
    seen.current = intake;
    if (ended) send({ type: "open", view: "notes", target });
  }, [intake]);
}
