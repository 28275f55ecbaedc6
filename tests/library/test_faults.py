"""A library whose files are damaged or gone while it is open says so in words, whatever is asked of it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

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
