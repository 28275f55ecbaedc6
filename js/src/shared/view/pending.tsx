/** A message on its way; where the kernel is silent for long it can be had back. */

import type { JSX } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { TalkContext, useSurroundings } from "./context";
import { write } from "./field";
import { Said } from "./said";

const LATE_MS = 8_000;

export function Pending({ text }: { text: string }): JSX.Element {
  const { say } = useSurroundings();
  // While a round runs, a message may wait its turn.
  const { busy } = useContext(TalkContext);
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <article class="nph-round nph-pending">
      <Said text={text} />
      {late && !busy ? <Late text={text} /> : <div class="nph-working">{say("sending")}</div>}
    </article>
  );
}

function Late({ text }: { text: string }): JSX.Element {
  const { say, withdraw } = useSurroundings();
  const line = useRef<HTMLDivElement>(null);
  const back = (): void => {
    const field = line.current?.closest(".nph")?.querySelector<HTMLTextAreaElement>("textarea.nph-field");
    if (!field) return;
    write(field, [text, field.value].filter((part) => part.trim() !== "").join("\n\n"));
    field.focus();
    withdraw(text);
  };
  return (
    <div class="nph-line" ref={line}>
      <span>{say("sending.late")}</span>
      <button type="button" onClick={back}>
        {say("sending.back")}
      </button>
    </div>
  );
}
