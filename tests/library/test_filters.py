"""A filter only reads and ends in bounded time; a scan says which rows it shows of how many."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
from nephele_nb.library.where import FUNCTIONS, MOST_OPERATORS

ROWS = [{"a": i, "s": f"x{i}", "price": Decimal(i) / 10} for i in range(5)]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory):
    library = Library(tmp_path_factory.mktemp("filters"), embedder="none")
    library.add_table("t", ROWS)
    library.add_note("Kept", "a note", content_id="kept")
    yield library
    library.close()


def untouched(library: Library) -> bool:
    scan = library.scan("t")
    return (scan.rows, scan.version, library.stats()["notes"]) == (ROWS, 1, 1)


HOSTILE = [
    "a in (select a from t)", "exists (select 1)", "(select count(*) from t) > 0", "read_csv('/a') is null",
    "true; drop table t", "a = 1 -- x", "a = 1 /* x */ or 1=1", "delete from t", "update t set a = 1",
    "a = 1 or delete",
    "repeat(s, 100000000) = 'x'", "lpad(s, 1000000000) = 'x'", "replace(s, '', s) = 'x'",
    "array_to_string([1], s) = 'x'",
    "range(1, 100000000000) is not null", "generate_series(1, 5) is not null", "random() > 2", "uuid() = 'x'",
    "regexp_replace(s, '', s) = ''", "a = ?", "a = $1", "a = :x", "@@version = 1", "$$x$$ = s", "E'\\'' = s or 1=1",
    "a::text = '1'", "_rowid = 1", "_rowaddr = 1", "information_schema.tables is null", "count(*) > 1",
    "row_number() over () > 1", "getenv('HOME') = 'x'", "current_user() = 'x'", "a between 1 and 2 limit 1",
    "a = all (select 1)", "with", "union", "a = 1 and not", "a in (1, 2", "{'a': 1} is not null", "s = \"x1", "`", "'",
    "(" * 5000 + "a = 1" + ")" * 5000, "not " * 5000 + "a = 1", "a = " + "+".join(["1"] * 5000),
    "a = " + "-" * 5000 + "1", "a = " + "abs(" * 200 + "1" + ")" * 200, "a = 1 or " * 2000 + "a = 1",
    "a = " + "[" * 400 + "1" + "]" * 400, "s = '" + "x" * 30_000 + "'",
]  # fmt: skip


@pytest.mark.parametrize("where", HOSTILE, ids=lambda w: w[:40])
def test_a_hostile_filter_is_refused_and_changes_nothing(shared: Library, where: str) -> None:
    with pytest.raises(LibraryError):
        shared.scan("t", where=where)
    assert untouched(shared)


@pytest.mark.parametrize(
    "triple",
    [
        ("a; drop table t", "=", 1), ("a", "= 1 or 1 =", 1), ("a", "=", "1 or 1=1"), ("a", "in", 5),
        ("a", "between", 1), ("a", "between", [1]),
        ("a", "=", object()), ("a", "=", [1]), ("s", "=", b"x"), ("a",), ("a", 1, 2), ("price", "=", "x"),
        ("price", "=", "1" * 60),
    ],
)  # fmt: skip
def test_a_hostile_triple_is_refused(shared: Library, triple: tuple) -> None:
    with pytest.raises(LibraryError):
        shared.scan("t", where=[triple])
    assert untouched(shared)


def test_text_in_a_triple_is_only_text(shared: Library) -> None:
    for text in ("x' OR 1=1 --", "\\'; DROP TABLE t", '"a"', "%", "x_"):
        assert shared.scan("t", where=[("s", "=", text)]).matched == 0
        assert shared.scan("t", where=[("s", "contains", text)]).matched == 0
    with pytest.raises(LibraryError):
        shared.scan("t", order_by="a; drop table t")
    with pytest.raises(LibraryError):
        shared.scan("t", columns=["a, s"])
    assert untouched(shared)


def test_as_many_operators_as_are_allowed_can_be_read() -> None:
    """In a process of its own, as too deep an expression would end it."""
    code = (
        "import sys, tempfile, threading\nfrom nephele_nb.library import Library\n"
        f"lib = Library(tempfile.mkdtemp(), embedder='none')\nlib.add_table('t', [{{'a': {MOST_OPERATORS + 1}}}])\n"
        f"where = 'a = ' + '+'.join(['1'] * {MOST_OPERATORS + 1})\n"
        "t = threading.Thread(target=lambda: print(lib.scan('t', where=where).matched)); t.start(); t.join()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from([
            "a", "s", "price", "'x1'", "1", "2.5", "(", ")", "=", "<", ">", "and", "or", "not", "in", "between", "like",
            "is", "null", ",", "+", "*", "-", "||", "%", "select", "from", "cast", "as", "date", "'", '"', "abs",
            "lower",
            "true", ".", "[", "]", "case", "when", "end", "interval", "distinct", "ilike", "timestamp", "\\", "escape",
        ]),
        max_size=12,
    ).map(" ".join)
)  # fmt: skip
def test_no_string_of_words_does_more_than_read(shared: Library, where: str) -> None:
    try:
        shared.scan("t", where=where)
    except LibraryError as refused:
        said = str(refused)
    else:
        said = ""
    assert "panicked" not in said
    assert untouched(shared)


@pytest.mark.parametrize(
    ("where", "matched"),
    [
        ("price = 0.1", 1), ("0.1 = price", 1), ("price in (0.1, 0.20)", 2), ("price > 0.15 and a < 3.5", 2),
        ("a > 0.5", 4), ("a between 0.5 and 2", 2), ("1.5 < a", 3), ("a = 1.0", 1), ("round(price, 1) >= 0.3", 2),
        ([("price", "=", 0.1)], 1), ([("price", "in", ["0.1", Decimal("0.2")])], 2), ([("a", ">", 0.5)], 4),
        ([("a", "=", 2.0)], 1), ("length(s) = 2 and starts_with(s, 'x')", 5), ("S = 'x1'", 1),
    ],
)  # fmt: skip
def test_numbers_compare_as_they_are_written(shared: Library, where: object, matched: int) -> None:
    assert shared.scan("t", where=where).matched == matched


def test_every_function_on_the_list_is_one_that_lance_has(shared: Library) -> None:
    unknown = set()
    for name in FUNCTIONS - {"cast", "try_cast"}:
        try:
            shared.scan("t", where=f"{name}(s) is not null")
        except LibraryError as error:
            if "Invalid function" in str(error) or "not supported SQL" in str(error):
                unknown.add(name)
    assert unknown == set()


def test_an_older_version_can_still_be_read(lib: Library) -> None:
    lib.add_table("t", [{"old name": 1}])
    first = lib.scan("t").version
    for n in range(3):
        lib.add_table("t", [{"new": n}, {"new": n + 1}])
        lib.compact()
    then = lib.scan("t", version=first)
    assert (then.rows, then.version, then.total) == ([{"old name": 1}], first, 1)
    assert f"(version {first})" in then.text
    assert lib.scan("t", where='"old name" = 1', version=first).matched == 1
    assert lib.scan("t").rows == [{"new": 2}, {"new": 3}]
    with pytest.raises(LibraryError, match=r"no version 99 any more. It has: 1, 2, 3, 4"):
        lib.scan("t", version=99)


def test_the_coverage_says_what_is_left_out_and_how_to_go_on(lib: Library) -> None:
    lib.add_table("t", [{"n": i, "long": "y" * 900, "名": "茶", "f": 0.1 + 0.2, "big": 2**62 + i} for i in range(50)])
    scan = lib.scan("t", columns=["n", "f", "big"], where="n >= 10", cap=1000)
    *_, out, more, last = scan.text.split("\n")
    assert out == "columns left out (2): long, 名"
    assert more == f"more: offset={scan.shown}"
    assert last == f"rows 1-{scan.shown} shown of 40 matched of 50 in all (version 1)"
    assert f"10 | 0.30000000000000004 | {2**62 + 10}" in scan.text
    assert "more:" not in lib.scan("t", columns=["n"]).text
    assert "y" * 400 + "… (+500)" in lib.scan("t").text
    wide = lib.add_table("wide", [{f"a rather long column name {i}": i for i in range(400)}])
    assert len(lib.scan(wide, columns=["a rather long column name 7"], cap=1000).text) <= 1000


def test_a_scan_of_a_large_table_takes_little_memory(tmp_path: Path) -> None:
    code = (
        "import resource, sys, pyarrow as pa\nfrom nephele_nb.library import Library\n"
        "lib = Library(sys.argv[1], embedder='none')\nlib.scan('t', columns=['n'])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "assert lib.scan('t', where=\"n % 1000 = 7 and fill like 'f%'\", order_by='n desc').matched == 400\n"
        "assert lib.scan('t', offset=399_990).shown == 10\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)"
    )
    lib = Library(tmp_path, embedder="none")
    text = pa.array([f"f{i:07}" + "z" * 1000 for i in range(1000)])
    chunks = pa.chunked_array([text] * 400)
    lib.add_table("t", pa.table({"n": pa.array(range(400_000)), "fill": chunks}))
    lib.close()
    assert lib.stats()["bytes"] > 0
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 250, "MB above what a small scan takes, of a table of 400 MB"
