/** What every part of the view may use: the words, the way to the kernel, the clock; it holds no state of the chat. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Asked, ToKernel } from "../protocol";
import { type Say, speaker } from "../strings";

/** What is too large to come with each view: each is loaded when it is first needed. */
export interface Modules {
  editor(): Promise<Pick<typeof import("./code_editor"), "mountEditor">>;
  math(): Promise<Pick<typeof import("../math"), "typeset">>;
}

export interface Surroundings extends Modules {
  say: Say;
  /** Send to the kernel; false if there is no way to it any more. */
  send(message: ToKernel): boolean;
  /** Send a message of the user's and show it at once; false if it could not be sent. */
  ask(asked: Asked): boolean;
  /** Take back a message that the kernel has not heard. */
  withdraw(text: string): void;
  /** Write a round's message anew; null: leave it as it was. */
  edit(round_id: string | null): void;
  /** Leave what is open and go back to the conversation. */
  close(): void;
  /** Go back to what was open before. */
  back(): void;
  /** Put code into the notebook as a new cell, not run; undefined where there is no notebook to put it into. */
  insert: ((code: string) => boolean) | undefined;
  /** Show what is open in a place of its own; undefined where there is none. */
  detach: (() => void) | undefined;
  /** Unix seconds by the kernel's clock. */
  now(): number;
}

export const SurroundingsContext = createContext<Surroundings>({
  say: speaker("en"),
  send: () => false,
  ask: () => false,
  withdraw: () => undefined,
  edit: () => undefined,
  close: () => undefined,
  back: () => undefined,
  insert: undefined,
  detach: undefined,
  editor: () => Promise.reject(new Error("no editor")),
  math: () => Promise.reject(new Error("no math")),
  now: () => Date.now() / 1000,
});

/** Where code runs, and whether a cell of the user's runs there now, behind which it waits. */
export interface Place {
  place: string;
  cell_running: boolean;
}

export const PlaceContext = createContext<Place>({ place: "", cell_running: false });

/** How the conversation stands: whether something runs or was sent, and whether this view shows one round only. */
export interface Talk {
  busy: boolean;
  /** A message is on its way. */
  sent: boolean;
  single: boolean;
}

export const TalkContext = createContext<Talk>({ busy: false, sent: false, single: false });

export const useSurroundings = (): Surroundings => useContext(SurroundingsContext);
