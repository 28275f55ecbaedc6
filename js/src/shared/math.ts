/** Formulas in TeX as MathML, for the browser to set; it loads nothing and knows nothing of the text around them. */

import temml from "temml";

/** More than any honest formula takes, so that a hostile one can't cover the view or hold it up. */
const LARGEST_EM = 40;
const LONGEST = 5_000;
const KEPT = 500;
const done = new Map<string, string | null>();

/** Return the MathML of a formula, or null for what is none: its source is shown then. Not yet sanitised. */
export function typeset(source: string, display: boolean): string | null {
  const key = `${display} ${source}`;
  const known = done.get(key);
  if (known !== undefined) return known;
  const made = mathml(source, display);
  // The same formulas come again with each piece of a text that streams.
  if (done.size >= KEPT) done.clear();
  done.set(key, made);
  return made;
}

function mathml(source: string, display: boolean): string | null {
  if (source.length > LONGEST) return null;
  try {
    return temml.renderToString(source, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxSize: [LARGEST_EM, LARGEST_EM],
      maxExpand: 300,
    });
  } catch {
    // Whatever the typesetter can't read, or isn't to be trusted with (links, pictures, styles), stays as typed.
    return null;
  }
}
