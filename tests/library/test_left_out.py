"""What somebody took out stays out until its file changes or is named; a folder goes, and comes back, as one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nephele_nb.errors import LibraryError, StaleError
from nephele_nb.library import Library
from nephele_nb.types import Inverse

from .test_ingest import folder

__all__ = ["folder"]


def everything(lib: Library) -> set[str]:
    return {content_id for content_id, _ in lib.titles()} | {f"table:{name}" for name in lib.stats()["tables"]}


@pytest.mark.parametrize(("name", "file"), [("desk/a.md", "a.md"), ("table:rows", "rows.csv")])
def test_what_was_taken_out_does_not_come_back_with_its_folder(
    lib: Library, folder: Path, name: str, file: str
) -> None:
    lib.add(folder)
    lib.remove(name)
    again = lib.add(folder)
    assert (again.added, again.updated) == ((), ())
    assert [(Path(s.path).name, "add the file itself" in s.reason) for s in again.skipped] == [(file, True)]
    assert name not in everything(lib)
    assert lib.add(folder / file).added == (name,)
    assert (lib.add(folder).skipped, name in everything(lib)) == ((), True)


def test_a_file_that_changed_since_it_was_taken_out_comes_back(lib: Library, folder: Path) -> None:
    lib.add(folder)
    lib.remove("desk/a.md")
    old = (folder / "a.md").read_text("utf-8")
    (folder / "a.md").write_text("about zebras")
    assert lib.add(folder).added == ("desk/a.md",)
    (folder / "a.md").write_text(old, "utf-8")
    assert lib.add(folder).updated == ("desk/a.md",)


def test_a_removal_that_was_taken_back_is_forgotten(lib: Library, folder: Path) -> None:
    lib.add(folder)
    lib.take_back(lib.remove("desk/a.md"))
    (folder / "a.md").rename(folder / "away.md")
    lib.add(folder)
    assert "desk/a.md" in everything(lib)
    (folder / "away.md").rename(folder / "a.md")
    assert lib.add(folder).skipped == ()


def test_all_of_a_folder_goes_and_comes_back_as_one(lib: Library, folder: Path) -> None:
    lib.add_note("Other", "stays", content_id="other")
    (folder.parent / "desk2").mkdir()
    (folder.parent / "desk2" / "x.md").write_text("stays too")
    lib.add(folder)
    lib.add(folder.parent / "desk2")
    all_of_it = everything(lib)
    shutil.rmtree(folder)
    back = lib.remove(str(folder))
    assert everything(lib) == {"other", "desk2/x.md"}
    kept = json.loads(json.dumps({"op": back.op, "arguments": back.arguments}))
    again = lib.take_back(Inverse(kept["op"], kept["arguments"]))
    assert everything(lib) == all_of_it
    assert lib.search("badger")[0].title == "Page"
    assert lib.scan("rows").total == 2
    back = lib.take_back(again)
    assert everything(lib) == {"other", "desk2/x.md"}
    lib.add_note("New", "in its place", content_id="desk/a.md")
    with pytest.raises(StaleError):
        lib.take_back(back)
    assert everything(lib) == {"other", "desk2/x.md", "desk/a.md"}


def test_a_folder_that_nothing_came_from_is_no_name(lib: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="Nothing in the library"):
        lib.remove(str(tmp_path))
