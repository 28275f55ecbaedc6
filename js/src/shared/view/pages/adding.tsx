/** Adds files to the library by a path that a person types; nothing else fills that field. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Intake } from "../../pages";
import { useSurroundings } from "../context";

export function Adding({ intake }: { intake: Intake | null }): JSX.Element {
  const { say, send } = useSurroundings();
  const [path, setPath] = useState("");
  const box = useRef<HTMLInputElement>(null);
  const running = intake?.running === true;
  return (
    <details class="nph-page-adding" open={intake !== null}>
      <summary>{say("adding")}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const typed = box.current?.value.trim();
          if (typed && !running) send({ type: "add", path: typed });
        }}
      >
        <input
          type="text"
          ref={box}
          aria-label={say("adding.path")}
          placeholder={say("adding.path")}
          value={path}
          spellcheck={false}
          onInput={(event) => setPath(event.currentTarget.value)}
        />
        <button type="submit" disabled={running || path.trim() === ""}>
          {say("adding.begin")}
        </button>
      </form>
      {intake ? <Progress intake={intake} /> : <p class="nph-muted">{say("adding.hint")}</p>}
    </details>
  );
}

function Progress({ intake }: { intake: Intake }): JSX.Element {
  const { say, send } = useSurroundings();
  const { running, label, done, total, path, report, fault } = intake;
  if (!running) {
    return (
      <div role="status" class="nph-page-report">
        <p class="nph-muted">{path}</p>
        {fault ? <p class="nph-error">{fault}</p> : null}
        {report.map((line, at) => (
          <p key={at}>{line.replace(/^- /, "· ")}</p>
        ))}
      </div>
    );
  }
  const words = total > 0 ? say("progress", { label, done, total }) : path;
  return (
    <div class="nph-page-report">
      <p>
        <progress aria-label={say("adding.progress")} {...(total > 0 ? { value: done, max: total } : {})} />
        <button type="button" class="nph-link" onClick={() => send({ type: "cancel_add" })}>
          {say("adding.cancel")}
        </button>
      </p>
      <p class="nph-muted nph-page-label">{words}</p>
    </div>
  );
}
