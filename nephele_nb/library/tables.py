"""Structured tables: taken in whole, read in parts; a scan reads only the rows and columns it shows."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import LibraryError, nearest
from ..types import Scan
from . import notes
from .columns import type_name
from .draft import Draft
from .frames import free_name
from .schema import DATA, TABLES, digest
from .store import FOREIGN, Row, Store, any_of, literal, orderings
from .table_files import REMARK
from .table_text import LEAST_CAP, Coverage, cell, most_rows, page
from .where import Column, Columns, Where, to_sql

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = b"nephele_columns"
"""Where a version of a table keeps the names its columns go by."""

KEEP_VERSIONS = timedelta(days=30)
"""How long an older version of a table can still be read once the library is compacted."""

_BATCH = 64
_LONGEST_FAULT = 400
_MOST_ROWS = (1 << 32) - 1
_SAMPLE_ROWS = 3
_ODD = re.compile(r"[.`\x00-\x1f]|^_row|^_distance$|^_score$|^$")


class Added(NamedTuple):
    """A table that is in: its description, and that one's passages."""

    draft: Draft
    passages: list[notes.Unembedded]


def add(store: Store, name: str, table: pa.Table, path: str = "", root: str = "", mark: str = "") -> Added:
    """Store a table under a name (a new version where it exists) with its description as a note."""
    import pyarrow as pa

    if not name or not table.column_names:
        raise LibraryError("A table needs a name and at least one column.")
    columns = _columns_of(table)
    listed = json.dumps([list(c) for c in columns], ensure_ascii=False)
    data = pa.Table.from_arrays(table.columns, names=[c.stored for c in columns])
    lance = f"{DATA}{digest(name)}"
    content_id, now = f"table:{name}", time.time()
    row = {"content_id": content_id, "name": name, "data": lance, "columns": listed, "rows": len(data), "updated": now}
    with store.pen.hold([content_id]):
        store.replace(lance, data.replace_schema_metadata({COLUMNS: listed.encode()}))
        store.upsert(TABLES, [row])
        held = notes.find(store, content_id)
        created = held["created"] if held else now
        head = table.slice(0, _SAMPLE_ROWS).rename_columns([c.name for c in columns]).to_pylist()
        text = _description(name, len(data), columns, head)
        draft = Draft(content_id, name, text, (), "table", path, root, mark, created, now)
        return Added(draft, notes.write(store, [draft]))


def described(store: Store, table: Row, note: Row | None) -> Draft:
    """Return the description of a table as its data stands now, and count its rows anew."""
    data = store.frozen(table["data"])
    listed = (data.schema.metadata or {})[COLUMNS].decode()
    columns = [Column(*c) for c in json.loads(listed)]
    rows, now = int(data.count_rows()), time.time()
    store.upsert(TABLES, [{**table, "columns": listed, "rows": rows, "updated": now}])
    head = list(_rows(data, columns, None, [], 0, _SAMPLE_ROWS))
    text = _description(table["name"], rows, columns, head)
    old = notes.from_row(note) if note else Draft("", "", "", created=now)
    return Draft(table["content_id"], table["name"], text, (), "table", old.path, old.root, old.hash, old.created, now)


def standing(store: Store, content_id: str) -> dict[str, Any] | None:
    """Return a table's row, its description's row and its data's version, as they stand now; None for no such table."""
    columns = ["content_id", "name", "data", "columns", "rows", "updated"]
    held = store.rows(TABLES, columns, any_of("content_id", [content_id]))
    note = notes.find(store, content_id, notes.ROW_COLUMNS)
    if not held or note is None:
        return None
    return {"table": held[0], "note": note, "version": store.version(held[0]["data"])}


def restore(store: Store, stood: Mapping[str, Any]) -> list[notes.Unembedded]:
    """Bring a table back to how it stood, for a caller who holds the pen; raises LibraryError where that is gone."""
    table = dict(stood["table"])
    if table["data"] not in store.names():
        raise LibraryError(f"The data of table {stood['note']['title']!r} are gone: the library was compacted since.")
    if store.version(table["data"]) != stood["version"]:
        data = store.frozen(table["data"])
        _go_back(data, table["name"], stood["version"])
        try:
            data.restore()
        except FOREIGN as error:
            raise LibraryError(f"Table {table['name']!r} can't be brought back: {first_line(error)}") from error
    store.upsert(TABLES, [table])
    return notes.write(store, [notes.from_row(dict(stood["note"]))])


def remove(store: Store, content_ids: Sequence[str]) -> None:
    """Take these tables and their descriptions out; their data stay until ``sweep``, so that it can be undone."""
    if content_ids:
        with store.pen.hold(content_ids):
            store.delete(TABLES, any_of("content_id", content_ids))
            notes.erase(store, content_ids)


def sweep(store: Store) -> None:
    """Drop the data of tables that were removed, and versions older than 30 days of those that are there."""
    with store.pen.hold([]):
        kept = {row["data"] for row in store.rows(TABLES, ["data"])}
        for name in store.names():
            if name.startswith(DATA) and name not in kept:
                store.drop(name)
        store.files.tidy(older_than=KEEP_VERSIONS, names=sorted(kept))


def sizes(store: Store) -> dict[str, int]:
    """Return the number of rows of each table."""
    return {r["name"]: r["rows"] for r in sorted(store.rows(TABLES, ["name", "rows"]), key=lambda r: str(r["name"]))}


