/** The conversation, which follows its end only while the reader is there. */

import type { ComponentChildren, JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isRunning, type State } from "../store";
import { useSurroundings } from "./context";
import { Pending } from "./pending";
import { RoundView } from "./round";

/** So many rounds are drawn at once: however long the conversation is, the page stays small and quick. */
const STEP = 25;

export function Transcript({ state, hidden }: { state: State; hidden: boolean }): JSX.Element {
  const { say } = useSurroundings();
  const [most, setMost] = useState(STEP);
  const rounds = state.rounds.slice(-most);
  const count = state.rounds.length + state.outbox.length;
  return (
    <Scroller
      count={count}
      earlier={state.rounds.length - rounds.length}
      onEarlier={() => setMost(most + STEP)}
      label={say("log")}
      hidden={hidden}
    >
      {count === 0 && state.kernel ? <Welcome /> : null}
      {rounds.map((round) => (
        <RoundView
          key={round.id}
          round={round}
          running={isRunning(state, round)}
          stale={state.kernel?.stale[round.id]?.join(" ") ?? ""}
          aside={state.kernel?.aside[round.id]}
          say={say}
        />
      ))}
      {state.outbox.map((text, index) => (
        <Pending key={`sent-${index}`} text={text} />
      ))}
    </Scroller>
  );
}

function Welcome(): JSX.Element {
  const { say } = useSurroundings();
  return (
    <div class="nph-welcome">
      <h3>{say("empty.title")}</h3>
      <p>{say("empty.hint")}</p>
    </div>
  );
}

const NEAR_PX = 24;

interface ScrollerProps {
  /** Grows when the user said something new: then the end is shown wherever the reader was. */
  count: number;
  /** So many rounds stand before those drawn. */
  earlier: number;
  onEarlier(): void;
  label: string;
  hidden: boolean;
  children: ComponentChildren;
}

function Scroller(props: ScrollerProps): JSX.Element {
  const { say } = useSurroundings();
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [away, setAway] = useState(false);
  const toEnd = (): void => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  const onScroll = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    setAway(!follows.current);
  };
  useLayoutEffect(() => {
    follows.current = true;
    toEnd();
  }, [props.count]);
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  });
  const keepPlace = useKeptPlace(box, props.earlier);
  const showEarlier = (): void => {
    follows.current = false;
    keepPlace();
    props.onEarlier();
  };
  useEffect(() => {
    if (!content.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      if (follows.current) toEnd();
    });
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="nph-scroller" hidden={props.hidden}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section class="nph-transcript" ref={box} onScroll={onScroll} aria-label={props.label} tabIndex={0}>
        <div ref={content}>
          {props.earlier > 0 ? (
            <p class="nph-earlier">
              <button type="button" class="nph-link" onClick={showEarlier}>
                ↑ {say("earlier", { count: props.earlier })}
              </button>
            </p>
          ) : null}
          {props.children}
        </div>
      </section>
      {away ? (
        <button type="button" class="nph-jump" onClick={toEnd}>
          ↓ {say("jump")}
        </button>
      ) : null}
    </div>
  );
}

/** Return what to call before more comes above: what is read then stays where it is. */
function useKeptPlace(box: RefObject<HTMLElement>, earlier: number): () => void {
  const fromEnd = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (box.current && fromEnd.current !== null) box.current.scrollTop = box.current.scrollHeight - fromEnd.current;
    fromEnd.current = null;
  }, [earlier]);
  return () => {
    if (box.current) fromEnd.current = box.current.scrollHeight - box.current.scrollTop;
  };
}
