"""The user's own notes and tables, by whatever searches them; both can be cited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ..threads import in_thread
from ..types import Hit
from ..types import Source as Opened
from .reference import Reference

Search = Callable[[str, int, Sequence[str]], Sequence[Hit]]
"""Gives the hits of a query, at most so many, among notes or tables (kinds)."""


class _Own:
    """Searches one kind of what the library holds."""

    name: str
    kind: Literal["note", "table"]
    online = False

    def __init__(self, search: Search) -> None:
        self._search = search

    async def find(self, query: str, count: int) -> list[Reference]:
        """Return hits as references, best first."""
        hits = await in_thread(lambda: self._search(query, count, [self.kind]))
        return [self._reference(hit) for hit in hits]

    def _reference(self, hit: Hit) -> Reference:
        table = hit.title if self.kind == "table" else None
        opened = Opened(0, self.kind, hit.content_id, hit.title, hit.span, table=table)
        return Reference(self.kind, hit.title, (self.name,), snippet=" ".join(hit.text.split()), opened=opened)


class Notes(_Own):
    """Searches the notes."""

    name, kind = "notes", "note"


class Tables(_Own):
    """Searches the tables."""

    name, kind = "tables", "table"
