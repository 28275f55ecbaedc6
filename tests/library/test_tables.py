"""Tables come from anything, keep their values, and are read in whole rows that say what part they are."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library

ROWS = [{"Title": "a", "n": 1}, {"Title": "b", "n": 2}, {"Title": "c", "n": 3}]
COVERAGE = re.compile(r"rows (\d+)-(\d+) shown of (\d+) matched of (\d+) in all \(version (\d+)\)")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory):
    library = Library(tmp_path_factory.mktemp("tables"), embedder="none")
    library.add_table("wide", [{"n": i, "s": "长x" * (i % 37), "half": i / 2 or None} for i in range(500)])
    library.add_table(
        "typed",
        pa.table(
            {
                "Title": ["a", "O'Brien", None],
                "order": [3, 1, 2],
                "销售额": [1.5, 2.5, None],
                "day": pa.array([dt.date(2025, 3, 1), dt.date(2025, 3, 2), None]),
                "at": pa.array([dt.datetime(2025, 3, 1, 5), None, dt.datetime(2025, 3, 3)]),  # noqa: DTZ001
                'a "quoted" name': [1, 2, 3],
                "a.dot": [1, 2, 3],
                "back`tick": [1, 2, 3],
                "": [1, 2, 3],
                "money": pa.array([Decimal("1.10"), Decimal("2.00"), None]),
                "yes": [True, False, None],
                "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
                "nothing": pa.nulls(3),
                "blob": [b"123", b"", None],
                "list": [[1, 2], [], None],
            }
        ),
    )
    yield library
    library.close()


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        pa.Table.from_pylist(ROWS),
        pa.RecordBatch.from_pylist(ROWS),
        pa.Table.from_pylist(ROWS).to_reader(),
        {"Title": ["a", "b", "c"], "n": [1, 2, 3]},
    ],
    ids=lambda d: type(d).__name__,
)
def test_a_table_from_anything(lib: Library, data: object) -> None:
    assert lib.add_table("t", data) == "table:t"
    assert lib.scan("t").rows == ROWS


def test_a_table_from_a_path(lib: Library, tmp_path: Path) -> None:
    table = pa.Table.from_pylist(ROWS)
    pq.write_table(table, tmp_path / "t.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "t.arrow")
    (tmp_path / "t.tsv").write_text("Title\tn\na\t1\nb\t2\nc\t3\n")
    (tmp_path / "t.jsonl").write_text("\n".join(f'{{"Title": "{r["Title"]}", "n": {r["n"]}}}' for r in ROWS))
    for name in ("t.parquet", "t.arrow", "t.tsv", "t.jsonl"):
        lib.add_table(name, tmp_path / name)
        assert lib.scan(name).rows == ROWS
    with pytest.raises(LibraryError, match="can't be added"):
        lib.add_table("x", 42)


def test_values_stay_what_they_were(lib: Library, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("id,n,x,ok,day,na,word\n007,1,1.5,true,2025-03-01,3,NA\n010,,NA,False,,NA,b\n")
    lib.add_table("v", tmp_path / "v.csv")
    first, second = lib.scan("v").rows
    assert first == {"id": "007", "n": 1, "x": 1.5, "ok": True, "day": dt.date(2025, 3, 1), "na": 3, "word": "NA"}
    assert second == {"id": "010", "n": None, "x": None, "ok": False, "day": None, "na": None, "word": "b"}


def test_a_table_written_anew_has_a_new_version(lib: Library) -> None:
    lib.add_table("t", ROWS)
    before = lib.scan("t")
    lib.add_table("t", [*ROWS, {"Title": "d", "n": 4}])
    after = lib.scan("t")
    assert (before.total, after.total) == (3, 4)
    assert after.version > before.version
    assert lib.stats()["tables"] == {"t": 4}


@pytest.mark.parametrize(
    ("where", "matched"),
    [
        ("Title = 'O''Brien'", 1), ("title is null", 1), ("order > 1 and 销售额 > 1", 1), ("day >= '2025-03-02'", 1),
        ("day between '2025-03-01' and '2025-03-31'", 2), ("at < '2025-03-02'", 1), ("at is null", 1),
        ("money > 1.5", 1), ("money = 1.1", 1), ("yes", 1), ("not yes", 1), ("kind in ('x')", 2),
        ('"a ""quoted"" name" = 2', 1), ('"a.dot" = 2', 1), ("a.dot = 2", 1), ('"back`tick" = 2', 1), ('"" = 2', 1),
        ("lower(Title) like 'o%'", 1), ("date_part('month', day) = 3", 2), ("", 3), ("Title = 'drop; -- x'", 0),
        ([("Title", "=", "O'Brien")], 1), (("order", ">=", 2), 2), ([("day", ">", "2025-03-01")], 1),
        ([("day", "=", dt.date(2025, 3, 1))], 1), ([("Title", "=", None)], 1), ([("Title", "!=", None)], 2),
        ([("order", "in", [1, 2]), ("yes", "=", False)], 1), ([("order", "not in", [])], 3),
        ([("order", "between", (1, 2))], 2), ([("Title", "contains", "'B")], 1), ([("order", "=", "3")], 1),
        ([("at", "=", dt.date(2025, 3, 3))], 1), ([("money", "<", "1.5")], 1), ([("销售额", "is null", None)], 1),
    ],
)  # fmt: skip
def test_filters(shared: Library, where: object, matched: int) -> None:
    assert shared.scan("typed", where=where).matched == matched


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("1=1; drop table x", "can't stand in it"), ("Title = 'a' -- x", "can't stand in it"),
        ("select 1", "only reads"),
        ("Title = 'a", "can't stand in it"), ("tilte = 'a'", "did you mean 'Title'"), ("order = 'x'", "can't be read"),
        ('"Titel" = 1', "did you mean 'Title'"), ([("orde", "=", 1)], "did you mean 'order'"),
        ([("order", "~", 1)], "no operator"), ([("order", "=", "x")], "holds int64"),
        ([("order",)], "column, operator"),
        ("day > 'soon'", "can't be read"), ("order", "can't be read"), ([("销售额", "=", float("nan"))], "isnan"),
    ],
)  # fmt: skip
def test_a_wrong_filter_says_what_is_wrong(shared: Library, where: object, said: str) -> None:
    with pytest.raises(LibraryError, match=said):
        shared.scan("typed", where=where)
    assert shared.scan("typed").total == 3


def test_columns_and_order(shared: Library) -> None:
    scan = shared.scan("typed", columns=["title", "a.dot"], order_by="order desc")
    assert scan.rows == [{"Title": "a", "a.dot": 1}, {"Title": None, "a.dot": 3}, {"Title": "O'Brien", "a.dot": 2}]
    assert shared.scan("typed", columns=["order"], order_by='kind, "a.dot" DESC').rows == [
        {"order": 2}, {"order": 3}, {"order": 1},
    ]  # fmt: skip
    assert shared.scan("typed", order_by="销售额").rows[-1]["销售额"] is None
    with pytest.raises(LibraryError, match="did you mean 'order'"):
        shared.scan("typed", order_by="ordr desc")
    with pytest.raises(LibraryError, match="did you mean 'typed'"):
        shared.scan("tpyed")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 4000), st.integers(0, 520))
def test_the_cap_cuts_whole_rows_and_the_last_line_says_which(shared: Library, cap: int, offset: int) -> None:
    scan = shared.scan("wide", cap=cap, offset=offset, where="n >= 100")
    assert len(scan.text) <= max(cap, 200)
    *lines, last = scan.text.split("\n")
    first, end, matched, total, version = map(int, COVERAGE.fullmatch(last).groups())
    assert (matched, total, version) == (scan.matched, scan.total, scan.version) == (400, 500, version)
    assert scan.shown == len(scan.rows) == (end - first + 1 if end else 0)
    assert [row["n"] for row in scan.rows] == list(range(100 + offset, 100 + offset + scan.shown))
    if scan.shown:
        assert first == offset + 1
        if lines[-1].startswith("more: "):
            assert lines.pop() == f"more: offset={end}"
            assert end < 400
        assert len(lines) == scan.shown + 1
        assert [line.split(" | ")[0] for line in lines[1:]] == [str(row["n"]) for row in scan.rows]
    else:
        assert offset >= 400 or "fewer columns" in scan.text or cap < 400


def test_pages_meet(shared: Library) -> None:
    seen: list[int] = []
    while len(seen) < 500:
        page = shared.scan("wide", columns=["n"], order_by="n desc", offset=len(seen), cap=700)
        assert page.shown
        seen += [row["n"] for row in page.rows]
    assert seen == list(range(499, -1, -1))


def test_odd_cells_stay_on_their_line(lib: Library) -> None:
    lib.add_table("t", [{"a": "x\ny|z", "b": ""}, {"a": "w" * 900, "b": None}])
    header, first, second, _ = lib.scan("t").text.split("\n")
    assert (header, first) == ("a | b", 'x\\ny\\|z | ""')
    assert second == "w" * 400 + "… (+500) | "


def test_a_row_wider_than_the_cap(lib: Library) -> None:
    lib.add_table("t", [{f"column_{i}": "x" * 50 for i in range(300)}])
    scan = lib.scan("t", cap=1000)
    assert (scan.shown, len(scan.text) <= 1000) == (0, True)
    assert "name fewer columns" in scan.text
    assert lib.scan("t", columns=["column_7"], cap=1000).shown == 1


def test_a_table_is_found_read_and_removed(lib: Library) -> None:
    lib.add_table("teapots", [{"glaze": "celadon"}])
    assert lib.search("celadon")[0].content_id == "table:teapots"
    assert "glaze (string)" in lib.read("table:teapots").text
    lib.remove("teapots")
    assert lib.stats()["tables"] == {}
    with pytest.raises(LibraryError):
        lib.scan("teapots")
