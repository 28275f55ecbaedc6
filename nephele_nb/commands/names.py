"""What a name in a command means: a table or a note of the library, or a data frame; it changes none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..errors import LibraryError, ToolError, nearest
from ..strings import Strings

if TYPE_CHECKING:
    from ..library import Library

LIVE = "live:"
"""What a name begins with to mean the notebook's variable where a table has that name too."""
MOST_NAMES = 20
Kind = Literal["note", "table", "frame"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a name means; ``value`` is the data frame itself."""

    kind: Kind
    name: str
    title: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Names:
    """Finds what a name means; blocks for as long as the library takes to open."""

    library: Callable[[], Library]
    lookup: Callable[[str], object | None]

    def find(self, wants: str, name: str) -> Found | None:
        """Return what bears the name: ``wants`` is "note", "table", "item" (either) or "frame" (a table or a frame)."""
        if wants == "frame" and name.startswith(LIVE):
            return self._frame(name.removeprefix(LIVE))
        found = self._table(name) if wants != "note" else None
        if found is None and wants in ("note", "item"):
            found = self._note(name)
        return found or (self._frame(name) if wants == "frame" else None)

    def table_or_frame(self, name: str, say: Strings) -> Found:
        """Return the table or the data frame of that name; raises ToolError that names those there are."""
        found = self.find("frame", name)
        if found is None:
            raise ToolError(
                say("no_table", name=name, nearest=nearest(name, self.library().tables()), names=self._listed(say))
            )
        return found

    def twin(self, found: Found) -> bool:
        """Tell whether the notebook has a data frame of a table's name."""
        return found.kind == "table" and self._frame(found.name) is not None

    def _listed(self, say: Strings) -> str:
        names = list(self.library().tables())
        more = f", … ({len(names)})" if len(names) > MOST_NAMES else ""
        return ", ".join(names[:MOST_NAMES]) + more if names else say("none_yet")

    def _table(self, name: str) -> Found | None:
        name = name.removeprefix("table:")
        library = self.library()
        if not library.has_table(name):
            every = {table.casefold(): table for table in self.library().tables()}
            name = every.get(name.casefold(), "")
        return Found("table", name, name) if name else None

    def _note(self, name: str) -> Found | None:
        try:
            note = self.library().read(name)
        except LibraryError:
            return None
        return None if note.content_id.startswith("table:") else Found("note", note.content_id, note.title)

    def _frame(self, name: str) -> Found | None:
        from ..library.live import look

        value = self.lookup(name) if name.isidentifier() else None
        if value is None:
            return None
        try:
            look(name, value)
        except LibraryError:
            return None
        return Found("frame", name, name, value)
