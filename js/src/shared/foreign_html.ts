/** HTML of the user's objects with all taken out that could run, load or lead on unseen; it draws nothing. */

import DOMPurify, { type Config } from "dompurify";

const ALLOWED: Config = {
  ADD_TAGS: ["use"],
  FORBID_TAGS: ["form", "audio", "video", "source", "track", "map", "area", "template", "dialog", "slot"],
  FORBID_ATTR: ["srcset", "background", "poster", "action", "formaction", "ping", "download", "popovertarget"],
  // A style sheet that stands first would else be left in the head, which is not given back.
  FORCE_BODY: true,
};
const ADDRESSES = ["href", "xlink:href", "src"];
/** What an element may show by itself: a picture that came with it, or a part of the same drawing. */
const OWN = /^(?:data:image\/|#)/i;

let purify: ReturnType<typeof DOMPurify> | null = null;

/** Return the HTML without anything live; its links open a page of their own and tell where they lead. */
export function harmless(html: string): string {
  purify ??= made();
  return purify.sanitize(html, ALLOWED);
}

/** One of its own: what is allowed in an answer is another matter. */
function made(): ReturnType<typeof DOMPurify> {
  const own = DOMPurify(window);
  own.addHook("afterSanitizeAttributes", (element) => {
    const href = element instanceof HTMLAnchorElement ? (element.getAttribute("href") ?? "") : "";
    for (const name of ADDRESSES) {
      if (!OWN.test(element.getAttribute(name)?.trim() ?? "")) element.removeAttribute(name);
    }
    if (!/^(?:https?:|mailto:)/i.test(href)) return;
    const outside = { href, title: href, rel: "noopener noreferrer", target: "_blank" };
    for (const [name, value] of Object.entries(outside)) element.setAttribute(name, value);
  });
  return own;
}
