/** One rich output of a tool, in nbformat form, by what it holds; it draws text alone itself. */

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { readFrame } from "../data_frame";
import type { Output } from "../events";
import { clean, dataOf, joined, plainOf } from "../nbformat";
import { Folded } from "./code";
import { DataTable } from "./data_table";
import { Figure, pictureOf } from "./figure";
import { Frame } from "./frame";

export function OutputView({ output }: { output: Output }): JSX.Element | null {
  switch (output.output_type) {
    case "stream":
      return <Folded text={clean(joined(output["text"]))} kind={output["name"] === "stderr" ? "nph-stderr" : ""} />;
    case "error": {
      const trace = clean(joined(output["traceback"], "\n"));
      return <Folded text={trace || `${joined(output["ename"])}: ${joined(output["evalue"])}`} kind="nph-stderr" />;
    }
    default:
      return <Rich output={output} />;
  }
}

function Rich({ output }: { output: Output }): JSX.Element | null {
  const picture = pictureOf(output);
  if (picture) return <Figure picture={picture} alt={plainOf(output)} />;
  const html = joined(dataOf(output)["text/html"]);
  if (html) return <Html html={html} />;
  return plainOf(output) ? <Folded text={plainOf(output)} /> : null;
}

function Html({ html }: { html: string }): JSX.Element {
  const frame = useMemo(() => readFrame(html), [html]);
  return frame ? <DataTable frame={frame} /> : <Frame html={html} />;
}
