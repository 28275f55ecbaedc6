/** A data frame's HTML read as text in columns, and its rows in another order; it draws nothing and changes no cell. */

export interface Column {
  name: string;
  /** As the frame itself writes it, empty where it doesn't. */
  type: string;
  /** It names the rows. */
  index: boolean;
  numeric: boolean;
}

export interface DataFrame {
  columns: readonly Column[];
  rows: readonly (readonly string[])[];
  /** Before which row others were left out, null where all are there. */
  gap: number | null;
  /** The rows of the whole frame, null where it doesn't say. */
  whole: number | null;
  /** What else stands beside the table. */
  note: string;
}

export interface Order {
  column: number;
  descending: boolean;
}

/** More than any view of a frame shows by itself. */
const MOST_CELLS = 50_000;
const FOREIGN = "a, audio, button, canvas, form, iframe, img, input, math, object, svg, table table, video";

/** Return the frame that some HTML shows, or null where it shows something else or more than text. */
export function readFrame(html: string): DataFrame | null {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const unseen of page.querySelectorAll("style, script, template")) unseen.remove();
  const table = page.querySelector<HTMLTableElement>("table.dataframe");
  if (!table?.tHead || page.querySelector(FOREIGN) || page.querySelectorAll("table").length > 1) return null;
  const head = grid([...table.tHead.rows]);
  const body = grid([...table.rows].filter((row) => row.parentElement !== table.tHead));
  const width = Math.max(0, ...[...head, ...body].map((row) => row.length));
  if (head.length === 0 || width === 0 || width * body.length > MOST_CELLS) return null;
  const gap = body.findIndex((row) => row.every(({ text }) => /^(?:\.\.\.|…|⋮)$/.test(text)));
  const rows = body
    .filter((_, at) => at !== gap)
    .map((row) => Array.from({ length: width }, (_, n) => row[n]?.text ?? ""));
  table.remove();
  const note = (page.body.textContent ?? "").replace(/\s+/g, " ").trim();
  const shape = /^([\d,_]+) rows × [\d,_]+ columns$|^shape: \(([\d,_]+), [\d,_]+\)$/.exec(note);
  return {
    columns: Array.from({ length: width }, (_, at) => columnAt(at, head, body, rows)),
    rows,
    gap: gap < 0 ? null : gap,
    whole: shape ? Number((shape[1] ?? shape[2] ?? "").replace(/[,_]/g, "")) : null,
    note: shape ? "" : note,
  };
}

interface Cell {
  text: string;
  names: boolean;
}

/** Rows of cells, with one that spans several repeated in each place it takes. */
function grid(rows: readonly HTMLTableRowElement[]): Cell[][] {
  const cells: Cell[][] = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row.cells) {
      while (cells[y]?.[x]) x += 1;
      const filled = { text: cell.textContent?.trim() ?? "", names: cell.tagName === "TH" };
      for (let down = 0; down < Math.min(cell.rowSpan || 1, rows.length - y); down++) {
        const line = cells[y + down];
        for (let right = 0; line && right < Math.min(cell.colSpan, 500); right++) line[x + right] = filled;
      }
    }
  });
  return cells;
}

function columnAt(at: number, head: Cell[][], body: Cell[][], rows: readonly (readonly string[])[]): Column {
  const above = head.map((row) => row[at]).filter((cell) => cell !== undefined);
  const names = above.filter((cell) => cell.names && cell.text !== "").map((cell) => cell.text);
  const values = rows.map((row) => row[at] ?? "").filter((text) => !MISSING.test(text));
  const index = body.length > 0 && body.every((row) => row[at]?.names ?? false);
  return {
    // Over the rows' names stand those of the columns' levels too: the last is their own.
    name: index ? (names.at(-1) ?? "") : names.filter((name, n) => name !== names[n - 1]).join(" · "),
    type: above.find((cell) => !cell.names)?.text ?? "",
    index,
    numeric: values.length > 0 && values.every((text) => NUMBER.test(text)),
  };
}

const MISSING = /^(?:|nan|none|nat|<na>|null|…|\.\.\.)$/i;
const NUMBER = /^[-+−]?(?:inf|(?=[.\d])[\d,_]*\.?\d*(?:e[-+]?\d+)?%?)$/i;

/** Return the rows in an order: numbers by value, other text as a person would file it, what is missing last. */
export function inOrder(frame: DataFrame, order: Order | null): DataFrame["rows"] {
  if (order === null) return frame.rows;
  const { column, descending } = order;
  const compare = frame.columns[column]?.numeric ? byValue : byText;
  const sign = descending ? -1 : 1;
  return [...frame.rows].sort((a, b) => {
    const [left, right] = [a[column] ?? "", b[column] ?? ""];
    const [gone, goneToo] = [MISSING.test(left), MISSING.test(right)];
    return gone || goneToo ? Number(gone) - Number(goneToo) : sign * compare(left, right);
  });
}

const collator = new Intl.Collator(undefined, { numeric: true });
const byText = (left: string, right: string): number => collator.compare(left, right);

function byValue(left: string, right: string): number {
  const [a, b] = [plain(left), plain(right)];
  const difference = Number(a) - Number(b);
  if (Number(a) === Number(b) && /^[-+]?\d{16,}$/.test(a) && /^[-+]?\d{16,}$/.test(b)) {
    return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
  }
  return Number.isNaN(difference) ? 0 : difference;
}

const plain = (text: string): string =>
  text
    .replace(/[,_%]/g, "")
    .replace("−", "-")
    .replace(/^([-+]?)inf$/i, "$1Infinity");
