/** A figure in the size it was made for, and in full size over everything when it is clicked; it is only ever a picture. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { isObject, type Output } from "../events";
import { dataOf, joined } from "../nbformat";
import { useSurroundings } from "./context";

export interface Picture {
  url: string;
  /** CSS pixels, null where only the browser finds out. */
  size: { width: number; height: number } | null;
}

const KINDS = ["image/png", "image/jpeg", "image/svg+xml"];
const TALLEST = 420;

/** Return the picture of an output, or null if it holds none. */
export function pictureOf(output: Output): Picture | null {
  const data = dataOf(output);
  const kind = KINDS.find((each) => data[each] !== undefined);
  if (!kind) return null;
  const content = joined(data[kind]);
  if (kind === "image/svg+xml") {
    const whole = content.replace(/\p{Surrogate}/gu, "\ufffd");
    return { url: `data:${kind};charset=utf-8,${encodeURIComponent(whole)}`, size: null };
  }
  const base64 = content.replace(/\s/g, "");
  const own = kind === "image/png" ? pixels(base64) : null;
  return { url: `data:${kind};base64,${base64}`, size: said(output, kind, own) };
}

/** A figure for a fine screen has more pixels than it is wide: its metadata says the size it was made for. */
function said(output: Output, kind: string, own: Picture["size"]): Picture["size"] {
  const metadata = isObject(output["metadata"]) ? output["metadata"][kind] : null;
  const { width, height } = isObject(metadata) ? metadata : { width: null, height: null };
  if (typeof width !== "number" || !(width > 0)) return own;
  if (typeof height === "number" && height > 0) return { width, height };
  return own && { width, height: (width * own.height) / own.width };
}

/** The size that a PNG begins with: known before it is decoded, so that nothing moves then. */
function pixels(base64: string): Picture["size"] {
  if (!/^iVBORw0KGgo[\w+/]{21}/.test(base64)) return null;
  const head = Uint8Array.from(atob(base64.slice(0, 32)), (byte) => byte.charCodeAt(0));
  if (head.length < 24) return null;
  const view = new DataView(head.buffer);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return width > 0 && height > 0 ? { width, height } : null;
}

export function Figure({ picture, alt }: { picture: Picture; alt: string }): JSX.Element {
  const { say } = useSurroundings();
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const { url, size } = picture;
  // The plain form of most figures names their class alone.
  const words = alt === "" || /^<.*>$/s.test(alt) ? say("output.image") : alt;
  const scale = size ? Math.min(1, TALLEST / size.height) : 1;
  const measures = size ? { width: Math.round(size.width * scale), height: Math.round(size.height * scale) } : {};
  const show = (): void => {
    setOpen(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class="nph-figure" title={say("figure.open")} onClick={show}>
        <img class="nph-picture" src={url} alt={words} {...measures} />
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself */}
      <dialog
        ref={dialog}
        class="nph-zoom"
        aria-label={words}
        onClick={() => dialog.current?.close()}
        onClose={() => setOpen(false)}
      >
        {open ? <img src={url} alt={words} /> : null}
        <button type="button">{say("figure.close")}</button>
      </dialog>
    </>
  );
}
