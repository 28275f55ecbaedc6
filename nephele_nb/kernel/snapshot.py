"""What stood in a namespace before a run, kept within bounds of memory and time; it never changes anything.

Names are kept all. Contents are kept from the names the code is known to touch outwards, then from the others,
until a bound is met; what a bound cut off is told by name.
"""

from __future__ import annotations

import io
import re
import sys
import time
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .forms import ATOMS, Form, container_form, failure, through
from .objects import MODULE, object_form
from .surroundings import places
from .tables import table_form

KEEP_BYTES = 48 << 20
"""What the copies of one run may take: beside a frame of 1 GB, less than 5 % of it."""
LONGEST_S = 0.035
"""How long the thread may work on a snapshot; with the comparison after it, which takes as long, it is under 0.1 s."""
BLOCK_BYTES = 256 << 20
"""Above this one block of a frame is not held while code writes cells: pandas would copy the whole block for it."""
_SESSION = {
    *("In", "Out", "exit", "quit", "get_ipython", "_", "__", "___"),
    *("_ih", "_oh", "_dh", "_i", "_ii", "_iii", "_exit_code"),
}
_NUMBERED = re.compile(r"_i?\d+|__\w+__")
_OPEN = (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)
_HANDLES = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO)


@dataclass(slots=True)
class Content:
    """One value as it was: ``label`` is the name it was reached from."""

    label: str
    value: Any
    form: Form
    kept: Any


@dataclass(slots=True)
class Snapshot:
    """What was kept. ``cut`` says of names whose contents were not, why."""

    names: dict[str, Any]
    contents: list[Content] = field(default_factory=list)
    cut: dict[str, str] = field(default_factory=dict)
    under_way: list[tuple[str, Any, Any]] = field(default_factory=list)


class Taking:
    """Takes one snapshot."""

    def __init__(self, names: dict[str, Any], changed: Iterable[str], *, writes_cells: bool) -> None:
        self.made = Snapshot(names)
        self._changed = set(changed)
        self._writes_cells = writes_cells
        self._room = KEEP_BYTES
        self._until = time.thread_time() + LONGEST_S
        self._seen: set[int] = {id(names), id(self.made)}
        self._todo: deque[tuple[str, Any]] = deque()

    def take(self, first: Iterable[str]) -> Snapshot:
        """Keep the surroundings, then the contents of the names ``first`` in this order, then of all others."""
        for value, label, form in places():
            self._keep(label, value, form)
        names = self.made.names
        for dotted in self._changed:
            module = sys.modules.get(dotted.rpartition(".")[0])
            if type(module) is types.ModuleType:
                self._keep(dotted, module, MODULE)
        self._follow()
        # What the code touches is followed to the bottom name by name, the rest level by level, all names alike.
        touched = dict.fromkeys(name for name in first if name in names)
        for name in touched:
            self._todo.append((name, names[name]))
            if not self._follow():
                break
        self._todo.extend((name, value) for name, value in names.items() if name not in touched)
        self._follow()
        for name, _ in self._todo:
            self.made.cut.setdefault(name, "there was too much to look at before the run")
        return self.made

    def _follow(self) -> bool:
        count = 0
        while self._todo:
            count += 1
            if count % 32 == 0 and time.thread_time() > self._until:
                return False
            self._meet(*self._todo.popleft())
        return time.thread_time() < self._until

    def _meet(self, label: str, value: Any) -> None:
        kind = type(value)
        if kind in ATOMS or id(value) in self._seen:
            return
        self._seen.add(id(value))
        if kind in _OPEN or kind in _HANDLES or kind is getattr(sys.modules.get("socket"), "socket", None):
            self.made.under_way.append((label, value, progress(value)))
            return
        form = form_of(value)
        if form is None:
            self._queue(label, through(value))
        else:
            self._keep(label, value, form)

    def _keep(self, label: str, value: Any, form: Form | None) -> None:
        form = form or form_of(value)
        self._seen.add(id(value))
        if form is not None and (reason := failure(lambda: self._copy(label, value, form))):
            self.made.cut[label] = f"it can't be looked at ({reason})"

    def _copy(self, label: str, value: Any, form: Form) -> None:
        size = form.size(value)
        if size > self._room:
            self.made.cut[label] = f"it is too large to keep a copy of ({size >> 20} MB)"
        elif self._writes_cells and label in self._changed and largest_block(value) > BLOCK_BYTES:
            self.made.cut[label] = f"keeping it would make pandas copy {largest_block(value) >> 20} MB at a write"
        else:
            self._room -= size
            self.made.contents.append(Content(label, value, form, form.copy(value)))
        self._queue(label, form.parts(value))

    def _queue(self, label: str, parts: Iterable[Any]) -> None:
        several = parts if isinstance(parts, list) else list(parts)
        if set(map(type, several)) <= ATOMS:
            return
        self._todo.extend((label, part) for part in several if type(part) not in ATOMS)


def form_of(value: Any) -> Form | None:
    """Return the form of a value that can change in place and that we know how to put back; None for all others."""
    return container_form(value) or table_form(value) or object_form(value)


def largest_block(value: Any) -> int:
    """Return the bytes of the largest block of a frame, 0 for anything else."""
    pandas = sys.modules.get("pandas")
    if pandas is None or type(value) not in (getattr(pandas, "DataFrame", None), getattr(pandas, "Series", None)):
        return 0
    by_kind: dict[str, int] = {}
    dtypes = value.dtypes if value.ndim == 2 else [value.dtype]
    for dtype in dtypes:
        by_kind[str(dtype)] = by_kind.get(str(dtype), 0) + len(value) * int(getattr(dtype, "itemsize", 8))
    return max(by_kind.values(), default=0)


def progress(value: Any) -> Any:
    """Return how far a generator or coroutine has come, or whether a file or socket is closed."""
    if type(value) in _HANDLES:
        return value.closed
    if type(value) not in _OPEN:
        return value.fileno() == -1
    frame = getattr(value, "gi_frame", None) or getattr(value, "cr_frame", None) or getattr(value, "ag_frame", None)
    return None if frame is None else frame.f_lasti


def lost(value: Any) -> str:
    """Return why what ``progress`` tells can't be put back."""
    if type(value) in _OPEN:
        return "a generator that was advanced can't be wound back"
    return "what was closed can't be opened again from here"


def visible(namespace: Mapping[str, Any], hidden: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names that are the user's own, those with an underscore too, IPython's left out."""
    for name, value in list(namespace.items()):
        if type(name) is str and not _is_session(name) and not (name in hidden and hidden[name] is value):
            yield name, value


def _is_session(name: str) -> bool:
    return name in _SESSION or _NUMBERED.fullmatch(name) is not None
