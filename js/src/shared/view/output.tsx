/** One rich output of a tool, in nbformat form; pictures only as pictures, foreign HTML only without scripts. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isObject, type Output } from "../events";
import { Folded } from "./code";
import { useSurroundings } from "./context";

export function OutputView({ output }: { output: Output }): JSX.Element | null {
  switch (output.output_type) {
    case "stream":
      return <Folded text={clean(joined(output["text"]))} kind={output["name"] === "stderr" ? "nph-stderr" : ""} />;
    case "error": {
      const trace = clean(joined(output["traceback"], "\n"));
      return <Folded text={trace || `${joined(output["ename"])}: ${joined(output["evalue"])}`} kind="nph-stderr" />;
    }
    default:
      return <Rich data={isObject(output["data"]) ? output["data"] : {}} />;
  }
}

/** The plain form of a rich output, empty if it has none. */
export function plainOf(output: Output): string {
  return isObject(output["data"]) ? joined(output["data"]["text/plain"]) : "";
}

const PICTURES = ["image/png", "image/jpeg", "image/svg+xml"];

function Rich({ data }: { data: { [mime: string]: unknown } }): JSX.Element | null {
  const { say } = useSurroundings();
  const plain = joined(data["text/plain"]);
  const picture = PICTURES.find((mime) => data[mime] !== undefined);
  if (picture) {
    return <img class="nph-picture" src={address(picture, joined(data[picture]))} alt={plain || say("output.image")} />;
  }
  if (data["text/html"] !== undefined) return <Frame html={joined(data["text/html"])} />;
  return plain ? <Folded text={plain} /> : null;
}

function address(mime: string, content: string): string {
  if (mime === "image/svg+xml") return `data:${mime};charset=utf-8,${encodeURIComponent(content)}`;
  return `data:${mime};base64,${content.replace(/\s/g, "")}`;
}

const FRAME_MIN = 40;
const FRAME_MAX = 420;

/** HTML of the user's objects: no scripts, no network, no way out; `allow-same-origin` only lets us measure it. */
function Frame({ html }: { html: string }): JSX.Element {
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
      sandbox="allow-same-origin"
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
    `<style>html{background:transparent}body{${body.replace(/[<>"]/g, "")}}${table}</style>${html}`
  );
}

/** nbformat allows a text to be one string or a list of them. */
function joined(value: unknown, separator = ""): string {
  if (Array.isArray(value)) return value.map(String).join(separator);
  return typeof value === "string" ? value : "";
}

/** Text without terminal colours, and with carriage returns done as a terminal would. */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours are control characters
  const plain = text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "").replace(/\r+\n/g, "\n");
  return plain.includes("\r") ? plain.replace(/[^\n]*\r(?=[^\n])/g, "") : plain;
}
