"""Notes round-trip whatever their id and title, and a stale change is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nephele_nb.errors import LibraryError, StaleError
from nephele_nb.library import Library
from nephele_nb.library.changes import created
from nephele_nb.types import Inverse

from .conftest import FIXTURES

IDS = json.loads((FIXTURES / "R04_ids.json").read_text("utf-8"))


def test_every_id_round_trips_and_deleting_one_leaves_the_others(lib: Library) -> None:
    for i, odd in enumerate(IDS):
        assert lib.add_note(odd, f"text {i}", tags=[odd], content_id=odd) == odd
    for i, odd in enumerate(IDS):
        assert lib.read(odd).text == f"text {i}"
        assert lib.read(odd).title == odd
        lib.update_note(odd, f"new {i}", expected=f"text {i}")
        lib.graph(odd)
    for i, odd in enumerate(IDS):
        assert lib.remove(odd).arguments["note"]["text"] == f"new {i}"
        left = lib.stats()["notes"]
        assert left == len(IDS) - i - 1


def test_a_new_note_is_found_at_once_and_an_old_text_no_more(lib: Library) -> None:
    note = lib.add_note("Shelf", "the first word is aardvark", tags=["#animals"])
    assert lib.read(note).tags == ("animals",)
    assert [h.content_id for h in lib.search("aardvark")] == [note]
    lib.update_note(note, "now it is a pangolin", title="Rack")
    assert not lib.search("aardvark")
    assert lib.search("pangolin")[0].title == "Rack"
    lib.remove(note)
    assert not lib.search("pangolin")


def test_a_title_reads_too_and_an_unknown_one_names_the_nearest(lib: Library) -> None:
    lib.add_note("Q2 plan", "x")
    assert lib.read("Q2 plan").text == lib.read("q2  PLAN").text == "x"
    with pytest.raises(LibraryError, match="did you mean 'Q2 plan'"):
        lib.read("Q3 plan")


def test_a_changed_note_is_not_overwritten(lib: Library) -> None:
    note = lib.add_note("T", "one")
    seen = lib.read(note).updated
    lib.update_note(note, "two", expected=seen)
    with pytest.raises(StaleError):
        lib.update_note(note, "three", expected="one")
    with pytest.raises(StaleError):
        lib.update_note(note, "three", expected=seen)
    assert lib.read(note).text == "two"


def test_each_change_can_be_taken_back_as_data(lib: Library, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# From a file\n\nfirst words [[B]] #x")
    lib.add(tmp_path / "a.md")
    note = f"{tmp_path.name}/a.md"
    before = lib.read(note)
    back = [
        lib.update_note(note, "second words", expected=before.text, title="New", tags=["y"]),
        lib.update_note(note, "third words"),
        lib.remove(note),
    ]
    for inverse in map(journalled, reversed(back)):
        lib.take_back(inverse)
    assert lib.read(note) == before
    assert lib.search("first words")[0].title == "From a file"
    assert {e.kind for e in lib.graph(note).edges} == {"tag"}
    assert lib.add(tmp_path / "a.md").unchanged == (note,)


def test_what_is_newer_is_not_taken_back(lib: Library) -> None:
    note = lib.add_note("T", "one", tags=["a"])
    changed = lib.update_note(note, "two")
    lib.update_note(note, "three")
    with pytest.raises(StaleError):
        lib.take_back(changed)
    gone = lib.remove(note)
    with pytest.raises(LibraryError, match="any more"):
        lib.take_back(changed)
    lib.add_note("T", "four", content_id=note)
    with pytest.raises(StaleError):
        lib.take_back(gone)
    with pytest.raises(StaleError):
        lib.take_back(created(note, "one"))
    with pytest.raises(LibraryError, match="no operation 'paint'"):
        lib.take_back(Inverse("paint"))
    assert lib.read(note).text == "four"
    lib.take_back(created(note, "four"))
    assert lib.stats()["notes"] == 0


def test_a_removed_table_comes_back_until_the_library_is_compacted(lib: Library) -> None:
    lib.add_table("t", [{"a": 1}])
    gone = journalled(lib.remove("t"))
    lib.take_back(gone)
    assert lib.scan("t").rows == [{"a": 1}]
    gone = lib.remove("t")
    lib.compact()
    with pytest.raises(LibraryError, match="compacted"):
        lib.take_back(gone)
    assert lib.stats()["tables"] == {}


def test_a_table_written_anew_goes_back_to_what_it_was(lib: Library) -> None:
    new = journalled(lib.put_table("t", [{"a": 1}, {"a": 2}]))
    first = lib.scan("t").version
    again = journalled(lib.put_table("t", [{"b c": "x"}]))
    assert lib.scan("t").rows == [{"b c": "x"}]
    with pytest.raises(StaleError, match="written anew"):
        lib.take_back(new)
    lib.take_back(again)
    scan = lib.scan("t", where="a > 1")
    assert (scan.rows, scan.total, scan.version > first) == ([{"a": 2}], 2, True)
    assert "2 rows" in lib.read("t").text
    assert lib.stats()["tables"] == {"t": 2}
    assert lib.search("t 2 rows")[0].content_id == "table:t"
    with pytest.raises(StaleError):
        lib.take_back(again)
    lib.take_back(new)
    assert (lib.has_table("t"), lib.stats()["tables"], list(lib.search("rows columns"))) == (False, {}, [])
    with pytest.raises(LibraryError, match="any more"):
        lib.take_back(new)


def test_a_removed_table_comes_back_as_it_was_though_its_name_was_used_since(lib: Library) -> None:
    lib.add_table("t", [{"a": 1}])
    gone = journalled(lib.remove("t"))
    other = lib.put_table("t", [{"z": None}, {"z": 2}])
    with pytest.raises(StaleError):
        lib.take_back(gone)
    lib.take_back(other)
    lib.take_back(gone)
    assert (lib.scan("t").rows, lib.stats()["tables"]) == ([{"a": 1}], {"t": 1})


def test_taking_a_table_back_still_works_after_compacting(lib: Library) -> None:
    lib.add_table("t", [{"a": 1}])
    again = lib.put_table("t", [{"a": 2}])
    lib.compact()
    lib.take_back(again)
    assert lib.scan("t").rows == [{"a": 1}]


def test_what_was_taken_back_can_be_brought_again(lib: Library) -> None:
    note = lib.add_note("T", "one", tags=["a"])
    there = lib.read(note)
    brought = journalled(lib.take_back(created(note, "one")))
    assert lib.stats()["notes"] == 0
    gone_again = journalled(lib.take_back(brought))
    assert lib.read(note) == there
    lib.take_back(gone_again)
    assert lib.stats()["notes"] == 0
    lib.take_back(brought)
    changed = journalled(lib.update_note(note, "two"))
    now = lib.read(note)
    forth = journalled(lib.take_back(changed))
    assert lib.read(note) == there
    back = lib.take_back(forth)
    assert lib.read(note) == now
    lib.update_note(note, "three")
    with pytest.raises(StaleError):
        lib.take_back(back)


def test_a_table_goes_back_and_forth(lib: Library) -> None:
    lib.add_table("t", [{"a": 1}])
    step = journalled(lib.put_table("t", [{"b": 2}]))
    for rows in ([{"a": 1}], [{"b": 2}], [{"a": 1}]):
        step = journalled(lib.take_back(step))
        assert lib.scan("t").rows == rows
    step = journalled(lib.remove("t"))
    for there in (True, False, True):
        step = journalled(lib.take_back(step))
        assert lib.has_table("t") is there
    assert lib.scan("t").rows == [{"a": 1}]


def journalled(inverse: Inverse) -> Inverse:
    """Return an inverse as it comes back from a file."""
    return Inverse(inverse.op, json.loads(json.dumps(dict(inverse.arguments))))


def test_stats_count(lib: Library) -> None:
    lib.add_note("A", "two words 三个字", tags=["x"])
    lib.add_table("t", [{"a": 1}, {"a": 2}])
    stats = lib.stats()
    assert (stats["notes"], stats["words"], stats["tables"]) == (1, 5, {"t": 2})
    assert (stats["tags"], stats["kinds"]) == ({"x": 1}, {"note": 1, "table": 1})
    assert (stats["embedder"], stats["embedded"]) == ("none", 0.0)
    assert stats["bytes"] > 0
    assert (stats["rows"], stats["edges"]) == (2, 1)
    assert stats["changed"] >= stats["updated"] > 0
    lib.remove("A")
    after = lib.stats()
    assert after["changed"] >= stats["changed"]
    assert (after["notes"], after["words"]) == (0, 0)
