"""Reads a file as named tables; numbers with leading zeros stay text, and no digit of a number is dropped.

A spreadsheet's column of mixed cells is kept as text, and its remark (the Arrow field's metadata) says so.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .columns import column
from .documents import Unreadable, decoded
from .frames import from_records, storable_table

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import csv

MAX_BYTES = 1_000_000_000
"""The largest file that is read; all of it stands in memory for a moment."""

REMARK = b"remark"
_MISSING = ["", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null"]
"""What a cell of a delimited file says for "no value", where the rest of its column are numbers or dates."""
_ZONE = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?P<zone>Z|[+-]\d\d:?\d\d)$"
_EXACT_DIGITS = 15
"""A double holds every number of so many digits."""


def read_tables(path: Path) -> list[tuple[str, pa.Table]]:
    """Read a file by its suffix as named tables (a workbook has one for each sheet); raises Unreadable."""
    import pyarrow as pa

    if path.stat().st_size > MAX_BYTES:
        raise Unreadable(f"larger than {MAX_BYTES // 1_000_000} MB; cut it into parts")
    reader = READERS.get(path.suffix.casefold())
    if reader is None:
        raise Unreadable(f"files of type {path.suffix or '(none)'} are not read as tables; {', '.join(READERS)} are")
    try:
        return [(name, storable_table(t)) for name, t in reader(path)]
    except RecursionError as error:
        raise Unreadable("its values are nested too deeply") from error
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
    try:
        table = _as_text(raw, parse, csv.ReadOptions())
    except pa.ArrowInvalid as error:
        if "straddling" in str(error):  # a row longer than a block
            table = _as_text(raw, parse, csv.ReadOptions(block_size=len(raw) + 1))
            return _checked(path.stem, table, data)
        # only a reader with a single thread counts the rows, and so can name the bad one
        csv.read_csv(BytesIO(raw), read_options=csv.ReadOptions(use_threads=False), parse_options=parse)
        raise
    return _checked(path.stem, table, data)


def _checked(name: str, table: pa.Table, data: str) -> list[tuple[str, pa.Table]]:
    """Give the columns their types; raises Unreadable where an open quote has swallowed the rows after it."""
    import pyarrow as pa

    last = table.column(table.num_columns - 1)[-1].as_py() if len(table) else ""
    if last and data.endswith('"' + last.replace('"', '""')):
        raise Unreadable(f"row {len(table)}: a quote opens there and never closes, so all after it would be one cell")
    return [(name, pa.Table.from_arrays([_typed(c) for c in table.columns], names=table.column_names))]


def _as_text(raw: bytes, parse: csv.ParseOptions, read: csv.ReadOptions) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv

    text = pa.string()
    with csv.open_csv(BytesIO(raw), read_options=read, parse_options=parse) as head:
        names = head.schema.names
    as_text = csv.ConvertOptions(column_types=dict.fromkeys(names, text), null_values=[""], strings_can_be_null=True)
    return csv.read_csv(BytesIO(raw), read_options=read, parse_options=parse, convert_options=as_text)


def _typed(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Give a text column the narrowest type that loses nothing; ``007`` and ``+1`` stay text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.utf8_trim_whitespace(text)
    bare = pc.if_else(pc.is_in(bare, pa.array(_MISSING)), pa.scalar(None, pa.string()), bare)
    if bare.null_count == len(bare):
        return text
    risky = pc.any(pc.match_substring_regex(bare, r"^(?:[-+]?0[\dxX]|\+)")).as_py()
    truths = pc.all(pc.is_in(pc.utf8_lower(bare), pa.array(["true", "false", None]))).as_py()
    numbers = [] if risky else [pa.int64(), *filter(None, [_real_type(bare)])]
    dates = [pa.date32(), *([_zoned_type(bare)] if _zoned_type(bare) else [pa.timestamp("us"), pa.timestamp("ns")])]
    for kind in [pa.bool_()] if truths else [*numbers, *dates]:
        try:
            return bare.cast(kind)
        except pa.ArrowInvalid:
            continue
    return text


def _real_type(text: pa.ChunkedArray) -> pa.DataType | None:
    """A double where it holds every digit, else a decimal, else None, as for what is no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    long = pc.greater(pc.utf8_length(pc.replace_substring_regex(text, r"[-.]|[eE].*$", "")), _EXACT_DIGITS)
    far = pc.match_substring_regex(text, r"[eE][-+]?\d{3}")
    risky = text.filter(pc.or_(long, far)).to_pylist()
    try:
        if all(map(_a_double_holds, risky)):
            return pa.float64()
        parts = [Decimal(v).as_tuple() for v in text.drop_null().to_pylist()]
    except (ValueError, ArithmeticError):
        return None
    exponents = [p.exponent for p in parts if isinstance(p.exponent, int)]
    scale = max((-e for e in exponents), default=0)
    whole = max((len(p.digits) + e for p, e in zip(parts, exponents, strict=False)), default=1)
    return pa.decimal128(38, max(scale, 0)) if max(scale, 0) + whole <= 38 else None


