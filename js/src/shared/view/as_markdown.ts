/** A round as markdown to be pasted elsewhere: the answer, the code that ran, the sources; it copies nothing. */

import type { Part, Round } from "../round";
import type { Say } from "../strings";
import { where } from "./sources";

export function asMarkdown(round: Round, say: Say): string {
  const sources = (round.done?.sources ?? []).map((source) => `${source.n}. ${source.title} (${where(source, say)})`);
  const listed = sources.length > 0 ? [`**${say("sources")}**`, sources.join("\n")] : [];
  return `${[...round.parts.flatMap(pieceOf), ...listed].join("\n\n")}\n`;
}

function pieceOf(part: Part): string[] {
  if (part.type === "answer") return [part.text.trim()];
  if (part.type === "remark") return [part.text.replace(/^/gm, "> ")];
  const ran = part.type === "tool" ? part.approval?.resolved?.code : null;
  return ran ? [fenced(ran)] : [];
}

/** Code between marks that it can't close. */
function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}python\n${code.trimEnd()}\n${fence}`;
}
