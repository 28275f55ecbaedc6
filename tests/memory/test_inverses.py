"""Changes of cards are taken back to the byte, and never over what somebody did since."""

from __future__ import annotations

from pathlib import Path

import pytest

from nephele_nb.errors import NepheleError
from nephele_nb.memory import Memory
from nephele_nb.types import Inverse

FILES = sorted((Path(__file__).parent.parent / "fixtures" / "cards").glob("*.md"))


def test_each_change_is_taken_back_and_that_too(memory: Memory) -> None:
    created = memory.save("Plots", "s", "user", "b")
    before = (memory.folder / "plots.md").read_bytes()
    changed = memory.save("Plots", "new", "user", "b", "plots")
    after = (memory.folder / "plots.md").read_bytes()
    removed = memory.remove("plots")
    assert created.inverse is not None
    assert changed.inverse is not None
    assert removed.inverse is not None
    again = memory.take_back(removed.inverse)
    assert (memory.folder / "plots.md").read_bytes() == after
    memory.take_back(memory.take_back(again))
    redo = memory.take_back(changed.inverse)
    assert (memory.folder / "plots.md").read_bytes() == before
    memory.take_back(redo)
    assert (memory.folder / "plots.md").read_bytes() == after
    memory.take_back(changed.inverse)
    memory.take_back(created.inverse)
    assert memory.list() == []


def test_a_deleted_file_of_any_bytes_comes_back(old: Memory) -> None:
    for path in FILES:
        removed = old.remove(path.stem)
        assert removed.inverse is not None
        old.take_back(removed.inverse)
        assert (old.folder / path.name).read_bytes() == path.read_bytes()


def test_what_somebody_changed_since_is_not_taken_back(memory: Memory) -> None:
    created = memory.save("Plots", "s", "user", "b").inverse
    assert created is not None
    path = memory.folder / "plots.md"
    path.write_text("by hand", "utf-8")
    with pytest.raises(NepheleError, match="changed since"):
        memory.take_back(created)
    removed = memory.remove("plots").inverse
    assert removed is not None
    with pytest.raises(NepheleError, match="deleted since"):
        memory.take_back(created)
    memory.write("Plots", "s", "user", "b")
    with pytest.raises(NepheleError, match="this name again"):
        memory.take_back(removed)
    assert len(memory.list()) == 1


@pytest.mark.parametrize(
    "inverse",
    [
        Inverse("memory.restore", {"file": "../x.md", "left": None, "text": "x"}),
        Inverse("memory.restore", {"file": "..\\x.md", "left": None, "text": "x"}),
        Inverse("memory.restore", {"file": "x.py", "left": None, "text": "x"}),
        Inverse("memory.restore", {"left": None, "text": "x"}),
        Inverse("memory.burn", {"file": "x.md", "left": None}),
    ],
)
def test_a_forged_inverse_reaches_nothing(memory: Memory, inverse: Inverse) -> None:
    memory.folder.mkdir(parents=True)
    with pytest.raises(NepheleError):
        memory.take_back(inverse)
    assert [p for p in memory.folder.parent.rglob("*") if p.suffix in (".md", ".py")] == []