def _a_double_holds(number: str) -> bool:
    return Decimal(number) == Decimal(repr(float(number)))


def _zoned_type(text: pa.ChunkedArray) -> pa.DataType | None:
    """A time stamp with the zone that every value names, or None where they name none or several."""
    import pyarrow as pa
    import pyarrow.compute as pc

    zones = pc.unique(pc.struct_field(pc.extract_regex(text.drop_null(), _ZONE), 0)).to_pylist()
    if len(zones) != 1 or zones[0] is None:
        return None
    zone = zones[0]
    return pa.timestamp("us", "UTC" if zone == "Z" else zone if ":" in zone else f"{zone[:3]}:{zone[3:]}")


def _csv(path: Path) -> list[tuple[str, pa.Table]]:
    return _delimited(path, ",")


def _tsv(path: Path) -> list[tuple[str, pa.Table]]:
    return _delimited(path, "\t")


def _parquet(path: Path) -> list[tuple[str, pa.Table]]:
    import pyarrow.parquet as pq

    return [(path.stem, pq.read_table(path).replace_schema_metadata(None))]


def _arrow(path: Path) -> list[tuple[str, pa.Table]]:
    import pyarrow as pa
    from pyarrow import feather, ipc

    try:
        table = feather.read_table(path, memory_map=False)
    except pa.ArrowInvalid:  # the stream form of the same format has no marks at its ends
        with path.open("rb") as stream, ipc.open_stream(stream) as reader:
            table = reader.read_all()
    return [(path.stem, table.replace_schema_metadata(None))]


def _loads(text: str) -> Any:
    """Read JSON; where a number has more digits than a double holds, all with a point are decimals."""
    lost = []

    def number(digits: str) -> float:
        if not _a_double_holds(digits):
            lost.append(digits)
        return float(digits)

    def record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held = dict(pairs)
        if len(held) < len(pairs):
            twice = next(key for n, (key, _) in enumerate(pairs) if key in dict(pairs[:n]))
            raise Unreadable(f"a record has the name {twice!r} twice")
        return held

    data = json.loads(text, parse_float=number, object_pairs_hook=record)
    return json.loads(text, parse_float=Decimal, object_pairs_hook=record) if lost else data


def _json(path: Path) -> list[tuple[str, pa.Table]]:
    data = _loads(decoded(path.read_bytes()))
    if not isinstance(data, list) or not data:
        raise Unreadable("not a list of records; only tables are read from JSON")
    return [(path.stem, from_records(data))]


def _jsonl(path: Path) -> list[tuple[str, pa.Table]]:
    lines = [(n, line) for n, line in enumerate(decoded(path.read_bytes()).split("\n"), 1) if line.strip()]
    try:
        records = _loads(f"[{','.join(line for _, line in lines)}]")
    except ValueError:
        records = []
    for number, line in lines if len(records) != len(lines) else ():
        try:
            json.loads(line)
        except ValueError as error:
            raise Unreadable(f"line {number} is not JSON: {error}") from error
    if not records:
        raise Unreadable("empty")
    return [(path.stem, from_records(records))]


def _xlsx(path: Path) -> list[tuple[str, pa.Table]]:
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        raise Unreadable("Excel files need the package openpyxl: pip install openpyxl") from error
    try:
        book = load_workbook(path, read_only=True, data_only=True)
        sheets = [(sheet.title, [r for r in sheet.iter_rows(values_only=True) if any(v is not None for v in r)])
                  for sheet in book.worksheets]  # fmt: skip
        book.close()
    except (InvalidFileException, zipfile.BadZipFile, KeyError, TypeError) as error:
        raise Unreadable(f"not an Excel file that can be read: {error}") from error
    filled = [(title, rows) for title, rows in sheets if len(rows) > 1]
    if not filled:
        raise Unreadable("no sheet has a header and a row")
    return [(path.stem if len(filled) == 1 else f"{path.stem}_{title}", _sheet(rows)) for title, rows in filled]


def _sheet(rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    import pyarrow as pa

    names = [str(n) if n is not None else f"column_{i + 1}" for i, n in enumerate(rows[0])]
    arrays, fields = [], []
    for i, name in enumerate(names):
        cells = [r[i] if i < len(r) else None for r in rows[1:]]
        try:
            values, remark = column(name, cells), {}
        except Unreadable as misfit:
            values = pa.array([None if c is None else str(c) for c in cells], pa.string())
            remark = {REMARK: f"mixed cells, kept as text: {misfit}".encode()}
        arrays.append(values)
        fields.append(pa.field(name, values.type, metadata=remark))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


READERS: dict[str, Callable[[Path], list[tuple[str, pa.Table]]]] = {
    ".csv": _csv, ".tsv": _tsv, ".parquet": _parquet, ".arrow": _arrow, ".feather": _arrow, ".json": _json,
    ".jsonl": _jsonl, ".ndjson": _jsonl, ".xlsx": _xlsx,
}  # fmt: skip