def scan(
    store: Store,
    name: str,
    columns: Sequence[str] | None,
    where: Where | None,
    order_by: str | None,
    offset: int,
    cap: int,
    version: int | None = None,
) -> Scan:
    """Read rows until ``cap`` characters are full; raises LibraryError naming the nearest table, column or version."""
    offset, cap = bounded(offset, cap)
    found = _registered(store, name)
    table = store.frozen(found["data"])
    if version is not None:
        _go_back(table, found["name"], version)
    metadata = table.schema.metadata or {}
    listed = metadata[COLUMNS] if COLUMNS in metadata else found["columns"]
    known = Columns(found["name"], [Column(*c) for c in json.loads(listed)])
    chosen = known.chosen(columns)
    left_out = [c.name for c in known.all if c not in chosen]
    filter_ = to_sql(where, known)
    order = ordering(order_by, known)
    try:
        total = int(table.count_rows())
        matched = int(table.count_rows(filter_)) if filter_ else total
        rows = _rows(table, chosen, filter_, order, offset, most_rows(len(chosen), cap))
        coverage = Coverage(offset, matched, total, f"version {table.version}")
        text, shown = page(rows, [c.name for c in chosen], left_out, coverage, cap)
    except FOREIGN as error:
        raise LibraryError(f"Table {found['name']!r} can't be read that way: {first_line(error)}") from error
    types = tuple((c.name, c.type) for c in chosen)
    return Scan(found["name"], text, shown, len(shown), matched, total, int(table.version), offset, types)


def bounded(offset: int, cap: int) -> tuple[int, int]:
    """Return where to begin and how many characters to fill, as far as there can be rows and sense."""
    if not all(isinstance(number, int) for number in (offset, cap)):
        raise LibraryError(f"offset and cap are whole numbers, not {offset!r} and {cap!r}.")
    return min(max(0, offset), _MOST_ROWS), max(cap, LEAST_CAP)


def first_line(error: BaseException) -> str:
    """Return what Lance says without the places in its own sources."""
    return re.split(r",? ?\S*\.rs:\d+|, /|\n", str(error))[0][:_LONGEST_FAULT]


def _go_back(table: Any, name: str, version: int) -> None:
    try:
        table.checkout(version)
    except FOREIGN as error:
        kept = ", ".join(str(v["version"]) for v in table.list_versions()[-20:])
        raise LibraryError(f"Table {name!r} has no version {version} any more. It has: {kept}.") from error


def registered(store: Store, name: str) -> Row | None:
    """Return the row of the table with exactly this name or content id, or None."""
    wanted = f"name = {literal(name)} OR content_id = {literal(name)}"
    rows = store.rows(TABLES, ["name", "data", "columns"], wanted, 1)
    return rows[0] if rows else None


def _registered(store: Store, name: str) -> Row:
    found = registered(store, name)
    rows, columns = [found] if found else [], ["name", "data", "columns"]
    if not rows:
        every = store.rows(TABLES, columns)
        rows = [r for r in every if r["name"].casefold() == name.casefold()]
        if not rows:
            names = [r["name"] for r in every]
            listed = ", ".join(sorted(names)[:40]) or "none yet; add one with add_table or add"
            raise LibraryError(f"The library has no table {name!r}{nearest(name, names)}. Tables: {listed}.")
    return rows[0]


def _columns_of(table: pa.Table) -> list[Column]:
    names: list[str] = []
    stored: set[str] = set()
    out = []
    for field in table.schema:
        name = free_name(field.name, names)
        names.append(name)
        # Lance has no way to name these: a dot, a back-tick, nothing at all
        inner = free_name(f"c_{re.sub(r'[^0-9A-Za-z]', '_', name)}" if _ODD.search(name) else name, stored)
        stored.add(inner)
        remark = (field.metadata or {}).get(REMARK, b"").decode()
        out.append(Column(name, inner, type_name(field.type), remark))
    return out


def _description(name: str, rows: int, columns: Sequence[Column], head: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"Table {name}: {rows} rows, {len(columns)} columns.", ""]
    lines += [f"- {c.name} ({c.type}{'; ' * bool(c.remark)}{c.remark})" for c in columns]
    lines += ["", " | ".join(cell(c.name, 60) for c in columns)]
    lines += [" | ".join(cell(row[c.name], 60) for c in columns) for row in head]
    return "\n".join(lines)


def ordering(order_by: str | None, columns: Columns) -> list[tuple[str, bool]]:
    """Return each column's stored name and whether it goes downwards; raises LibraryError for an unknown one."""
    if order_by is not None and not isinstance(order_by, str):
        raise LibraryError(f'order_by is a text such as "column desc", not {order_by!r}.')
    if not order_by or not order_by.strip():
        return []
    if columns.get(order_by.strip()) is not None:
        return [(columns.find(order_by.strip()).stored, False)]
    out = []
    for part in re.findall(r'(?:"(?:[^"]|"")*"|[^,])+', order_by):
        m = re.fullmatch(r"(.*?)(?:\s+(asc|desc))?", part.strip(), re.IGNORECASE | re.DOTALL)
        bare = m.group(1) if m else part
        if len(bare) > 1 and bare[0] == bare[-1] == '"':
            bare = bare[1:-1].replace('""', '"')
        out.append((columns.find(bare).stored, bool(m and (m.group(2) or "").casefold() == "desc")))
    return out


def _rows(
    table: Any, columns: list[Column], where: str | None, order: list[tuple[str, bool]], offset: int, limit: int
) -> Iterator[dict[str, Any]]:
    # Lance orders only by what it also returns
    wanted = dict.fromkeys([*(c.stored for c in columns), *(column for column, _ in order)])
    query = table.search().select(list(wanted)).limit(limit).offset(offset)
    if where:
        query = query.where(where)
    if order:
        query = query.order_by(orderings(order))
    for batch in query.to_batches(_BATCH):
        for row in batch.to_pylist():
            yield {c.name: row[c.stored] for c in columns}
