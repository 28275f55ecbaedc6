"""Turns whatever holds a table (a data frame, records, a file) into an Arrow table; it never stores it.

Values stay what they were: numbers with leading zeros stay text, a column of mixed values becomes text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .documents import Unreadable, decoded

if TYPE_CHECKING:
    import pyarrow as pa


_MISSING = ["", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null"]
"""What a cell of a delimited file says for "no value", where the rest of its column are numbers or dates."""


def to_arrow(data: Any) -> pa.Table:
    """Return data as an Arrow table; raises Unreadable for what isn't a table.

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
            table = _from_pandas(data)
        elif isinstance(data, Mapping):
            table = pa.table({str(k): _column(list(v)) for k, v in data.items()})
        elif hasattr(data, "__arrow_c_stream__"):
            table = pa.table(data)
        elif hasattr(data, "fetch_arrow_table"):
            table = data.fetch_arrow_table()
        elif isinstance(data, Iterable) and not isinstance(data, str | bytes):
            table = from_records(list(data))
        else:
            raise Unreadable(f"{type(data).__name__} is not a table; give a data frame, a list of dicts or a path")
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise Unreadable(f"this can't become a table: {error}") from error
    return _plain_columns(table)


def from_records(records: Sequence[Any]) -> pa.Table:
    """Return dicts as a table: columns in order of first sight, what a record lacks is null."""
    import pyarrow as pa

    if not all(isinstance(r, Mapping) for r in records):
        raise Unreadable("not a list of records: each row must be an object with named values")
    names = dict.fromkeys(str(k) for r in records for k in r)
    rows = [{str(k): v for k, v in r.items()} for r in records]
    return pa.table({name: _column([r.get(name) for r in rows]) for name in names})


def _column(values: list[Any]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.array([None if v is None else v if isinstance(v, str) else _text(v) for v in values], pa.string())


def _text(value: Any) -> str:
    if isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _from_pandas(data: Any) -> pa.Table:
    import pyarrow as pa

    frame = data.to_frame() if data.ndim == 1 else data
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    frame = frame.set_axis(["_".join(map(str, c)) if isinstance(c, tuple) else str(c) for c in frame.columns], axis=1)
    if frame.columns.is_unique:
        try:
            return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            pass  # some object column is mixed: take the columns one by one
    arrays = [_pandas_column(frame.iloc[:, i]) for i in range(frame.shape[1])]
    return pa.Table.from_arrays(arrays, names=[str(c) for c in frame.columns])


def _pandas_column(series: Any) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.Array.from_pandas(series)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return _column([None if missing else v for v, missing in zip(series, series.isna(), strict=True)])


def _plain_columns(table: pa.Table) -> pa.Table:
    """Give every column a type that Lance stores and filters."""
    import pyarrow as pa

    columns = []
    for field, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_dictionary(field.type):
            column = column.cast(field.type.value_type)
        elif pa.types.is_null(field.type) or str(field.type) in ("string_view", "large_string"):
            column = column.cast(pa.string())
        columns.append(column)
    return pa.Table.from_arrays(columns, names=table.column_names)


def read_tables(path: Path) -> list[tuple[str, pa.Table]]:
    """Read a file by its suffix as named tables (a workbook has one for each sheet); raises Unreadable."""
    import pyarrow as pa

    try:
        return [(name, _plain_columns(t)) for name, t in READERS[path.suffix.casefold()](path)]
    except (pa.ArrowException, ValueError, OSError) as error:
        raise Unreadable(f"not a {path.suffix[1:]} file that can be read: {error}") from error


def _delimited(path: Path, delimiter: str) -> list[tuple[str, pa.Table]]:
    import pyarrow as pa
    from pyarrow import csv

    data = decoded(path.read_bytes())
    if not data.strip():
        raise Unreadable("empty")
    header = data.split("\n", 1)[0]
    if delimiter == "," and "," not in header and ";" in header:
        delimiter = ";"
    raw = data.encode("utf-8", "surrogatepass")
    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    with csv.open_csv(BytesIO(raw), parse_options=parse) as head:
        names = head.schema.names
    as_text = csv.ConvertOptions(
        column_types={name: pa.string() for name in names}, null_values=[""], strings_can_be_null=True
    )
    table = csv.read_csv(BytesIO(raw), parse_options=parse, convert_options=as_text)
    return [(path.stem, pa.Table.from_arrays([_typed(c) for c in table.columns], names=table.column_names))]


def _typed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give a text column the narrowest type that loses nothing; ``007`` and ``+1`` stay text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(column)
    bare = pc.if_else(pc.is_in(bare, pa.array(_MISSING)), pa.scalar(None, pa.string()), bare)
    if bare.null_count == len(bare):
        return column
    risky = pc.any(pc.match_substring_regex(bare, r"^(?:[-+]?0\d|\+)")).as_py()
    truths = pc.all(pc.is_in(pc.utf8_lower(bare), pa.array(["true", "false", None]))).as_py()
    numbers = [] if risky else [pa.int64(), pa.float64()]
    for kind in [pa.bool_()] if truths else [*numbers, pa.date32(), pa.timestamp("us")]:
        try:
            return bare.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column


def _csv(path: Path) -> list[tuple[str, pa.Table]]:
    return _delimited(path, ",")


def _tsv(path: Path) -> list[tuple[str, pa.Table]]:
    return _delimited(path, "\t")


def _parquet(path: Path) -> list[tuple[str, pa.Table]]:
    import pyarrow.parquet as pq

    return [(path.stem, pq.read_table(path).replace_schema_metadata(None))]


def _arrow(path: Path) -> list[tuple[str, pa.Table]]:
    from pyarrow import feather

    return [(path.stem, feather.read_table(path, memory_map=False).replace_schema_metadata(None))]


def _json(path: Path) -> list[tuple[str, pa.Table]]:
    data = json.loads(decoded(path.read_bytes()))
    if not isinstance(data, list) or not data:
        raise Unreadable("not a list of records; only tables are read from JSON")
    return [(path.stem, from_records(data))]


def _jsonl(path: Path) -> list[tuple[str, pa.Table]]:
    lines = [line for line in decoded(path.read_bytes()).split("\n") if line.strip()]
    if not lines:
        raise Unreadable("empty")
    return [(path.stem, from_records([json.loads(line) for line in lines]))]


def _xlsx(path: Path) -> list[tuple[str, pa.Table]]:
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise Unreadable("Excel files need the package openpyxl: pip install openpyxl") from error
    book = load_workbook(path, read_only=True, data_only=True)
    sheets = [(sheet.title, list(sheet.iter_rows(values_only=True))) for sheet in book.worksheets]
    book.close()
    filled = [(title, rows) for title, rows in sheets if len(rows) > 1]
    if not filled:
        raise Unreadable("no sheet has a header and a row")
    return [(path.stem if len(filled) == 1 else f"{path.stem}_{title}", _sheet(rows)) for title, rows in filled]


def _sheet(rows: list[tuple[Any, ...]]) -> pa.Table:
    import pyarrow as pa

    names = [str(n) if n is not None else f"column_{i + 1}" for i, n in enumerate(rows[0])]
    return pa.Table.from_arrays([_column([r[i] for r in rows[1:]]) for i in range(len(names))], names=names)


READERS: dict[str, Callable[[Path], list[tuple[str, pa.Table]]]] = {
    ".csv": _csv, ".tsv": _tsv, ".parquet": _parquet, ".arrow": _arrow, ".feather": _arrow, ".json": _json,
    ".jsonl": _jsonl, ".ndjson": _jsonl, ".xlsx": _xlsx,
}  # fmt: skip
