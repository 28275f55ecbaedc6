/** How two texts differ, line by line; it knows nothing of how that is shown. */

export interface Change {
  added: number;
  removed: number;
  /** A unified diff without file names; empty where nothing differs. */
  text: string;
}

const CONTEXT = 2;
/** Above this many pairs of lines, all that lies between the equal ends counts as changed. */
const MOST_PAIRS = 1_000_000;

export function lineDiff(before: string, after: string): Change {
  const lines = compared(before.split("\n"), after.split("\n"));
  const count = (sign: string): number => lines.filter((line) => line[0] === sign).length;
  const [added, removed] = [count("+"), count("-")];
  return { added, removed, text: added + removed === 0 ? "" : withoutTheRest(lines) };
}

/** All lines of both texts, each behind its sign. */
function compared(before: readonly string[], after: readonly string[]): string[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (line: string): string => ` ${line}`;
  return [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function middle(before: readonly string[], after: readonly string[]): string[] {
  const replaced = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  if (before.length * after.length > MOST_PAIRS) return replaced;
  const longest = longestCommon(before, after);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      lines.push(` ${before[i++]}`);
      j++;
    } else if (j === after.length || (i < before.length && longest(i + 1, j) >= longest(i, j + 1))) {
      lines.push(`-${before[i++]}`);
    } else {
      lines.push(`+${after[j++]}`);
    }
  }
  return lines;
}

/** Return what tells how many lines the ends of both texts, from `i` and `j` on, have in common in order. */
function longestCommon(before: readonly string[], after: readonly string[]): (i: number, j: number) => number {
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      table[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

/** Keep the changed lines with a little around them; a mark with the line's number stands where others are left out. */
function withoutTheRest(lines: readonly string[]): string {
  const kept: string[] = [];
  let number = 0;
  let left = false;
  for (const [at, line] of lines.entries()) {
    if (line[0] !== "-") number++;
    const near = lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((other) => other[0] !== " ");
    if (near && left) kept.push(`@@ ${number} @@`);
    if (near) kept.push(line);
    left = !near;
  }
  return kept.join("\n");
}
