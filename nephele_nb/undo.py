"""Takes back a round's operations, newest first, by the inverses the journal holds; it never guesses one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    the library's. What was brought back by undoing an undo counts as the round again. What could not be taken back
    is tried again when its round is named again, and so is what a round that runs has done since.
    """
    known, undone = journal.worked(), journal.undone
    if round_id is None:
        open_rounds = (r for r in reversed(known) if r not in undone and not _is_undo(r))
        found = next((r for r in open_rounds if any(map(undoable, journal.untaken(r).values()))), "")
    else:
        found = next((r for r in reversed(_again(round_id, known)) if journal.untaken(r)), "")
    if not found:
        raise NepheleError(f"Nothing to undo in round {round_id!r}." if round_id else "There is nothing to undo.")
    undoing = _Undoing(found, library, organs)
    seen = len(journal.operations(found))
    try:
        for place, operation in reversed(journal.untaken(found).items()):
            undoing.apply(place, operation)
    finally:  # an interrupt may end it in the middle
        journal.mark_undone(found, undoing.taken, seen)
        for operation in undoing.again:
            journal.operation(operation)
    return undoing.report()


def undoable(operation: Operation) -> bool:
    """Tell whether an operation left something that can be put back."""
    return operation.inverse is not None and operation.inverse.op != NOTHING


def _again(round_id: str, known: Sequence[str]) -> list[str]:
    """Return a round's id, and those under which it was brought back since, in order."""
    ids = [round_id]
    while ids[-1] + UNDO + UNDO in known:
        ids.append(ids[-1] + UNDO + UNDO)
    return ids


def _is_undo(round_id: str) -> bool:
    return round_id.count(UNDO) % 2 == 1


@dataclass(slots=True)
class _Undoing:
    """The undo of one round: what was put back so far, what was left, and what can be undone of that in turn."""

    round_id: str
    library: Callable[[], Library]
    organs: Mapping[str, TakeBack]
    taken: list[int] = field(default_factory=list)
    again: list[Operation] = field(default_factory=list)
    _restored: list[str] = field(default_factory=list)
    _left: list[NotRestored] = field(default_factory=list)

    def report(self) -> UndoReport:
        """Return what was done."""
        undo_id = self.round_id + UNDO if self.again else ""
        return UndoReport(self.round_id, tuple(self._restored), tuple(self._left), undo_id)

    def apply(self, place: int, operation: Operation) -> None:
        """Apply the inverse of one operation, the one at ``place`` in its round."""
        name = f"{operation.tool}: {operation.summary}".rstrip(": ")
        try:
            done = self._put_back(operation.inverse)
        except NepheleError as error:
            self._left.append(NotRestored(name, str(error)))
            return
        self.taken.append(place)
        if isinstance(done, TakenBack):
            self._left += [NotRestored(f"{name} ({what})", reason) for what, reason in done.left]
            self._restored += [f"{name} ({', '.join(done.restored)})"] if done.restored else []
            done = done.inverse
        else:
            self._restored.append(name)
        if done is not None:
            undo_id = self.round_id + UNDO
            self.again.append(replace(operation, round_id=undo_id, inverse=done, time=time.time()))

    def _put_back(self, inverse: Inverse | None) -> TakenBack | Inverse | None:
        if inverse is None:
            raise NepheleError("nothing was recorded that could be put back")
        organ, dot, _ = inverse.op.partition(".")
        if not dot:
            return self.library().take_back(inverse)
        if organ not in self.organs:
            raise NepheleError(f"nothing here knows how to apply {inverse.op!r}")
        return self.organs[organ](inverse)
