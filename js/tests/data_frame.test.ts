import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DataFrame, inOrder, readFrame } from "../src/shared/data_frame";
import { Script } from "./building";
import { drawn, type Mounted, mounted } from "./mounting";

const FRAMES = JSON.parse(readFileSync("tests/fixtures/frames.json", "utf8")) as { [name: string]: string };

function frame(name: string): DataFrame {
  const read = readFrame(FRAMES[name] ?? "");
  if (!read) throw new Error(`${name} is no frame`);
  return read;
}

const column = (read: DataFrame, at: number, descending = false): (string | undefined)[] =>
  inOrder(read, { column: at, descending }).map((row) => row[at]);

describe("a frame's HTML", () => {
  it("is read as text, cell by cell, with each number as it is written", () => {
    const { columns, rows, whole, gap } = frame("small");
    expect(columns.map(({ name, index, numeric }) => [name, index, numeric])).toEqual([
      ["", true, true],
      ["tea", false, false],
      ["sold", false, true],
      ["price", false, true],
      ["day", false, false],
    ]);
    expect(rows[2]).toEqual(["2", "<b>x</b>", "20", "1234567.891", "2025-12-01"]);
    expect([whole, gap]).toEqual([null, null]);
  });

  it("says how many rows there are where some were left out", () => {
    const { rows, whole, gap } = frame("long");
    expect([rows.length, whole, gap]).toEqual([10, 1000, 5]);
    expect(rows.map((row) => row[0])).toEqual(["0", "1", "2", "3", "4", "995", "996", "997", "998", "999"]);
  });

  it("has each level of names in its place", () => {
    const { columns, rows } = frame("multi");
    expect(columns.map(({ name, index }) => [name, index])).toEqual([
      ["g", true],
      ["k", true],
      ["x · p", false],
      ["x · q", false],
    ]);
    expect(rows.map((row) => row.join(" "))).toEqual(["a 1 0 1", "a 2 2 3", "b 1 4 5", "b 2 6 7"]);
    expect(frame("named").columns.map(({ name }) => name)).toEqual(["key", "v"]);
  });

  it("keeps the types that polars writes", () => {
    const { columns, whole, rows } = frame("polars");
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(["a i64", "s str"]);
    expect(whole).toBe(3);
    expect(rows[2]).toEqual(["null", '"z"']);
  });

  it.each([
    ["links", FRAMES["links"]],
    ["a table of another kind", FRAMES["styled"]],
    ["no header", '<table class="dataframe"><tr><td>1</td></tr></table>'],
    ["two tables", `${FRAMES["small"]}${FRAMES["small"]}`],
    ["a picture beside it", `${FRAMES["small"]}<img src=x>`],
    [
      "too many cells",
      `<table class="dataframe"><thead><tr><th colspan=400>a</th></tr></thead>${"<tr><td></td></tr>".repeat(200)}</table>`,
    ],
  ])("is left to the frame without scripts: %s", (_name, html) => {
    expect(readFrame(html ?? "")).toBeNull();
  });
});

describe("the order of rows", () => {
  it("has numbers by value and what is missing last, both ways", () => {
    expect(column(frame("small"), 2)).toEqual(["-1", "3", "20"]);
    expect(column(frame("small"), 3)).toEqual(["0.100", "1234567.891", "NaN"]);
    expect(column(frame("small"), 3, true)).toEqual(["1234567.891", "0.100", "NaN"]);
    expect(column(frame("polars"), 0)).toEqual(["9", "10", "null"]);
  });

  it("has dates by time and other text as a person files it", () => {
    expect(column(frame("small"), 4)).toEqual(["2025-12-01", "2026-03-09", "2026-03-10"]);
    expect(column({ ...frame("named"), rows: [["r10"], ["r9"], ["R1"]] }, 0)).toEqual(["R1", "r9", "r10"]);
  });

  it("tells whole numbers apart that no float can", () => {
    expect(column(frame("big"), 1)).toEqual(["10", "9007199254740992", "9007199254740993"]);
  });

  it("leaves rows that are alike as they came", () => {
    const rows = Array.from({ length: 30 }, (_, n) => ["1", String(n)]);
    const alike = { ...frame("named"), rows };
    expect(inOrder(alike, { column: 0, descending: true })).toEqual(rows);
  });
});

describe("in the view", () => {
  let view: Mounted;
  beforeEach(async () => {
    view = await mounted();
  });
  afterEach(() => view.dispose());

  async function shown(html: string): Promise<void> {
    const script = new Script();
    const output = { output_type: "display_data", data: { "text/html": html, "text/plain": "t" }, metadata: {} };
    await view.snapshot([
      script.start(),
      script.event("ToolStart", { call_id: "c", tool: "run_python", arguments: {} }),
      script.event("ToolOutput", { call_id: "c", output }),
      script.event("ToolFinish", { call_id: "c", tool: "run_python", ok: true, result: "t", elapsed_s: 1 }),
    ]);
  }

  const cells = (at: number): (string | null)[] =>
    [...view.root.querySelectorAll<HTMLTableRowElement>(".nph-data tbody tr")].map(
      (row) => row.cells[at]?.textContent ?? "",
    );

  it("sorts by a click on a name: up, down, and back", async () => {
    await shown(FRAMES["small"] ?? "");
    expect(view.root.querySelector("iframe")).toBeNull();
    const heading = view.find(".nph-data th:nth-child(3)");
    for (const [sort, order] of [
      ["ascending", ["-1", "3", "20"]],
      ["descending", ["20", "3", "-1"]],
      [null, ["3", "-1", "20"]],
    ]) {
      heading.querySelector("button")?.click();
      await drawn();
      expect(heading.getAttribute("aria-sort")).toBe(sort);
      expect(cells(2)).toEqual(order);
    }
  });

  it("says of how many rows these are, and where some are missing", async () => {
    await shown(FRAMES["long"] ?? "");
    expect(view.find(".nph-data-foot").textContent).toContain("10 of 1,000 rows");
    expect(cells(0)[5]).toBe("… rows left out …");
    view.find<HTMLButtonElement>(".nph-data th:nth-child(2) button").click();
    await drawn();
    expect(cells(0)).not.toContain("… rows left out …");
    expect(view.find(".nph-data-foot").textContent).toContain("sorted among these");
  });

  it("shows the head of a long one, and all of it when asked", async () => {
    const rows = Array.from({ length: 250 }, (_, n) => `<tr><th>${n}</th><td>v${n}</td></tr>`).join("");
    await shown(`<table class="dataframe"><thead><tr><th></th><th>v</th></tr></thead><tbody>${rows}</tbody></table>`);
    expect(cells(0)).toHaveLength(100);
    view.button("Show 150 more rows").click();
    await drawn();
    expect(cells(0)).toHaveLength(250);
  });
});
