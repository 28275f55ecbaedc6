"""Folders of cards: an empty one, and one that holds cards from many editors."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nephele_nb.memory import Memory

CARDS = Path(__file__).parent.parent / "fixtures" / "cards"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "home" / "memory")


@pytest.fixture
def old(tmp_path: Path) -> Memory:
    """Return a memory that holds cards from many editors."""
    folder = tmp_path / "memory"
    shutil.copytree(CARDS, folder, ignore=shutil.ignore_patterns(".*"))
    return Memory(folder)
