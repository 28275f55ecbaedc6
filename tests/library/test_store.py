"""The store stays current, tidies itself, and takes two writers."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
from nephele_nb.library.schema import META, PASSAGES, VERSION
from nephele_nb.library.store import Store, any_of, literal, quoted
from nephele_nb.library.upkeep import LEAST_ROWS

from .conftest import LetterEmbedder

WRITER = """
import sys
from nephele_nb.library import Library
lib = Library(sys.argv[1], embedder="none")
for i in range(12):
    lib.add_note(f"note {i} of {sys.argv[2]}", f"platypus {sys.argv[2]}", content_id=f"{sys.argv[2]}-{i}")
    lib.add_note("both", f"written by {sys.argv[2]} in turn {i}", content_id="both")
lib.close()
"""


def test_two_processes_write_one_library(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-W", "error", "-c", WRITER, str(tmp_path), n]) for n in ("x", "y")]
    assert [w.wait(120) for w in writers] == [0, 0]
    lib = Library(tmp_path, embedder="none")
    assert lib.stats()["notes"] == 25
    assert {lib.read(f"{n}-{i}").content_id for n in "xy" for i in range(12)} == {
        f"{n}-{i}" for n in "xy" for i in range(12)
    }
    assert len(lib.search("platypus", k=50)) == 24
    lib.close()


def test_threads_write_one_library(lib: Library) -> None:
    def write(name: str) -> None:
        for i in range(6):
            lib.add_note(name, f"wombat {i}", content_id=f"{name}{i}")
            lib.search("wombat")

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lib.search("wombat", k=50)) == 18


def test_another_handle_sees_what_was_written(tmp_path: Path) -> None:
    one, two = Library(tmp_path, embedder="none"), Library(tmp_path, embedder="none")
    two.search("anything")
    one.add_note("t", "an okapi", content_id="o")
    assert [h.content_id for h in two.search("okapi")] == ["o"]
    one.remove("o")
    assert not two.search("okapi")
    one.close()
    two.close()


def test_the_newest_is_found_at_every_stage_and_the_index_keeps_up(tmp_path: Path) -> None:
    lib = Library(tmp_path / "library", embedder=LetterEmbedder())
    files = tmp_path / "many"
    files.mkdir()
    lib.add_note("first", "unicorn", content_id="first")
    assert lib.search("unicorn")
    for i in range(LEAST_ROWS + 40):
        (files / f"{i}.md").write_text(f"plain filler word{i}x")
    lib.add(files)
    assert lib.search("word539x")
    (files / "7.md").write_text("changed to narwhal")
    for i in range(100, 200):
        (files / f"{i}.md").unlink()
    lib.add(files)
    assert lib.search("narwhal")[0].title == "7"
    gone = {f"many/{i}.md" for i in range(100, 200)}
    assert not gone & {h.content_id for h in lib.search("word150x plain filler", k=500)}
    assert lib.wait_embedded(120)
    for _ in range(3):
        lib.compact()
    assert lib._store.table(PASSAGES).index_stats("words_idx").num_unindexed_rows < LEAST_ROWS
    assert lib.search("narwhal")[0].title == "7"
    assert lib.search("unicorn")[0].content_id == "first"
    assert not gone & {h.content_id for h in lib.search("word150x plain filler", k=500)}
    lib.close()


def test_a_newer_library_is_not_touched(tmp_path: Path) -> None:
    Store(str(tmp_path)).upsert(META, [{"key": "version", "value": str(VERSION + 1)}])
    with pytest.raises(LibraryError, match="newer nephele_nb"):
        Library(tmp_path, embedder="none")


def test_a_path_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LibraryError, match="can't be opened"):
        Library(tmp_path / "file", embedder="none")


def test_literals_and_names_are_quoted() -> None:
    assert literal("O'Brien \\ \" --") == "'O''Brien \\ \" --'"
    assert (literal(None), literal(True), literal(1.5)) == ("NULL", "true", "1.5")
    assert quoted('a"b') == '"a""b"'
    assert any_of("id", []) == "1 = 0"
    for value in (float("nan"), object(), b"x"):
        with pytest.raises(LibraryError):
            literal(value)


def test_a_library_that_cannot_be_opened_says_which_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text("a,b\n")
    with pytest.raises(LibraryError, match="can't be opened"):
        Library(tmp_path / "file.csv", embedder="none")
