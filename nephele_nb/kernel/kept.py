"""Holds what runs have changed, by number and within bounds, and puts it back on request; gone with the kernel."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ..errors import NepheleError
from ..types import Inverse
from .changes import Changes, put_back
from .objects import module_of

RESTORE = "kernel.restore"
NOTHING = "kernel.nothing"
"""Stands in the journal for code after which nothing can be put back, with what it did and why that stays."""
MOST_RUNS = 50
HOLD_BYTES = 1 << 30
"""What former values that nobody else holds may take over all runs: one large frame's worth; the oldest go first."""
GONE = "what the kernel held of it is gone: the kernel was restarted, or newer runs needed the room"


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was put back, what was left and why, and how to take this in turn back."""

    restored: tuple[str, ...]
    left: tuple[tuple[str, str], ...]
    inverse: Inverse | None


class Kept:
    """The changes of the newest runs."""

    def __init__(self, namespace: Callable[[], dict[str, Any]]) -> None:
        self._namespace = namespace
        self._runs: OrderedDict[str, Changes] = OrderedDict()

    def add(self, changes: Changes, *, under_way: bool = False) -> Inverse | None:
        """Hold the changes of a run, and return how to take them back; None where it changed nothing.

        Those of a run that is still under way, because it can't be interrupted, are held whatever they will be.
        """
        if not (changes.any or under_way):
            return Inverse(NOTHING, {"left": [list(pair) for pair in changes.beyond]}) if changes.beyond else None
        key = uuid4().hex[:12]
        self._runs[key] = changes
        self._make_room()
        return Inverse(RESTORE, {"run": key})

    def take_back(self, inverse: Inverse) -> TakenBack:
        """Put back what one run changed, on the thread where code runs; raises NepheleError where that is gone."""
        if inverse.op == NOTHING:
            left = inverse.arguments.get("left", ())
            return TakenBack((), tuple((str(what), str(reason)) for what, reason in left), None)
        key = str(inverse.arguments.get("run"))
        changes = self._runs.pop(key, None)
        if changes is None:
            raise NepheleError(GONE)
        done = put_back(changes, self._namespace())
        return TakenBack(tuple(done.restored), tuple(done.left), self.add(done.changes))

    def _make_room(self) -> None:
        while len(self._runs) > MOST_RUNS or (len(self._runs) > 1 and self._size() > HOLD_BYTES):
            self._runs.popitem(last=False)

    def _size(self) -> int:
        return sum(_size_of(value) for changes in self._runs.values() for value in changes.held())


def _size_of(value: Any) -> int:
    pandas = sys.modules.get("pandas")
    if pandas is not None and type(value) in (pandas.DataFrame, pandas.Series):
        used = value.memory_usage(index=False, deep=False)
        return int(used.sum() if value.ndim == 2 else used)
    size = getattr(value, "nbytes", None) if module_of(type(value)) in ("numpy", "pyarrow.lib") else None
    return size if isinstance(size, int) else sys.getsizeof(value, 0)
