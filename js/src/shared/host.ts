/** What the page around a view can do for it, where there is such a page; it does nothing by itself. */

import type { Wanted } from "./protocol";

export interface Host {
  /** Put code into the notebook as a new cell, not run; false where that can't be. */
  insert?: (code: string) => boolean;
  /** Show what is open in a place of its own. */
  detach?: (wanted: Wanted, title: string) => void;
  /** Show the conversation, from a place that is not in it. */
  back?: () => void;
}

const ASKED = "nephele-nb:host";

interface Question {
  element: HTMLElement;
  host: Host;
}

/** Ask whoever holds the page what it can do for a view inside an output; nothing, where nobody answers. */
export function hostOf(element: HTMLElement): Host {
  const question: Question = { element, host: {} };
  document.dispatchEvent(new CustomEvent(ASKED, { detail: question }));
  return question.host;
}

/** Answer the views that ask from now on. */
export function answerViews(hostFor: (element: HTMLElement) => Host): void {
  document.addEventListener(ASKED, (event) => {
    const question = (event as CustomEvent<Question>).detail;
    question.host = hostFor(question.element);
  });
}
