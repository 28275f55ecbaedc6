/** A button that asks once more, in its place, before it does what it says. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useSurroundings } from "../context";

interface Props {
  label: string;
  /** What is to be known beforehand. */
  children: ComponentChildren;
  onConfirm: () => void;
}

export function Confirmed({ label, children, onConfirm }: Props): JSX.Element {
  const { say } = useSurroundings();
  const [asking, setAsking] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asking) first.current?.focus();
  }, [asking]);
  if (!asking) {
    return (
      <button type="button" class="nph-link" onClick={() => setAsking(true)}>
        {label}
      </button>
    );
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    setAsking(false);
  };
  return (
    <fieldset class="nph-confirm" aria-label={label} onKeyDown={onKeyDown}>
      {children}
      <p class="nph-page-steps">
        <button
          type="button"
          ref={first}
          onClick={() => {
            setAsking(false);
            onConfirm();
          }}
        >
          {label}
        </button>
        <button type="button" onClick={() => setAsking(false)}>
          {say("page.keep")}
        </button>
      </p>
    </fieldset>
  );
}
