/** HTML of the user's objects in a page of its own, without scripts or network; it reads nothing of the host but colours. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { harmless } from "../foreign_html";
import { useSurroundings } from "./context";

const FRAME_MIN = 40;
const FRAME_MAX = 420;

/** No scripts, no network, and no way out but a click on a link; `allow-same-origin` only lets us measure it. */
const SANDBOX = "allow-same-origin allow-popups allow-popups-to-escape-sandbox";

/** HTML of the user's objects. */
export function Frame({ html }: { html: string }): JSX.Element {
  const { say } = useSurroundings();
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(FRAME_MIN);
  const [page, setPage] = useState("");
  useEffect(() => {
    const draw = (): void => setPage(framed(html, frame.current));
    draw();
    return onTheme(draw);
  }, [html]);
  const measure = (): void => {
    const content = frame.current?.contentDocument?.documentElement.scrollHeight ?? FRAME_MIN;
    setHeight(Math.min(FRAME_MAX, Math.max(FRAME_MIN, content)));
  };
  return (
    <iframe
      ref={frame}
      class="nph-frame"
      title={say("output.html")}
      sandbox={SANDBOX}
      srcdoc={page}
      style={{ height: `${height}px` }}
      onLoad={measure}
    />
  );
}

const SETTLED_MS = 200;

/** Call `draw` after the host has changed its theme, once the new colours stand; returns the way out. */
function onTheme(draw: () => void): () => void {
  let timer = 0;
  const observer = new MutationObserver(() => {
    window.clearTimeout(timer);
    timer = window.setTimeout(draw, SETTLED_MS);
  });
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-name", "data-theme", "class"] });
  return () => {
    observer.disconnect();
    window.clearTimeout(timer);
  };
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The page of a frame: it can't see the host's theme variables, so their values are written into it. */
function framed(html: string, host: Element | null): string {
  const style = host ? getComputedStyle(host) : null;
  const body = `margin:0;font:13px/1.4 ${style?.fontFamily ?? "sans-serif"};color:${style?.color ?? "inherit"}`;
  const table =
    "table{border:0;border-collapse:collapse}td,th{padding:3px 8px;text-align:right;border:0;border-bottom:1px solid #8884}";
  return (
    `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
    `<style>html{background:transparent}body{${body.replace(/[<>"]/g, "")}}${table}</style>${harmless(html)}`
  );
}
