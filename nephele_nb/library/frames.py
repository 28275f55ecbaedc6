"""Turns whatever holds a table (a data frame, records) into an Arrow table; it never stores it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .columns import column, storable
from .documents import Unreadable

if TYPE_CHECKING:
    import pyarrow as pa
_POLARS = ("DataFrame", "Series")
_BY_VALUE = ("Object", "Int128", "UInt128")
"""Types of polars that Arrow has no name for."""


def to_arrow(data: Any) -> pa.Table:
    """Return data as an Arrow table; raises Unreadable for what isn't a table, or for a value that can't be kept.

    Takes pandas, polars, pyarrow (table, batch, reader), a duckdb relation, a list of dicts, a dict of columns,
    or anything with ``__arrow_c_stream__``.
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
            table = pa.table({str(k): _given_column(str(k), v) for k, v in data.items()})
        elif type(data).__module__.split(".")[0] == "polars" and type(data).__name__ in _POLARS:
            table = from_polars(data)
        elif hasattr(data, "__arrow_c_stream__"):
            table = pa.table(data)
        elif hasattr(data, "fetch_arrow_table"):
            table = data.fetch_arrow_table()
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
    names = dict.fromkeys(str(k) for r in records for k in r)
    rows = [{str(k): v for k, v in r.items()} for r in records]
    return pa.table({name: column(name, [r.get(name) for r in rows]) for name in names})


def from_pandas(data: Any) -> pa.Table:
    """Return a pandas frame or series as a table; an index that says something becomes columns."""
    import pyarrow as pa

    frame = data.to_frame() if data.ndim == 1 else data
    if telling_levels(frame):
        frame = frame.reset_index()
    names = pandas_names(frame)
    arrays = [pandas_column(name, frame.iloc[:, i]) for i, name in enumerate(names)]
    return pa.Table.from_arrays(arrays, names=names)


def telling_levels(frame: Any) -> list[str]:
    """Return the names of an index that says something; one that only counts the rows has none."""
    names = list(frame.index.names)
    if names == [None] and frame.index.dtype.kind in "iu":
        return []
    counted = ["index"] if len(names) == 1 else [f"level_{i}" for i in range(len(names))]
    return [count if name is None else str(name) for name, count in zip(names, counted, strict=True)]


def pandas_names(frame: Any) -> list[str]:
    """Return the columns' names as text; a name of several parts is joined."""
    return ["_".join(map(str, c)) if isinstance(c, tuple) else str(c) for c in frame.columns]


def pandas_column(name: str, series: Any) -> pa.Array:
    """Return one pandas column; raises Unreadable naming the row where an object column is mixed."""
    import pyarrow as pa

    if series.dtype == object:
        return column(name, [None if missing else v for v, missing in zip(series, series.isna(), strict=True)])
    try:
        return pa.Array.from_pandas(series)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise Unreadable(f"column {name!r}, row 1: {series.dtype} can't be kept ({error})") from error


def from_polars(data: Any) -> pa.Table:
    """Return a polars frame or series as a table; what it can't hand over itself is taken value by value."""
    import pyarrow as pa

    frame = data.to_frame() if type(data).__name__ == "Series" else data
    names = [name for name, kind in frame.schema.items() if str(kind) in _BY_VALUE]
    table = pa.table(frame.drop(names))
    for name in names:
        place = frame.columns.index(name)
        table = table.add_column(place, name, [column(name, frame.get_column(name).to_list())])
    return table


def _given_column(name: str, values: Any) -> Any:
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if type(values).__module__.split(".")[0] == "pandas":
        return pandas_column(name, values)
    if type(values).__module__ == "numpy" and values.dtype.kind in "biufM":
        return pa.array(values)
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
