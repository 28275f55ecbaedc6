/** Named character references by the browser's own table, in place of the 50 kB one that markdown-it would bring. */

/** Decode one reference such as `&amp;`; a name that isn't known stays as it is. */
export function decodeHTML(reference: string): string {
  const area = document.createElement("textarea");
  area.innerHTML = reference;
  const text = area.value;
  // The browser also takes the beginning of a longer name for one: what is left then still ends the reference.
  return text.endsWith(";") && reference !== "&semi;" ? reference : text;
}

export const decodeHTMLStrict = decodeHTML;
