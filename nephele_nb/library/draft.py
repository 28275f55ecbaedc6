"""A note on its way into the library, with the names that a link may call it by; it is written by notes.py alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from .words import normal


@dataclass(frozen=True, slots=True)
class Draft:
    """A note (or the description of a table) on its way into the library. Times are Unix seconds."""

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

    @property
    def names(self) -> list[str]:
        """What a link may call it."""
        names = [normal(self.title)]
        if self.path:
            names += [normal(PurePath(self.path).stem), f"path:{self.path}"]
        return list(dict.fromkeys(n for n in names if n))
