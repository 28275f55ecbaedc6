"""Reads a data frame of the notebook as a table is read; it never changes one, and never runs a lazy one.

A filter is Lance's own, applied to a part of the rows at a time and to the columns it names, so that a live frame and
a table of the library answer the same question alike, in memory that doesn't grow with the frame.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import LibraryError
from ..types import Scan
from . import frames, tables
from .columns import storable, type_name
from .documents import Unreadable
from .store import FOREIGN, matching
from .table_text import Coverage, most_rows, page
from .where import Column, Columns, Where, to_sql

if TYPE_CHECKING:
    import pyarrow as pa

PART = 65_536
"""Rows that are filtered at a time."""

_NUMBER = "nephele row number"
_SAMPLE = 1000


class Live(NamedTuple):
    """What a frame can give: an Arrow array of a column's rows [start, stop), and some rows as Python values."""

    names: list[str]
    rows: int
    part: Callable[[int, int, int], Any]
    at: Callable[[Sequence[int], Sequence[int]], list[dict[str, Any]]]


def live_scan(
    name: str,
    value: Any,
    columns: Sequence[str] | None = None,
    where: Where | None = None,
    order_by: str | None = None,
    offset: int = 0,
    cap: int = 6000,
) -> Scan:
    """Read a live frame as ``Library.scan`` reads a table; ``version`` is 0. Raises LibraryError for what is none."""
    import pyarrow as pa

    live = look(name, value)
    try:
        known = _Noting(name, [_column(live, i, n) for i, n in enumerate(live.names)])
        chosen = known.chosen(columns)
        order = tables.ordering(order_by, known)
        known.met.clear()
        filter_ = to_sql(where, known)
        offset, cap = tables.bounded(offset, cap)
        window = (offset, offset + most_rows(len(chosen), cap))
        matched, numbers = _found(live, known, filter_, order, window)
        places = [known.all.index(c) for c in chosen]
        coverage = Coverage(offset, matched, live.rows, "live variable, as it is now")
        left_out = [c.name for c in known.all if c not in chosen]
        text, shown = page(live.at(places, numbers), [c.name for c in chosen], left_out, coverage, cap)
    except (*FOREIGN, Unreadable, pa.ArrowException) as error:
        raise LibraryError(f"{name!r} can't be read that way: {tables.first_line(error)}") from error
    return Scan(name, text, shown, len(shown), matched, live.rows, 0, offset)


def look(name: str, value: Any) -> Live:
    """Return a frame's readers, chosen by its exact type; raises LibraryError for anything else."""
    kind = type(value)
    for module, class_name, make in _KNOWN:
        if kind is getattr(sys.modules.get(module), class_name, None):
            return make(value)
    said = "it is lazy; collect it first" if kind.__name__ in ("LazyFrame", "DuckDBPyRelation") else "it is no table"
    raise LibraryError(f"{name!r} can't be scanned: {said} ({kind.__module__}.{kind.__qualname__}).")


class _Noting(Columns):
    """Columns that remember which were asked for, so that a filter is given no others."""

    def __init__(self, table: str, columns: Sequence[Column]) -> None:
        super().__init__(table, columns)
        self.met: set[Column] = set()

    def get(self, name: str) -> Column | None:
        found = super().get(name)
        if found is not None:
            self.met.add(found)
        return found


def _column(live: Live, place: int, name: str) -> Column:
    try:
        kind = type_name(_part(live, place, 0, min(live.rows, _SAMPLE)).type)
    except Unreadable:
        kind = "mixed"
    return Column(name, f"c{place}", kind)


def _part(live: Live, place: int, start: int, stop: int) -> pa.ChunkedArray:
    import pyarrow as pa

    array = live.part(place, start, stop)
    return storable(live.names[place], array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array]))


