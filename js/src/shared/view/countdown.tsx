/** The time left until a moment, ticking; it decides nothing when the time is up. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSurroundings } from "./context";

/** Whole seconds left until a moment of the kernel's clock, 0 when it has passed. */
export function useSecondsLeft(until: number): number {
  const { now } = useSurroundings();
  const left = (): number => Math.max(0, Math.ceil(until - now()));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => setSeconds(left()), 250);
    return () => clearInterval(timer);
  }, [until, now]);
  return seconds;
}

export function Countdown({ seconds }: { seconds: number }): JSX.Element {
  const { say } = useSurroundings();
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const text = seconds > 0 ? say("approval.left", { time }) : say("approval.late");
  return (
    <span class={seconds <= 15 ? "nph-countdown nph-soon" : "nph-countdown"} role="timer" aria-live="off">
      {text}
    </span>
  );
}
