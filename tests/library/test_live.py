"""A live frame is scanned by the same words as a table of the library, and gives the same rows."""

from __future__ import annotations

import asyncio
import datetime as dt
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nephele_nb.errors import LibraryError, ToolError
from nephele_nb.library import Library
from nephele_nb.library.live import PART, live_scan
from nephele_nb.tools.scan_table import scan_table
from nephele_nb.tools.search_notes import source_of

ROWS = [
    {
        "n": i, "half": None if i % 7 == 0 else i / 2, "名字": f"茶{i % 5}", "day": dt.date(2025, 1, 1 + i % 28),
        "sum": Decimal(i) / 4, "order": i % 3, "it's": None if i % 2 else f"O'B{i}",
    }
    for i in range(200)
]  # fmt: skip
TABLE = pa.Table.from_pylist(ROWS)
FRAMES = {
    "pandas": TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas of objects": TABLE.to_pandas(),
    "polars": pl.DataFrame(TABLE),
    "arrow": TABLE,
    "batch": TABLE.combine_chunks().to_batches()[0],
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory):
    library = Library(tmp_path_factory.mktemp("live"), embedder="none")
    library.add_table("t", TABLE)
    yield library
    library.close()


WHERES = [
    None, "n > 150", "名字 = '茶3' and half is not null", "day between '2025-01-03' and '2025-01-05'", "sum = 2.25",
    '"it\'s" = \'O\'\'B4\'', "n % 10 = 0 or half < 1.5", [("order", "in", [1, 2]), ("n", "<", 20)], "n < 0",
]  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(sorted(FRAMES)),
    where=st.sampled_from(WHERES),
    order=st.sampled_from([None, "n desc", "half, n", "名字 desc, sum desc"]),
    columns=st.sampled_from([None, ["n"], ["order", "n"], ["day", "it's", "n"]]),
    offset=st.integers(0, 210),
    cap=st.integers(300, 3000),
)
def test_a_live_frame_and_a_stored_table_agree(stored, kind, where, order, columns, offset, cap) -> None:
    live = live_scan("t", FRAMES[kind], columns, where, order, offset, cap)
    kept = stored.scan("t", columns, where, order, offset, cap)
    assert (live.matched, live.total, live.version) == (kept.matched, kept.total, 0)
    many = min(live.shown, kept.shown)
    if kind != "pandas of objects":  # there, a missing number has made floats of the others
        assert live.rows[:many] == kept.rows[:many]
    assert [str(r.get("n")) for r in live.rows[:many]] == [str(r.get("n")) for r in kept.rows[:many]]
    assert len(live.text) <= cap
    assert live.text.endswith("(live variable, as it is now)")


def test_parts_join() -> None:
    rows = PART * 2 + 10
    frame = pd.DataFrame({"n": range(rows), "m": [(i * 7919) % rows for i in range(rows)]})
    found = live_scan("frame", frame, where="n >= 65530", order_by="n", cap=600)
    assert (found.matched, found.total) == (rows - 65530, rows)
    assert [r["n"] for r in found.rows][:8] == list(range(65530, 65538))
    top = live_scan("frame", frame, ["m"], order_by="m desc", cap=400)
    assert [r["m"] for r in top.rows] == list(range(rows - 1, rows - 1 - top.shown, -1))
    far = live_scan("frame", frame, where="m % 2 = 0", offset=PART, cap=400)
    assert [r["m"] % 2 for r in far.rows] == [0] * far.shown


class Secret:
    """Something of the user's whose code must not run because a model looks at a frame."""

    def __str__(self) -> str:
        raise AssertionError("the user's own code was run")

    __repr__ = __str__


def test_odd_frames_are_shown_and_never_changed() -> None:
    frame = pd.DataFrame({"a": [1, "x", None, Secret()], "b": [1, 2, 3, 4]}, index=pd.Index(list("wxyz"), name="key"))
    before = frame.copy()
    found = live_scan("frame", frame)
    assert found.text.split("\n")[1:5] == ["w | 1 | 1", "x | x | 2", "y |  | 3", f"z | <{__name__}.Secret> | 4"]
    assert [r["key"] for r in live_scan("frame", frame, where="b > 2").rows] == ["y", "z"]
    with pytest.raises(LibraryError, match="column 'a', row 2"):
        live_scan("frame", frame, where="a = 1")
    assert frame["b"].equals(before["b"])
    doubled = pd.DataFrame([[1, 2]], columns=["a", "a"])
    assert live_scan("doubled", doubled).rows == [{"a": 1, "a_2": 2}]
    assert live_scan("empty", pd.DataFrame({"a": []}), where="a > 1").matched == 0
    assert live_scan("none", pd.DataFrame()).total == 0
    several = pd.DataFrame({"v": [1, 2]}, index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", None]))
    assert live_scan("several", several, where="x = 'b'").rows == [{"x": "b", "level_1": 2, "v": 2}]
    assert live_scan("series", pd.Series([3, 4], name="s"), where="s = 4").rows == [{"s": 4}]


@pytest.mark.parametrize("value", [[1], {"a": 1}, "t", pl.DataFrame({"a": [1]}).lazy(), Secret(), pd.DataFrame])
def test_what_is_no_frame_is_refused_without_a_look_inside(value: object) -> None:
    with pytest.raises(LibraryError, match="can't be scanned"):
        live_scan("x", value)


def test_a_subclass_is_not_looked_into() -> None:
    class Mine(pd.DataFrame):
        pass

    with pytest.raises(LibraryError, match="no table"):
        live_scan("x", Mine({"a": [1]}))


@pytest.mark.parametrize(
    "where", ["nope = 1", "a = 1; drop table x", "a in (select 1)", "repeat('x', 9) = a", "a = 'x'", "a ="]
)
def test_a_filter_over_a_live_frame_only_reads(where: str) -> None:
    with pytest.raises(LibraryError):
        live_scan("x", pd.DataFrame({"a": [1]}), where=where)


def test_the_tool_finds_both_and_says_which(stored: Library) -> None:
    space = {"t": pd.DataFrame({"live": [1]}), "df": pl.DataFrame({"a": [1, 2]}), "n": 5}
    tool = scan_table(lambda: stored, space.get)

    def call(**arguments):
        result = asyncio.run(tool.function(**tool.check(arguments)))
        return result.sources[0], result.numbered([3])

    source, text = call(name="df", where="a > 1")
    assert (source.content_id, source.version, source.rows, source.table) == ("live:df", None, (0, 1), "df")
    assert text.startswith("[3] live data frame df\na\n2\n")
    source, text = call(name="t", columns=["n"])
    assert (source.content_id, source.version) == ("t", stored.scan("t").version)
    assert "live:t" in text.split("\n")[0]
    assert call(name="live:t")[1].startswith("[3] live data frame t")
    assert call(name="table:t")[0].content_id == "t"
    for name, said in [("n", "no table"), ("nothing", "no table 'nothing'"), ("live:nothing", "no table")]:
        with pytest.raises(ToolError, match=said):
            call(name=name)
    assert asyncio.run(scan_table(lambda: stored).function(name="t")).sources


def test_a_found_table_is_cited_as_one(stored: Library) -> None:
    stored.add_note("Plain", "an axolotl")
    note, table = stored.search("axolotl")[0], stored.search("Table t 200 rows")[0]
    assert (source_of(note).kind, source_of(note).table) == ("note", None)
    assert (source_of(table).kind, source_of(table).table, source_of(table).content_id) == ("table", "t", "table:t")
