"""Takes back a round's operations, newest first, by the inverses the journal holds; it never guesses one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from .errors import NepheleError
from .journal import Journal, Operation
from .types import Inverse

if TYPE_CHECKING:
    from .library import Library

TakeBack = Callable[[Inverse], Inverse | None]
"""Applies one inverse, and returns how that can be taken back in turn, if it can; raises NepheleError with why not."""
NONE: Mapping[str, TakeBack] = MappingProxyType({})


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


def take_back(
    journal: Journal, round_id: str | None, library: Callable[[], Library], organs: Mapping[str, TakeBack] = NONE
) -> UndoReport:
    """Undo one round, the last that has operations left if none is named; raises NepheleError where there is none.

    An inverse is the organ's whose name stands before the dot of its ``op`` (``memory.delete``); one without a dot is
    the library's.
    """
    known = journal.worked()
    if round_id is None:
        open_rounds = (r for r in reversed(known) if r not in journal.undone)
        round_id = next((r for r in open_rounds if any(o.inverse for o in journal.operations(r))), "")
    if round_id not in known or round_id in journal.undone:
        raise NepheleError(f"Nothing to undo in round {round_id!r}." if round_id else "There is nothing to undo.")
    report = undo(round_id, journal.operations(round_id), library, organs)
    journal.mark_undone(round_id)
    return report


def undo(
    round_id: str,
    operations: Sequence[Operation],
    library: Callable[[], Library],
    organs: Mapping[str, TakeBack] = NONE,
) -> UndoReport:
    """Apply the inverses of one round's operations, newest first."""
    restored: list[str] = []
    left: list[NotRestored] = []
    for operation in reversed(operations):
        name = f"{operation.tool}: {operation.summary}".rstrip(": ")
        if operation.inverse is None:
            left.append(NotRestored(name, "how to take it back was not recorded"))
            continue
        organ, dot, _ = operation.inverse.op.partition(".")
        if dot and organ not in organs:
            left.append(NotRestored(name, f"nothing here knows how to apply {operation.inverse.op!r}"))
            continue
        try:
            if dot:
                organs[organ](operation.inverse)
            else:
                library().take_back(operation.inverse)
            restored.append(name)
        except NepheleError as error:
            left.append(NotRestored(name, str(error)))
    return UndoReport(round_id, tuple(restored), tuple(left))
