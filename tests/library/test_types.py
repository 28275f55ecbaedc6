"""A table keeps every value as it was, or is refused with the column and the row named; nothing is cast in silence."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
from nephele_nb.library.columns import column, same
from nephele_nb.library.documents import Unreadable

TOKYO, BERLIN = ZoneInfo("Asia/Tokyo"), ZoneInfo("Europe/Berlin")
NOON = dt.datetime(2025, 3, 1, 12, tzinfo=TOKYO)


def kept(lib: Library, data: Any) -> list[dict[str, Any]]:
    lib.add_table("t", data)
    return lib.scan("t").rows


@pytest.mark.parametrize(
    "values",
    [
        [None, None, 3], [None, 2**60 + 1], [2**63, 0], [-(2**70), 2**70], [10**75], [1, 2.5], [Decimal("1.10"), 2],
        [NOON, None], [dt.datetime(2025, 3, 1, 12)], [dt.date(2025, 3, 1)], [dt.time(1, 2)],  # noqa: DTZ001
        [dt.timedelta(1)], [b"x", None], [True, None], [[1, None], []], [{"a": 1, "b": [{"c": "x"}]}, {"a": None}],
        [uuid.UUID(int=7)], ["", None, "x"], [float("nan"), 1.0], [pd.Timestamp(1700000000123456789)],
        [pd.NaT, pd.Timestamp("2025-03-01", tz="Asia/Tokyo")], [pd.NA, 1], [(1, 2), [3]], [np.int8(3)], [None, None],
        [np.array([1, 2])],
    ],
    ids=str,
)  # fmt: skip
def test_values_of_records_stay(lib: Library, values: list[Any]) -> None:
    rows = kept(lib, [{"x": v} for v in values])
    missing = (type(pd.NA), type(pd.NaT))
    assert all(same(None if isinstance(v, missing) else v, row["x"]) for v, row in zip(values, rows, strict=True))


@pytest.mark.parametrize(
    ("values", "row"),
    [
        ([1, "x", None], 2), (["a", None, 1], 3), ([True, 1], 2), ([1, True], 2), ([1.5, True], 2), (["a", b"b"], 1),
        ([dt.date(2025, 1, 1), dt.datetime(2025, 1, 1, 5)], 2), ([NOON, NOON.replace(tzinfo=BERLIN)], 2),  # noqa: DTZ001
        ([NOON.replace(tzinfo=None), NOON], 2), ([NOON, NOON.replace(tzinfo=None)], 2), ([2**60 + 1, 1.5], 2),
        ([Decimal(1), 1.5], 2), ([{"a": 1}, {"a": "x"}], 2), ([[1], ["x"]], 2), ([{1, 2}], 1), ([None, 1j], 2),
        ([object()], 1), (["ok", "\ud800"], 2), ([10**80], 1), ([dt.time(1, tzinfo=dt.UTC)], 1), ([lambda: 1], 1),
    ],
)  # fmt: skip
def test_what_cannot_stay_is_refused_by_column_and_row(lib: Library, values: list[Any], row: int) -> None:
    lib.add_table("t", [{"before": 1}])
    for data in ([{"x y": v} for v in values], {"x y": values}, pd.DataFrame({"x y": pd.Series(values, dtype=object)})):
        with pytest.raises(LibraryError, match=rf"column 'x y', row {row}: "):
            lib.add_table("t", data)
    assert lib.scan("t").rows == [{"before": 1}]


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats() | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(JSONISH, max_size=6))
def test_a_column_gives_back_what_it_took_or_takes_nothing(values: list[Any]) -> None:
    try:
        array = column("x", values)
    except Unreadable as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert "column 'x', row " in refused
        return
    for was, now in zip(values, array.to_pylist(), strict=True):
        nothing = now is None and isinstance(was, float) and was != was
        assert nothing or same(was, now)


def test_pandas_keeps_its_types_and_an_index_that_says_something(lib: Library) -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 2**62], dtype="Int64"),
            "kind": pd.Categorical(["b", "a", None], categories=["b", "a"], ordered=True),
            "zoned": pd.DatetimeIndex(["2025-03-01"] * 3, tz="Asia/Tokyo"),
            "fine": pd.to_timedelta([1, 2, 3], unit="ns"),
            "list": [[1], None, []],
        },
        index=pd.Index(["x", "y", "z"]),
    )
    rows = kept(lib, frame)
    assert [r["index"] for r in rows] == ["x", "y", "z"]
    assert [r["whole"] for r in rows] == [1, None, 2**62]
    assert [r["kind"] for r in rows] == ["b", "a", None]
    assert rows[0]["zoned"].utcoffset() == dt.timedelta(hours=9)
    assert rows[0]["fine"] == pd.Timedelta(1, "ns")
    assert "kind (category of string)" in lib.read("t").text
    assert lib.scan("t", where="kind = 'a'").matched == 1
    assert [r["kind"] for r in lib.scan("t", order_by="kind").rows] == ["a", "b", None]
    assert kept(lib, frame[frame.whole > 5].reset_index(drop=True))[0]["whole"] == 2**62
    with pytest.raises(LibraryError, match="column 'p', row 1"):
        lib.add_table("t", pd.DataFrame({"p": pd.period_range("2025", periods=2, freq="M")}))


def test_polars_duckdb_and_arrow_keep_theirs(lib: Library) -> None:
    frame = pl.DataFrame(
        {
            "big": pl.Series([2**100, None], dtype=pl.Int128),
            "kind": pl.Series(["a", None], dtype=pl.Categorical),
            "nest": [{"a": [1]}, None],
            "zoned": pl.Series([NOON, None], dtype=pl.Datetime("us", "Asia/Tokyo")),
        }
    )
    first = kept(lib, frame)[0]
    assert (first["big"], first["kind"], first["nest"]) == (2**100, "a", {"a": [1]})
    assert (first["zoned"], first["zoned"].utcoffset()) == (NOON, NOON.utcoffset())
    with pytest.raises(LibraryError, match="column 'o', row 1"):
        lib.add_table("t", pl.DataFrame({"o": pl.Series([object()], dtype=pl.Object)}))
    relation = duckdb.sql(
        "select 170141183460469231731687303715884105727::hugeint h, 1.50::decimal(9,2) d, 'a'::enum('b','a') e,"
        " timestamptz '2025-03-01 12:00:00+09' z, {'k': [1, 2]} s, null::integer n"
    )
    row = kept(lib, relation)[0]
    assert (row["h"], row["d"], row["e"], row["s"], row["n"]) == (2**127 - 1, Decimal("1.50"), "a", {"k": [1, 2]}, None)
    assert row["z"] == NOON
    with pytest.raises(LibraryError, match="column 'i', row 1: month_day_nano_interval"):
        lib.add_table("t", duckdb.sql("select interval 1 month i"))
    lists = pa.array([[1], None], pa.list_view(pa.int8()))
    views = pa.table({"a": lists, "b": pa.array(["x", None], pa.string_view())})
    assert kept(lib, views) == [{"a": [1], "b": "x"}, {"a": None, "b": None}]
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"])
    assert [r["r"] for r in kept(lib, pa.table({"r": runs}))] == ["a", "a", "b"]


def test_a_delimited_file_loses_no_digit(lib: Library, tmp_path: Path) -> None:
    lines = [
        "id,big,long,exact,zone,zones,day,mixed",
        "007,12345678901234567890,0.12345678901234567891,0.1,2025-03-01T12:00:00+09:00,2025-03-01T12:00:00Z,2025-03-01,1",
        "1,1,2.5,2.25,2025-03-02T12:00:00+09:00,2025-03-01T12:00:00+01:00,,x",
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    first, second = kept(lib, tmp_path / "t.csv")
    assert first == {
        "id": "007", "big": Decimal(12345678901234567890), "long": Decimal("0.12345678901234567891"), "exact": 0.1,
        "zone": NOON, "zones": "2025-03-01T12:00:00Z", "day": dt.date(2025, 3, 1), "mixed": "1",
    }  # fmt: skip
    assert (second["id"], second["day"], second["mixed"]) == ("1", None, "x")
    assert first["zone"].utcoffset() == dt.timedelta(hours=9)
    text = lib.scan("t").text
    assert "12345678901234567890" in text
    assert "0.12345678901234567891" in text


def test_json_and_workbooks_keep_theirs_or_say_so(lib: Library, tmp_path: Path) -> None:
    (tmp_path / "ok.jsonl").write_text('{"a": null, "n": 9007199254740993}\n\n{"a": [1], "n": 1}\n')
    (tmp_path / "bad.json").write_text(json.dumps([{"a": 1}, {"a": 2}, {"a": "x"}]))
    (tmp_path / "worse.jsonl").write_text('{"a": 1}\n{"a": \n')
    (tmp_path / "broken.xlsx").write_bytes(b"PK no")
    book = openpyxl.Workbook()
    book.active.title = "first"
    for row in [["n", "mixed", None], [1, "x", None], [None, None, None], [2.5, 3, dt.datetime(2025, 3, 1)]]:  # noqa: DTZ001
        book.active.append(row)
    for row in [["a"], [True], [None]]:
        book.create_sheet("second").append(row) if "second" not in book.sheetnames else book["second"].append(row)
    book.save(tmp_path / "book.xlsx")
    report = lib.add(tmp_path)
    assert set(report.added) == {"table:ok", "table:book_first", "table:book_second"}
    reasons = {Path(s.path).name: s.reason for s in report.skipped}
    assert "column 'a', row 3: str 'x'" in reasons["bad.json"]
    assert "line 2 is not JSON" in reasons["worse.jsonl"]
    assert "not an Excel file" in reasons["broken.xlsx"]
    assert lib.scan("ok").rows == [{"a": None, "n": 9007199254740993}, {"a": [1], "n": 1}]
    first = lib.scan("book_first").rows
    assert [r["n"] for r in first] == [1, 2.5]
    assert [r["mixed"] for r in first] == ["x", "3"]
    assert "mixed (string; mixed cells, kept as text: column 'mixed', row 2: int 3" in lib.read("book_first").text
    assert [r["a"] for r in lib.scan("book_second").rows] == [True]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4, unique_by=str.casefold), st.text(max_size=12))
def test_any_column_name_and_any_text_can_be_filtered_by(lib: Library, names: list[str], text: str) -> None:
    names = [n for n in names if n.isprintable()] or ["a"]
    try:
        text.encode()
    except UnicodeEncodeError:
        text = "x"
    lib.add_table("odd", [dict.fromkeys(names, text), dict.fromkeys(names, text + "'")])
    for name in names:
        quoted, value = '"' + name.replace('"', '""') + '"', "'" + text.replace("'", "''") + "'"
        assert lib.scan("odd", where=[(name, "=", text)]).matched == 1
        assert lib.scan("odd", where=f"{quoted} = {value}").matched == 1
        assert lib.scan("odd", columns=[name], order_by=f"{quoted} desc").rows[0] == {name: text + "'"}