def _found(
    live: Live, known: _Noting, where: str | None, order: Sequence[tuple[str, bool]], window: tuple[int, int]
) -> tuple[int, list[int]]:
    """Return how many rows match, and the numbers of those in the window, in order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if where is None and not order:
        return live.rows, list(range(min(window[0], live.rows), min(window[1], live.rows)))
    places = {c.stored: i for i, c in enumerate(known.all)}
    keys = [(places[stored], "descending" if down else "ascending") for stored, down in order]
    count, kept, parts = 0, list[int](), list[pa.Table]()
    for start, hits in _matches(live, places, known.met, where):
        low, high = max(window[0] - count, 0), max(window[1] - count, 0)
        kept += hits[low:high].to_pylist() if not keys else []
        count += len(hits)
        if keys:
            near = pc.subtract(hits, start)
            stop = min(start + PART, live.rows)
            arrays = {f"c{i}": _sortable(_part(live, i, start, stop)).take(near) for i, _ in keys}
            parts.append(pa.table({_NUMBER: hits} | arrays))
    if keys and parts:
        whole = pa.concat_tables(parts, promote_options="permissive")
        ranked = pc.sort_indices(whole, sort_keys=[(f"c{i}", way) for i, way in keys])
        kept = whole.column(_NUMBER).take(ranked[window[0] : window[1]]).to_pylist()
    return count, kept


def _matches(
    live: Live, places: Mapping[str, int], met: set[Column], where: str | None
) -> Iterator[tuple[int, pa.Array]]:
    import pyarrow as pa

    for start in range(0, live.rows, PART):
        stop = min(start + PART, live.rows)
        numbers = pa.array(range(start, stop), pa.int64())
        if where is not None:
            rows = pa.table({c.stored: _part(live, places[c.stored], start, stop) for c in met} | {_NUMBER: numbers})
            numbers = matching(rows, where, _NUMBER)
        yield start, numbers


def _sortable(array: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    return array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array


def _pandas(value: Any) -> Live:
    frame = value if value.ndim == 2 else value.to_frame()
    levels, names = frames.pandas_names(frame)

    def series(place: int, rows: Any) -> Any:
        if place < levels:
            return frame.index[rows].get_level_values(place).to_series()
        return frame.iloc[rows, place - levels]

    def part(place: int, start: int, stop: int) -> Any:
        return frames.pandas_column(names[place], series(place, slice(start, stop)))

    def at(places: Sequence[int], rows: Sequence[int]) -> list[dict[str, Any]]:
        shown = {names[i]: _values(names[i], series(i, list(rows))) for i in places}
        return [{name: values[n] for name, values in shown.items()} for n in range(len(rows))]

    return Live(names, len(frame), part, at)


def _values(name: str, series: Any) -> list[Any]:
    """An object column may hold anything; each value is shown as what it is."""
    if series.dtype != object:
        try:
            values: list[Any] = frames.pandas_column(name, series).to_pylist()
            return values
        except Unreadable:
            pass
    return [None if missing else v for v, missing in zip(series, series.isna(), strict=True)]


def _polars(value: Any) -> Live:
    frame = value.to_frame() if type(value).__name__ == "Series" else value

    def part(place: int, start: int, stop: int) -> Any:
        return frames.from_polars(frame[start:stop].select(frame.columns[place])).column(0)

    def at(places: Sequence[int], rows: Sequence[int]) -> list[dict[str, Any]]:
        wanted = frame.select([frame.columns[i] for i in places])
        found: list[dict[str, Any]] = wanted[list(rows)].to_dicts() if rows else []
        return found

    return Live(list(frame.columns), frame.height, part, at)


def _arrow(value: Any) -> Live:
    import pyarrow as pa

    table = value if isinstance(value, pa.Table) else pa.Table.from_batches([value])
    names = frames.free_names(table.column_names)

    def part(place: int, start: int, stop: int) -> Any:
        return table.column(place).slice(start, stop - start)

    def at(places: Sequence[int], rows: Sequence[int]) -> list[dict[str, Any]]:
        wanted = pa.array(rows, pa.int64())
        shown = {names[i]: table.column(i).take(wanted).to_pylist() for i in places}
        return [{name: values[n] for name, values in shown.items()} for n in range(len(rows))]

    return Live(names, table.num_rows, part, at)


_KNOWN: tuple[tuple[str, str, Callable[[Any], Live]], ...] = (
    ("pandas", "DataFrame", _pandas), ("pandas", "Series", _pandas), ("polars", "DataFrame", _polars),
    ("polars", "Series", _polars), ("pyarrow", "Table", _arrow), ("pyarrow", "RecordBatch", _arrow),
)  # fmt: skip
