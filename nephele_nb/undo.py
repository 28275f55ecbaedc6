"""Takes back a round's operations, newest first, by the inverses the journal holds; it never guesses one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from .errors import NepheleError
from .journal import Journal, Operation
from .kernel.kept import NOTHING, TakenBack
from .types import Inverse

if TYPE_CHECKING:
    from .library import Library

TakeBack = Callable[[Inverse], TakenBack | Inverse | None]
"""Applies one inverse, and returns how that can be taken back in turn, if it can; raises NepheleError with why not."""
NONE: Mapping[str, TakeBack] = MappingProxyType({})
UNDO = ".undo"
"""Ends the id under which the undo of a round is recorded, so that it can be undone as a round can."""


@dataclass(frozen=True, slots=True)
class NotRestored:
    """One operation that was left as it is, and why."""

    operation: str
    reason: str


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What was taken back, and what was not; ``undo_id`` names this undo, empty where it can't be undone itself."""

    round_id: str
    restored: tuple[str, ...] = ()
    not_restored: tuple[NotRestored, ...] = ()
    undo_id: str = ""


def take_back(
    journal: Journal, round_id: str | None, library: Callable[[], Library], organs: Mapping[str, TakeBack] = NONE
) -> UndoReport:
    """Undo one round, the last that has operations left if none is named; raises NepheleError where there is none.

    An inverse is the organ's whose name stands before the dot of its ``op`` (``memory.delete``); one without a dot is
    the library's. What was brought back by undoing an undo counts as the round again.
    """
    known = journal.worked()
    if round_id is None:
        open_rounds = (r for r in reversed(known) if r not in journal.undone and not _is_undo(r))
        round_id = next((r for r in open_rounds if any(map(undoable, journal.operations(r)))), "")
    while round_id in journal.undone and round_id + UNDO + UNDO in known:
        round_id += UNDO + UNDO
    if round_id not in known or round_id in journal.undone:
        raise NepheleError(f"Nothing to undo in round {round_id!r}." if round_id else "There is nothing to undo.")
    report, inverses = _undo(round_id, journal.operations(round_id), library, organs)
    journal.mark_undone(round_id)
    for operation in inverses:
        journal.operation(operation)
    return replace(report, undo_id=round_id + UNDO if inverses else "")


def undoable(operation: Operation) -> bool:
    """Tell whether an operation left something that can be put back."""
    return operation.inverse is not None and operation.inverse.op != NOTHING


def _is_undo(round_id: str) -> bool:
    return round_id.count(UNDO) % 2 == 1


def _undo(
    round_id: str, operations: Sequence[Operation], library: Callable[[], Library], organs: Mapping[str, TakeBack]
) -> tuple[UndoReport, list[Operation]]:
    """Apply the inverses of one round's operations, newest first, and return what can be undone of that in turn."""

    def in_library(inverse: Inverse) -> None:
        library().take_back(inverse)

    restored: list[str] = []
    left: list[NotRestored] = []
    again: list[Operation] = []
    for operation in reversed(operations):
        name = f"{operation.tool}: {operation.summary}".rstrip(": ")
        if operation.inverse is None:
            left.append(NotRestored(name, "nothing was recorded that could be put back"))
            continue
        organ, dot, _ = operation.inverse.op.partition(".")
        if dot and organ not in organs:
            left.append(NotRestored(name, f"nothing here knows how to apply {operation.inverse.op!r}"))
            continue
        try:
            done = (organs[organ] if dot else in_library)(operation.inverse)
        except NepheleError as error:
            left.append(NotRestored(name, str(error)))
            continue
        if isinstance(done, TakenBack):
            left += [NotRestored(f"{name} ({what})", reason) for what, reason in done.left]
            restored += [f"{name} ({', '.join(done.restored)})"] if done.restored else []
            done = done.inverse
        else:
            restored.append(name)
        if done is not None:
            again.append(replace(operation, round_id=round_id + UNDO, inverse=done, time=time.time()))
    return UndoReport(round_id, tuple(restored), tuple(left)), again
