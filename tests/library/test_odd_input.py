"""What a person, a model or a file may give that no note, table or filter can hold: refused in words, nothing lost."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library, notes
from nephele_nb.library.draft import Draft
from nephele_nb.library.ingest import Intake
from nephele_nb.library.progress import silent
from nephele_nb.library.store import Store

HALF = "\ud83d"


@pytest.mark.parametrize("place", ["title", "text", "tags", "content_id"])
def test_half_a_character_is_refused_and_the_library_goes_on(lib: Library, place: str) -> None:
    given: dict[str, Any] = {"title": "a", "text": "b", place: [HALF] if place == "tags" else f"x{HALF}"}
    with pytest.raises(LibraryError, match="half a character"):
        lib.add_note(**given)
    with pytest.raises(LibraryError, match="half a character"):
        lib.add_table(f"t{HALF}", [{"a": 1}])
    note = lib.add_note("after", "the library goes on")
    with pytest.raises(LibraryError, match="half a character"):
        lib.update_note(note, HALF)
    assert lib.read(note).text == "the library goes on"
    with pytest.raises(LibraryError, match="half a character"):
        lib.read(HALF)
    assert [hit.content_id for hit in lib.search(f"library goes {HALF}")] == [note]


def test_a_library_whose_last_writing_named_such_an_id_can_be_written_again(tmp_path: Path) -> None:
    home = tmp_path / "library"
    Library(home, embedder="none").close()
    (home / "writing.json").write_text(r'["\udcff", "n-1"]', "utf-8")
    lib = Library(home, embedder="none")
    assert lib.read(lib.add_note("a", "b")).text == "b"
    lib.close()


@pytest.mark.parametrize("given", [{"title": None}, {"title": 5}, {"text": b"x"}, {"tags": [None]}, {"tags": 5}])
def test_what_is_no_text_is_no_note(lib: Library, given: dict[str, Any]) -> None:
    with pytest.raises(LibraryError, match="is text"):
        lib.add_note(**({"title": "a", "text": "b"} | given))
    assert lib.titles() == []


def test_a_note_never_takes_a_tables_place(lib: Library) -> None:
    lib.add_table("sales", [{"a": 1}])
    for taken in ("table:sales", "tag:sales"):
        with pytest.raises(LibraryError, match="only name a table or a tag"):
            lib.add_note("mine", "text", content_id=taken)
    assert lib.read("table:sales").title == "sales"


def test_a_title_that_several_have_names_none_of_them(lib: Library) -> None:
    ids = sorted(lib.add_note("Plan", text) for text in ("one", "two"))
    other = lib.add_note("plan", "three")
    for act in (lib.read, lib.remove, lib.graph, lambda name: lib.update_note(name, "new")):
        with pytest.raises(LibraryError, match="content id") as told:
            act("Plan")
        assert all(repr(i) in str(told.value) for i in ids)
    assert lib.read("plan").content_id == other
    assert {lib.read(i).text for i in ids} == {"one", "two"}


@pytest.mark.parametrize(
    "given",
    [
        {"query": None}, {"query": b"x"}, {"k": "x"}, {"k": 2.5}, {"tags": [None]}, {"tags": 5}, {"folder": 5},
        {"kinds": [None]}, {"since": 10**400}, {"since": True}, {"folder": HALF}, {"tags": [HALF]},
    ],
)  # fmt: skip
def test_a_search_that_means_nothing_says_so(lib: Library, given: dict[str, Any]) -> None:
    lib.add_note("a", "b")
    with pytest.raises(LibraryError):
        lib.search(**({"query": "a note"} | given))


@pytest.mark.parametrize(
    "given",
    [
        {"where": 5}, {"where": True}, {"where": {"a": 1}}, {"where": [5]}, {"where": f"s = '{HALF}'"},
        {"where": [("d", "=", float("nan"))]}, {"columns": 5}, {"columns": [5]}, {"order_by": 5},
        {"order_by": ["a"]}, {"offset": "x"}, {"offset": None}, {"cap": None},
    ],
)  # fmt: skip
def test_a_scan_that_means_nothing_says_so(lib: Library, given: dict[str, Any]) -> None:
    from decimal import Decimal

    lib.add_table("t", [{"a": 1, "s": "x", "d": Decimal("1.5")}])
    with pytest.raises(LibraryError):
        lib.scan("t", **given)


def test_an_offset_beyond_all_rows_shows_none(lib: Library) -> None:
    lib.add_table("t", [{"a": 1}])
    assert lib.scan("t", offset=10**30).shown == 0


@pytest.mark.parametrize(
    "where", ["a > 1 a < 3", "a > 1)", "a > 1) or (a < 9", "a > 1 (a < 3)", "a > 1 'x'", "a in (1, 2) 3", "a > 1 month"]
)
def test_nothing_that_follows_a_filter_is_left_out_in_silence(lib: Library, where: str) -> None:
    lib.add_table("t", [{"a": i} for i in range(6)])
    with pytest.raises(LibraryError):
        lib.scan("t", where=where)


def test_a_long_filters_fault_is_told_in_short(lib: Library) -> None:
    lib.add_table("t", [{"a": 1}])
    with pytest.raises(LibraryError) as told:
        lib.scan("t", where="a = '" + "x" * 9000 + "'")
    assert len(str(told.value)) < 1000


def test_one_odd_file_keeps_no_other_out(lib: Library, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "good.md").write_text("# Good\n\nwords", "utf-8")
    (folder / "early.md").write_text("---\ncreated: 0001-01-01T00:00:00+14:00\n---\n# Early", "utf-8")
    (folder / "late.md").write_text("---\ncreated: 9999-12-31T23:59:59-14:00\n---\n# Late", "utf-8")
    cut = r'{"cells": [{"cell_type": "markdown", "source": "cut \ud83d short"}]}'
    (folder / "cut.ipynb").write_text(cut, "utf-8")
    Path(os.fsdecode(os.fsencode(folder) + b"/odd\xff.md")).write_text("# Odd", "utf-8")
    report = lib.add(folder, progress=False)
    assert {Path(i).name for i in report.added} == {"good.md", "early.md", "late.md", "cut.ipynb"}
    assert [(Path(s.path).name, s.reason) for s in report.skipped] == [
        ("odd\\xff.md", "its name isn't UTF-8; rename it")
    ]
    assert lib.read("notes/cut.ipynb").text == "cut \ufffd short"
    assert len(lib.add(folder, progress=False).unchanged) == 4


def test_a_note_from_a_clock_that_runs_wild_has_no_day(lib: Library, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "other"))
    notes.put(store, [Draft("n-1", "Far", "text", created=1e14, updated=1e14)])
    assert store.rows("passages", ["head"])[0]["head"] == "Far"


def test_two_that_add_one_folder_at_a_time_leave_each_file_once(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for n in range(3):
        (folder / f"n{n}.md").write_text(f"# Note {n}", "utf-8")
        (folder / f"t{n}.csv").write_text("a,b\n1,2\n", "utf-8")
    store = Store(str(tmp_path / "library"))
    both = [Intake(store, folder, silent, lambda passages: None, Event()) for _ in range(2)]
    for intake in both:  # each has seen the library while it was empty
        intake.run()
    ids = sorted(row["content_id"] for row in store.rows("notes", ["content_id"]))
    assert ids == [*(f"notes/n{n}.md" for n in range(3)), *(f"table:t{n}" for n in range(3))]


def test_a_librarys_own_folder_is_never_taken_in(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.md").write_text("# A", "utf-8")
    lib, other = (Library(folder / name, embedder="none") for name in ("library", "second"))
    other.add_note("Other", "of another library")
    assert lib.add(folder, progress=False).added == ("work/a.md",)
    assert lib.add(folder, progress=False).skipped == ()
    for own in (folder / "library", folder / "library" / "writing.lock", folder / "second" / "notes.lance"):
        with pytest.raises(LibraryError, match="library's own folder"):
            lib.add(own, progress=False)
    lib.close()
    other.close()


def test_a_link_to_a_folder_is_told_and_a_loop_is_not(lib: Library, tmp_path: Path) -> None:
    folder, other = tmp_path / "notes", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (folder / "a.md").write_text("# A", "utf-8")
    (other / "b.md").write_text("# B", "utf-8")
    (folder / "loop").symlink_to(folder)
    (folder / "elsewhere").symlink_to(other)
    report = lib.add(folder, progress=False)
    assert report.added == ("notes/a.md",)
    assert [Path(s.path).name for s in report.skipped] == ["elsewhere"]
    assert "add that folder itself" in report.skipped[0].reason


@pytest.mark.parametrize(
    "text",
    [
        "# a" + " " * 100_000 + "b", "# a" + "#" * 100_000 + "b", "# a" + "\t" * 100_000 + "b", "<!--" * 100_000,
        "$$a" * 100_001, "[[" * 100_000, "[a](" * 50_000, "```\n" * 50_001, "`" * 100_000, "---\na:" + " " * 100_000,
    ],
    ids=["spaces", "signs", "tabs", "comments", "sums", "brackets", "links", "fences", "ticks", "front"],
)  # fmt: skip
def test_no_text_takes_time_beyond_its_length(lib: Library, tmp_path: Path, text: str) -> None:
    """With any part that looks back over the whole of it, these take from minutes to hours."""
    path = tmp_path / "long.md"
    path.write_text(text, "utf-8")
    assert lib.add(path, progress=False).added == (f"{tmp_path.name}/long.md",)


def test_a_filter_of_many_numbers_is_read_at_once(lib: Library) -> None:
    lib.add_table("t", [{"a": 1}])
    with pytest.raises(LibraryError):
        lib.scan("t", where="1." * 9_000)


def test_a_sign_that_ends_a_name_is_no_closing_one(lib: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    for written, title in (("Learning C#", "Learning C#"), ("Yes #", "Yes"), ("Yes ##  ", "Yes"), ("##", "##")):
        path.write_text(f"# {written}\n\nwords", "utf-8")
        lib.add(path, progress=False)
        assert [t for _, t in lib.titles()] == [title]


def test_a_walk_that_means_nothing_says_so(lib: Library) -> None:
    lib.add_note("A", "[[B]] #x", content_id="a")
    for given in ({"kinds": ["wikis"]}, {"kinds": 5}, {"kinds": [None]}, {"hops": "2"}, {"hops": None}):
        with pytest.raises(LibraryError):
            lib.graph("a", **given)  # type: ignore[arg-type]
    for name in (None, 5, "b", HALF, f"tag:{HALF}"):
        with pytest.raises(LibraryError):
            lib.graph(name)  # type: ignore[arg-type]


def test_a_walk_goes_three_hops_at_most_through_loops_and_self_links(lib: Library) -> None:
    for here, there in ("ab", "bc", "cd", "de", "ea"):
        lib.add_note(here * 3, f"[[{here * 3}]] [[{there * 3}]]", content_id=here)
    lib.add_note("fff", "[[eee]]", content_id="f")
    wide = lib.graph("a", hops=99)
    assert (wide.hops, {n.content_id for n in wide.nodes}) == (3, set("bcdef"))
    assert wide == lib.graph("a", hops=3)
    assert lib.graph("a", hops=-1) == lib.graph("a", hops=1)
    assert all(edge.source != edge.target for edge in wide.edges)


def test_a_tag_is_found_however_it_is_written(lib: Library) -> None:
    lib.add_note("A", "#Énergie #東京", content_id="a")
    for name in ("tag:énergie", "tag:ENERGIE", "tag:#energie", "tag:東京"):
        assert {edge.source for edge in lib.graph(name).edges} == {"a"}


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("🎉", "none"),
        ("the 🎉", "none"),
        ("🎉🎊 🐉", "none"),
        ("the", "too_general"),
        ("to be or not to be", "too_general"),
    ],
)
def test_a_picture_that_no_note_holds_is_not_too_general(lib: Library, query: str, reason: str) -> None:
    lib.add_note("A", "words alone")
    assert lib.search(query).reason == reason
    assert lib.search(query) == []
