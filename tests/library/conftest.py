"""What the library's tests share: an empty library, and an embedder that anyone can follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nephele_nb.library import Library

FIXTURES = Path(__file__).parent.parent / "fixtures" / "library"


class LetterEmbedder:
    """Counts letters: texts that share letters are close. ``dim`` letters of the alphabet have a number each."""

    def __init__(self, name: str = "letters", dim: int = 26) -> None:
        self.id, self.dim = name, dim
        self.seen: list[str] = []

    def _one(self, text: str) -> list[float]:
        return [float(text.casefold().count(chr(97 + i))) + 0.001 for i in range(self.dim)]

    def passages(self, texts: list[str]) -> list[list[float]]:
        self.seen += texts
        return [self._one(text) for text in texts]

    def query(self, text: str) -> list[float]:
        return self._one(text)


@pytest.fixture
def lib(tmp_path: Path) -> Iterator[Library]:
    library = Library(tmp_path / "library", embedder="none")
    yield library
    library.close()
