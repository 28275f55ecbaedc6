"""A library whose files are damaged or gone while it is open says so in words, whatever is asked of it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library

from .conftest import LetterEmbedder

Harm = Callable[[Path], object]
HARMS: dict[str, Harm] = {
    "cut": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "junk": lambda file: file.write_bytes(random.Random(1).randbytes(file.stat().st_size)),
    "empty": lambda file: file.write_bytes(b""),
    "gone": lambda file: file.unlink(),
}


def opened(folder: Path) -> Library:
    lib = Library(folder, embedder=LetterEmbedder())
    for i in range(4):
        lib.add_note(f"N{i}", f"quokka {i} [[N1]] #t", content_id=f"n{i}")
    lib.add_table("t", [{"a": 1}, {"a": 2}])
    assert lib.wait_embedded(60)
    assert lib.search("quokka")
    return lib


def everything(lib: Library) -> dict[str, Callable[[], object]]:
    return {
        "search": lambda: lib.search("quokka"),
        "search with a filter": lambda: lib.search("quokka", kinds=["note"], tags=["t"]),
        "read": lambda: lib.read("n1"),
        "scan": lambda: lib.scan("t", where="a > 1"),
        "graph": lambda: lib.graph("n1"),
        "stats": lib.stats,
        "add a note": lambda: lib.add_note("x", "y"),
        "add a table": lambda: lib.add_table("t", [{"a": 3}]),
        "update": lambda: lib.update_note("n1", "z"),
        "remove": lambda: lib.remove("n2"),
        "compact": lib.compact,
        "open again": lambda: Library(lib.uri, embedder="none").close(),
    }


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("table", ["notes", "passages", "data_", "vectors_"])
def test_damaged_data_never_raise_anything_but_a_library_error(tmp_path: Path, table: str, harm: str) -> None:
    lib = opened(tmp_path)
    harmed = [f for folder in tmp_path.glob(f"{table}*.lance") for f in (folder / "data").iterdir()]
    assert harmed
    for file in harmed:
        HARMS[harm](file)
    for act in everything(lib).values():
        with suppress(LibraryError):
            act()
    lib.close()


@pytest.mark.parametrize("harm", ["cut", "empty"])
def test_a_damaged_list_of_versions_is_a_library_error_that_says_what_to_do(tmp_path: Path, harm: str) -> None:
    lib = opened(tmp_path)
    for file in (tmp_path / "tables.lance" / "_versions").iterdir():
        HARMS[harm](file)
    for name, act in everything(lib).items():
        if name in ("scan", "stats", "add a table", "compact"):
            with pytest.raises(LibraryError, match=r"(read|written|opened): .+ restore the folder from a copy"):
                act()
        else:
            with suppress(LibraryError):
                act()
    lib.close()


def test_a_folder_that_is_deleted_under_an_open_library(tmp_path: Path) -> None:
    lib = opened(tmp_path / "library")
    shutil.rmtree(tmp_path / "library")
    with pytest.raises(LibraryError):
        lib.read("n1")
    for act in everything(lib).values():
        with suppress(LibraryError):
            act()
    lib.close()


def a_library(home: Path) -> None:
    lib = Library(home, embedder="none")
    lib.add_note("bamboo", "a note on [[bamboo]] #tea", content_id="a")
    lib.add_note("other", "see bamboo", content_id="b")
    lib.close()


def test_a_library_whose_notes_are_gone_is_not_opened_as_an_empty_one(tmp_path: Path) -> None:
    a_library(tmp_path)
    shutil.rmtree(tmp_path / "notes.lance")
    for _ in range(2):
        with pytest.raises(LibraryError, match="notes are gone"):
            Library(tmp_path, embedder="none")
    assert not (tmp_path / "notes.lance").exists()


@pytest.mark.parametrize("table", ["passages", "edges"])
def test_what_is_made_of_the_notes_is_made_anew_where_it_is_gone(tmp_path: Path, table: str) -> None:
    a_library(tmp_path)
    shutil.rmtree(tmp_path / f"{table}.lance")
    lib = Library(tmp_path, embedder="none")
    assert {hit.content_id for hit in lib.search("bamboo")} == {"a", "b"}
    assert {edge.source for edge in lib.graph("a").edges} == {"a", "b"}
    lib.close()


@pytest.mark.parametrize("begun", ["5", "null", '{"a": 1}', "[", "\x00"])
def test_a_broken_note_of_what_had_begun_stops_nobody(tmp_path: Path, begun: str) -> None:
    a_library(tmp_path)
    (tmp_path / "writing.json").write_text(begun, "utf-8")
    lib = Library(tmp_path, embedder="none")
    assert lib.read(lib.add_note("new", "words")).text == "words"
    lib.close()


def test_what_is_not_the_librarys_is_left_alone_when_it_is_compacted(tmp_path: Path) -> None:
    a_library(tmp_path)
    (tmp_path / "stray.lance").mkdir()
    lib = Library(tmp_path, embedder="none")
    assert lib.compact()["after"] > 0
    assert (tmp_path / "stray.lance").is_dir()
    lib.close()


@pytest.mark.parametrize("uri", [None, 5, b"x", "", "a\x00b", "a\ud800"])
def test_what_names_no_folder_is_no_library(uri: Any) -> None:
    with pytest.raises(LibraryError):
        Library(uri, embedder="none")
