/** Asks a notebook's kernel for the code that was approved there, as cells; it puts nothing anywhere. */

import { answerTo } from "../shared/answer";
import { isObject } from "../shared/events";
import type { NewCell } from "./cells";
import type { Line } from "./line";

const SETTLED = [
  "connected",
  "no_kernel",
  "dead",
  "absent",
  "restarted",
  "deaf",
  "lost",
  "foreign",
  "failed",
  "trouble",
];
let count = 0;

/** Return the cells in the order they were run; throws with the kernel's words, or none where it has no conversation. */
export async function approvedCells(line: Line): Promise<NewCell[]> {
  line.use();
  await settled(line);
  count += 1;
  const port = line.at(`cells-${count}`);
  return answerTo(port, { type: "export", form: "cells" }, (message) => {
    if (message["type"] === "cells") return cellsOf(message["cells"]);
    const notice = isObject(message["state"]) ? message["state"]["notice"] : "";
    if (typeof notice === "string" && notice !== "") throw new Error(notice);
    return undefined;
  });
}

/** Wait until the line has found out whether somebody is there. */
function settled(line: Line): Promise<void> {
  if (SETTLED.includes(line.standing.kind)) return Promise.resolve();
  return new Promise((resolve) => {
    const look = (): void => {
      if (!SETTLED.includes(line.standing.kind)) return;
      line.changed.disconnect(look);
      resolve();
    };
    line.changed.connect(look);
  });
}

function cellsOf(value: unknown): NewCell[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((cell) => ({
    type: cell["type"] === "code" ? "code" : "markdown",
    source: String(cell["source"] ?? ""),
    tags: Array.isArray(cell["tags"]) ? cell["tags"].map(String) : [],
  }));
}
