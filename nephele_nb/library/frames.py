"""Turns whatever holds a table (a data frame, records) into an Arrow table; it never stores it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .columns import column, refuse, storable
from .documents import Unreadable

if TYPE_CHECKING:
    import pyarrow as pa

_POLARS = ("DataFrame", "LazyFrame", "Series")
_BY_VALUE = re.compile(r"\b(?:Object|U?Int128)\b")
"""Types of polars that Arrow has no name for."""
_DISTORTED = re.compile(r"\b(?:TIME WITH TIME ZONE|BIT|UHUGEINT|BIGNUM)\b")
"""Types of duckdb that it hands to Arrow as something else."""


def to_arrow(data: Any) -> pa.Table:
    """Return data as an Arrow table; raises Unreadable for what isn't a table, or for a value that can't be kept.

    Takes pandas, polars (a lazy frame is collected), pyarrow (table, batch, reader), a duckdb relation, a list of
    dicts, a dict of columns, or anything with ``__arrow_c_stream__``.
    """
    import pyarrow as pa

    try:
        if isinstance(data, pa.Table):
            table = data
        elif isinstance(data, pa.RecordBatch):
            table = pa.Table.from_batches([data])
        elif type(data).__module__.split(".")[0] == "pandas":
            table = from_pandas(data)
        elif isinstance(data, Mapping):
            named = _texts(data)
            table = pa.table({name: _given_column(name, data[key]) for name, key in named.items()})
        elif type(data).__module__.split(".")[0] == "polars" and type(data).__name__ in _POLARS:
            table = from_polars(data)
        elif hasattr(data, "fetch_arrow_table"):
            table = from_duckdb(data)
        elif hasattr(data, "__arrow_c_stream__"):
            table = pa.table(data)
        elif isinstance(data, Iterable) and not isinstance(data, str | bytes):
            table = from_records(list(data))
        else:
            raise Unreadable(f"{type(data).__name__} is not a table; give a data frame, a list of dicts or a path")
        return storable_table(table)
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise Unreadable(f"this can't become a table: {error}") from error


def from_records(records: Sequence[Any]) -> pa.Table:
    """Return dicts as a table: columns in order of first sight, what a record lacks is null."""
    import pyarrow as pa

    for row, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise Unreadable(f"row {row} is no record: each row must be an object with named values")
    named = _texts(k for r in records for k in r)
    return pa.table({name: column(name, [r.get(key) for r in records]) for name, key in named.items()})


def _texts(keys: Iterable[Any]) -> dict[str, Any]:
    """Return the text of each key with the key, in order of first sight."""
    out: dict[str, Any] = {}
    for key in keys:
        if out.setdefault(str(key), key) != key:
            raise Unreadable(f"{key!r} and {out[str(key)]!r} would be one column; rename one of them")
    return out


def from_pandas(data: Any) -> pa.Table:
    """Return a pandas frame or series as a table; an index that says something becomes columns."""
    import pyarrow as pa

    frame = data.to_frame() if data.ndim == 1 else data
    levels, names = pandas_names(frame)
    given = [frame.index.get_level_values(i).to_series() for i in range(levels)]
    given += [frame.iloc[:, i] for i in range(frame.shape[1])]
    arrays = [pandas_column(name, series) for name, series in zip(names, given, strict=True)]
    return pa.Table.from_arrays(arrays, names=names)


def pandas_names(frame: Any) -> tuple[int, list[str]]:
    """Return how many levels of the index say something, and their names as text, then the columns'.

    A name of several parts is joined; where the index and a column have one name, the column keeps it.
    """
    columns = free_names(["_".join(map(str, c)) if isinstance(c, tuple) else str(c) for c in frame.columns])
    levels = list(frame.index.names)
    if levels == [None] and _only_counts(frame.index):
        return 0, columns
    counted = ["index"] if len(levels) == 1 else [f"level_{i}" for i in range(len(levels))]
    taken = list(columns)
    for count, name in zip(counted, levels, strict=True):
        taken.append(free_name(count if name is None else str(name), taken))
    return len(levels), taken[len(columns) :] + columns


def _only_counts(index: Any) -> bool:
    """Say whether an index holds no more than the numbers of the rows, in whatever order."""
    if index.dtype.kind not in "iu":
        return False
    if index.hasnans or not index.is_unique:
        return False
    return bool(not len(index) or (index.min() == 0 and index.max() == len(index) - 1))


def free_names(names: Iterable[str]) -> list[str]:
    """Return names with a number after each that was there before."""
    out: list[str] = []
    for name in names:
        out.append(free_name(name, out))
    return out


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name with a number after it where it is taken."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def pandas_column(name: str, series: Any) -> pa.Array:
    """Return one pandas column; raises Unreadable naming the row where an object column is mixed."""
    import pyarrow as pa

    if series.dtype != object:
        try:
            return pa.Array.from_pandas(series)
        except (pa.ArrowException, TypeError, ValueError):
            pass  # taken value by value, it fits or the row that doesn't is named
    return column(name, [None if missing else v for v, missing in zip(series, series.isna(), strict=True)])


def from_polars(data: Any) -> pa.Table:
    """Return a polars frame or series as a table; what it can't hand over itself is taken value by value."""
    import pyarrow as pa

    made = {"Series": "to_frame", "LazyFrame": "collect"}.get(type(data).__name__)
    frame = getattr(data, made)() if made else data
    names = [name for name, kind in frame.schema.items() if _BY_VALUE.search(str(kind))]
    table = pa.table(frame.drop(names))
    for name in names:
        place = frame.columns.index(name)
        table = table.add_column(place, name, [column(name, frame.get_column(name).to_list())])
    return table


def from_duckdb(relation: Any) -> pa.Table:
    """Return a duckdb relation as a table; raises Unreadable for a column that it would hand over distorted."""
    table: pa.Table = (getattr(relation, "to_arrow_table", None) or relation.fetch_arrow_table)()
    for place, (name, kind) in enumerate(zip(table.column_names, getattr(relation, "types", ()), strict=False)):
        if _DISTORTED.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", str(kind))):
            refuse(name, table.column(place), str(kind))
    return table


def _given_column(name: str, values: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if type(values).__module__.split(".")[0] == "pandas":
        return pandas_column(name, values)
    if type(values).__module__ == "numpy" and values.dtype.kind in "biufM":
        return pa.array(values)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise Unreadable(f"column {name!r} is one value ({type(values).__name__}), not a list of values")
    return column(name, list(values))


def storable_table(table: pa.Table) -> pa.Table:
    """Return a table whose columns Lance stores; raises Unreadable naming the one that it doesn't."""
    import pyarrow as pa

    pairs = zip(table.column_names, table.columns, strict=True)
    columns = [storable(name, values) for name, values in pairs]
    fields = [
        pa.field(name, values.type, metadata=field.metadata)
        for name, values, field in zip(table.column_names, columns, table.schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))
