"""A note on its way into the library, with the names that a link may call it by; it is written by notes.py alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from ..errors import LibraryError
from .literals import half_character
from .words import normal


@dataclass(frozen=True, slots=True)
class Draft:
    """A note (or the description of a table) on its way into the library. Times are Unix seconds.

    Raises LibraryError for what no note can hold, before anything is written.
    """

    content_id: str
    title: str
    text: str
    tags: tuple[str, ...] = ()
    kind: str = "note"
    path: str = ""
    root: str = ""
    hash: str = ""
    created: float = 0.0
    updated: float = 0.0

    def __post_init__(self) -> None:
        """Check what a caller gave."""
        tags = [("tag", tag) for tag in self.tags]
        for what, value in (("title", self.title), ("text", self.text), ("content id", self.content_id), *tags):
            if not isinstance(value, str):
                raise LibraryError(f"A note's {what} is text, not {type(value).__name__} ({value!r}).")
            if fault := half_character(value):
                raise LibraryError(f"A note's {what} {fault}")
        if fault := half_character(self.path):
            raise LibraryError(f"The file's name {fault}")

    @property
    def names(self) -> list[str]:
        """What a link may call it."""
        names = [normal(self.title)]
        if self.path:
            names += [normal(PurePath(self.path).stem), f"path:{self.path}"]
        return list(dict.fromkeys(n for n in names if n))
