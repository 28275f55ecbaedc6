/** The first word of a view; it sends nothing. */

import type { ToKernel } from "./protocol";
import { guessLanguage } from "./strings";

/** Say that a view is there; the kernel speaks to it in the page's language, or in English as the conversation does. */
export function hello(view: string): ToKernel {
  return guessLanguage() === "zh" ? { type: "hello", view, language: "zh" } : { type: "hello", view };
}
