"""Takes back a round's operations, newest first, by the inverses the journal holds; it never guesses one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .errors import LibraryError, StaleError
from .journal import Operation

if TYPE_CHECKING:
    from .library import Library


@dataclass(frozen=True, slots=True)
class NotRestored:
    """One operation that was left as it is, and why."""

    operation: str
    reason: str


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What was taken back, and what was not."""

    round_id: str
    restored: tuple[str, ...] = ()
    not_restored: tuple[NotRestored, ...] = ()


def undo(round_id: str, operations: Sequence[Operation], library: Callable[[], Library]) -> UndoReport:
    """Apply the inverses of one round's operations, newest first."""
    restored: list[str] = []
    left: list[NotRestored] = []
    for operation in reversed(operations):
        name = f"{operation.tool}: {operation.summary}".rstrip(": ")
        if operation.inverse is None:
            left.append(NotRestored(name, "how to take it back was not recorded"))
            continue
        try:
            INVERSES[operation.inverse.op](library(), operation.inverse.arguments)
            restored.append(name)
        except KeyError:
            left.append(NotRestored(name, f"this version can't apply {operation.inverse.op!r}"))
        except LibraryError as error:
            left.append(NotRestored(name, str(error)))
    return UndoReport(round_id, tuple(restored), tuple(left))


def _remove_note(library: Library, arguments: Mapping[str, Any]) -> None:
    note = library.read(arguments["content_id"])
    if note.text != arguments["text"]:
        raise StaleError(f"the note {note.title!r} was changed since; it was left alone")
    library.remove(note.content_id)


INVERSES: dict[str, Callable[[Library, Mapping[str, Any]], None]] = {"remove_note": _remove_note}
