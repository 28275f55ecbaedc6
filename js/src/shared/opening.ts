/** What is open over the conversation and what was asked for: pure steps; a page that nobody waits for is not shown. */

import type { Intake, Page, Wanted } from "./pages";

export interface Opened {
  page: Page | null;
  /** What was asked for and has not come yet. */
  opening: Wanted | null;
  /** The way here, what is open last. */
  trail: readonly Wanted[];
  /** The mark of what was asked for last. */
  ticket: number;
  intake: Intake | null;
}

export const NOTHING_OPEN: Opened = { page: null, opening: null, trail: [], ticket: 0, intake: null };
const LONGEST_TRAIL = 50;

/** Something is asked for; the same in another order, part or search takes its own place on the trail. */
export function asking<S extends Opened>(state: S, wanted: Wanted): S {
  const last = state.trail.at(-1);
  const same = last?.view === wanted.view && (last.target === wanted.target || wanted.view === "notes");
  const trail = [...(same ? state.trail.slice(0, -1) : state.trail), wanted].slice(-LONGEST_TRAIL);
  return { ...state, trail, opening: wanted, ticket: state.ticket + 1 };
}

/** A page came: one that was asked for before the last is late, and so is one for what is closed by now. */
export function arrived<S extends Opened>(state: S, page: Page): S {
  if (page.ticket !== 0 && page.ticket !== state.ticket) return state;
  return { ...state, page, opening: null };
}

export function closed<S extends Opened>(state: S): S {
  return { ...state, page: null, opening: null, trail: [], ticket: state.ticket + 1 };
}

/** Forget the last two steps: the one before last is asked for anew. */
export function stepBack<S extends Opened>(state: S): S {
  return { ...state, trail: state.trail.slice(0, -2) };
}

/** What stands where a page will be. */
export function awaited({ view, target }: Wanted): Page {
  return {
    ...{ view, target, title: target, about: "", fault: "", text: null, span: null, tags: [], columns: [], rows: [] },
    ...{ version: 0, order_by: "", where: [], items: [], edges: [], rounds: [], offset: 0, whole: 0, ticket: 0 },
  };
}
