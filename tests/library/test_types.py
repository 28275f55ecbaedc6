"""A table keeps every value as it was, or is refused with the column and the row named; nothing is cast in silence."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
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
        [None, None, 3], [None, 2**60 + 1], [2**63, 0], [-(2**70), 2**70], [10**75], [1, 2.5],
        [Decimal("1.10"), 2], [Decimal("0.1"), 10, None],
        [NOON, None], [dt.datetime(2025, 3, 1, 12)], [dt.date(2025, 3, 1)], [dt.time(1, 2)],  # noqa: DTZ001
        [dt.timedelta(1)], [b"x", None], [True, None], [[1, None], []], [{"a": 1, "b": [{"c": "x"}]}, {"a": None}],
        [uuid.UUID(int=7)], ["", None, "x"], [float("nan"), 1.0], [pd.Timestamp(1700000000123456789)],
        [pd.NaT, pd.Timestamp("2025-03-01", tz="Asia/Tokyo")], [pd.NA, 1], [(1, 2), [3]], [np.int8(3)], [None, None],
        [np.array([1, 2])], [np.int64(1), 2**63], [np.uint64(2**64 - 1), None],
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


def columns(lib: Library, data: Any) -> dict[str, Any]:
    return kept(lib, data)[0]


def test_every_index_and_every_name_of_pandas_is_kept(lib: Library) -> None:
    frame = pd.DataFrame({"v": [1, 2]})
    assert columns(lib, frame) == columns(lib, frame.sort_index()) == {"v": 1}
    assert columns(lib, frame.iloc[::-1]) == {"v": 2}
    assert columns(lib, frame.set_axis([2019, 2020])) == {"index": 2019, "v": 1}
    assert columns(lib, frame.set_axis([0, 0])) == {"index": 0, "v": 1}
    assert columns(lib, frame.set_axis(pd.Index([0, 1], name="n"))) == {"n": 0, "v": 1}
    assert columns(lib, frame.set_axis(pd.Index(["a", "b"], name="v"))) == {"v_2": "a", "v": 1}
    assert columns(lib, frame.assign(index=5).set_axis(list("ab"))) == {"index_2": "a", "v": 1, "index": 5}
    levels = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["v", None])
    assert columns(lib, frame.set_axis(levels)) == {"v_2": "a", "level_1": 1, "v": 1}
    pairs = pd.MultiIndex.from_tuples([("a", 1), ("b", "x")])
    assert columns(lib, pd.DataFrame([[1, 2]], columns=pairs, index=["r"])) == {"index": "r", "a_1": 1, "b_x": 2}
    named = pd.DataFrame([[1, 2, 3, 4]], columns=pd.Index([1, None, 2.5, 2.5], dtype=object))
    assert columns(lib, named) == {"1": 1, "None": 2, "2.5": 3, "2.5_2": 4}
    assert kept(lib, frame[:0]) == kept(lib, pd.DataFrame({"a": []})) == []
    with pytest.raises(LibraryError, match="at least one column"):
        lib.add_table("t", pd.DataFrame())


def test_pandas_columns_of_rare_kinds_are_kept_or_refused_by_row(lib: Library) -> None:
    sparse, mixed = pd.arrays.SparseArray([0, 0, 7]), pd.Categorical([3, None, "x"])
    assert [r["s"] for r in kept(lib, pd.DataFrame({"s": sparse}))] == [0, 0, 7]
    assert [r["c"] for r in kept(lib, pd.DataFrame({"c": pd.Categorical([3, 1, None])}))] == [3, 1, None]
    ends = [r["x"] for r in kept(lib, pd.DataFrame({"x": [np.inf, -np.inf, np.nan, -0.0]}))]
    assert [str(x) for x in ends] == ["inf", "-inf", "None", "-0.0"]
    for name, values, row in [("m", mixed, 3), ("z", [1j, 2j], 1), ("i", pd.interval_range(0, 2), 1)]:
        with pytest.raises(LibraryError, match=f"column '{name}', row {row}: "):
            lib.add_table("t", pd.DataFrame({name: values}))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([{1: "a", "1": "b"}], "'1' and 1 would be one column"),
        ({1: ["a"], "1": ["b"]}, "'1' and 1 would be one column"),
        ({"a": "text"}, r"column 'a' is one value \(str\)"),
        ({"a": 1}, r"column 'a' is one value \(int\)"),
        ({"a": [1, 2], "b": [1]}, "named b expected length 2"),
        ([None], "row 1 is no record"),
        ([], "at least one column"),
        ("nowhere.csv", "No such file"),
        (b"x", "bytes is not a table"),
        (None, "NoneType is not a table"),
    ],
)
def test_what_is_no_table_says_why(lib: Library, data: Any, said: str) -> None:
    with pytest.raises(LibraryError, match=said):
        lib.add_table("t", data)
    assert not lib.has_table("t")


LEAVES = [
    (pa.bool_(), True), (pa.uint64(), 2**64 - 1), (pa.float16(), 1.5), (pa.large_string(), "x"),
    (pa.string_view(), "x"), (pa.binary_view(), b"x"), (pa.binary(2), b"xy"), (pa.date64(), dt.date(2025, 1, 1)),
    (pa.time32("s"), dt.time(1)),
    (pa.timestamp("ms", "Asia/Tokyo"), NOON), (pa.duration("s"), dt.timedelta(1)),
    (pa.decimal32(5, 2), Decimal("1.10")), (pa.decimal64(12, 2), Decimal("1.10")),
    (pa.decimal256(76, 2), Decimal("1.10")), (pa.null(), None),
    (pa.dictionary(pa.int8(), pa.string()), "x"), (pa.dictionary(pa.int8(), pa.date32()), dt.date(2025, 1, 1)),
]  # fmt: skip
NESTS = [
    (lambda t: t, lambda v: v), (pa.list_, lambda v: [v, None]), (lambda t: pa.list_(t, 2), lambda v: [v, v]),
    (lambda t: pa.struct([("a", t), ("b c.d", pa.int8())]), lambda v: {"a": v, "b c.d": None}),
    (lambda t: pa.map_(pa.string(), t), lambda v: [("k", v)]), (pa.list_view, lambda v: [v]),
    (lambda t: pa.list_(pa.struct([("a", pa.list_(t))])), lambda v: [{"a": [v]}, None]),
]  # fmt: skip


def test_arrow_keeps_every_type_inside_every_other(lib: Library) -> None:
    arrays = {}
    for n, (leaf, value) in enumerate(LEAVES):
        for m, (nest, wrapped) in enumerate(NESTS):
            try:
                arrays[f"{n}.{m}"] = pa.array([None, wrapped(value), None], nest(leaf))
            except (pa.ArrowException, ValueError, TypeError):
                continue  # Arrow itself has no such array
    assert len(arrays) > 100
    table = pa.table(arrays)
    lib.add_table("t", table)
    rows = lib.scan("t", cap=1_000_000).rows
    for name in arrays:
        assert [r[name] for r in rows] == table.column(name).to_pylist(), name


@pytest.mark.parametrize(
    "array",
    [
        pa.array([None, 2**31 - 1], pa.int32()).cast(pa.date32()),
        pa.array([None, 2**62], pa.timestamp("us")),
        pa.array([None, 2**62], pa.duration("s")),
        pa.array([None, [2**62]], pa.list_(pa.timestamp("us"))),
        pa.array([None, (1, 2, 3)], pa.month_day_nano_interval()),
        pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.nulls(2), pa.array(["x", "y"])]),
    ],
    ids=lambda a: str(a.type),
)  # fmt: skip
def test_an_arrow_value_that_python_cannot_read_is_refused(lib: Library, array: pa.Array) -> None:
    with pytest.raises(LibraryError, match=r"column 'x', row [12]: "):
        lib.add_table("t", pa.table({"x": array}))


@pytest.mark.parametrize(
    "value", ["3::uhugeint", "timetz '12:00:00+02'", "'1010'::bit", "[1::uhugeint]", "{'bit': '1'::bit}"]
)
def test_what_duckdb_hands_over_distorted_is_refused(lib: Library, value: str) -> None:
    with pytest.raises(LibraryError, match=r"column 'x', row 1: .*can't be kept"):
        lib.add_table("t", duckdb.sql(f"select {value} x"))
    assert columns(lib, duckdb.sql("select {'BIT': 1} x, 'BIT'::enum('BIT') y")) == {"x": {"BIT": 1}, "y": "BIT"}


def test_a_lazy_polars_frame_is_collected(lib: Library) -> None:
    assert kept(lib, pl.LazyFrame({"a": [1, None]})) == [{"a": 1}, {"a": None}]
    with pytest.raises(LibraryError, match="column 'a', row 1"):
        lib.add_table("t", pl.DataFrame({"a": pl.Series([[2**100]], dtype=pl.List(pl.Int128))}))


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
