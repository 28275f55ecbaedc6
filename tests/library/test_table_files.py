"""A file of a table gives its values as they are written, or is refused with the place of what can't be kept."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import openpyxl
import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
from nephele_nb.library.documents import Unreadable
from nephele_nb.library.table_files import read_tables

NOON = dt.datetime(2025, 3, 1, 12, tzinfo=ZoneInfo("Asia/Tokyo"))


def kept(lib: Library, path: Path) -> list[dict[str, Any]]:
    lib.add_table("t", path)
    return lib.scan("t").rows


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


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("t.json", '[{"a": 1, "a": 2}]', "the name 'a' twice"),
        ("t.json", '[{"x": {"a": 1, "a": 2}}]', "the name 'a' twice"),
        ("t.json", "[" * 100_000, "nested too deeply"),
        ("t.json", '[{"a": 0.5}, {"a": 1e400}]', "column 'a', row 2"),
        ("t.json", "[1]", "row 1 is no record"),
        ("t.jsonl", '{"a": 1}, {"a": 2}\n', "line 1 is not JSON"),
        ("t.jsonl", "1], [2\n", "line 1 is not JSON"),
        ("t.pickle", "x", r"\.pickle are not read as tables; \.csv"),
        ("t", "x", r"type \(none\)"),
    ],
)
def test_a_file_that_says_less_than_it_seems_is_refused(
    lib: Library, tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(LibraryError, match=said):
        lib.add_table("t", tmp_path / name)


def test_numbers_of_files_that_no_double_holds(lib: Library, tmp_path: Path) -> None:
    long = "0.12345678901234567891"
    (tmp_path / "t.json").write_text(f'[{{"a": {long}, "b": 2.5}}, {{"a": 1, "b": null}}]')
    (tmp_path / "t.jsonl").write_text(f'{{"a": {long}}}\n')
    (tmp_path / "t.csv").write_text("far,near,hex\n1e400,1e300,0x1F\n1,1,2\n")
    assert kept(lib, tmp_path / "t.json")[0] == {"a": Decimal(long), "b": Decimal("2.5")}
    assert kept(lib, tmp_path / "t.jsonl")[0] == {"a": Decimal(long)}
    assert kept(lib, tmp_path / "t.csv")[0] == {"far": "1e400", "near": 1e300, "hex": "0x1F"}


def test_a_cell_of_several_megabytes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text('a,b\n1,"' + "x" * 3_000_000 + '"\n2,y\n', "utf-8")
    [(_, table)] = read_tables(path)
    assert [len(v) for v in table.column("b").to_pylist()] == [3_000_000, 1]


@pytest.mark.parametrize("text", ['a,b\n1,"open\n2,3\n4,5\n', 'a,b\n1,2\n3,"open'])
def test_a_quote_that_never_closes_swallows_no_rows_in_silence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "open.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(Unreadable, match="never closes"):
        read_tables(path)


def test_a_quote_inside_a_cell_is_a_quote(tmp_path: Path) -> None:
    path = tmp_path / "inches.csv"
    path.write_text('a,b\n1,5" pipe\n2,"say ""so"""\n', "utf-8")
    assert read_tables(path)[0][1].column("b").to_pylist() == ['5" pipe', 'say "so"']
