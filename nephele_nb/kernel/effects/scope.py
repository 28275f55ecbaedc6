"""Where names of the analysed code stand: bound by it, live in the namespace, or built in; it never binds for real."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from .catalogue import TRUSTED
from .report import Found
from .values import ABSENT, UNKNOWN, Value, of_live

_SILENT = {"get_ipython", "display", "In", "Out", "exit", "quit", "__name__", "__file__", "__doc__"}
_BUILTINS = vars(builtins)


class Scope:
    """One level of names. ``label`` is empty for the user's namespace, else the module that its globals belong to."""

    def __init__(
        self,
        found: Found,
        space: Mapping[str, Any],
        *,
        parent: Scope | None = None,
        label: str = "",
        comprehension: bool = False,
    ) -> None:
        self.found = found
        self.space = space
        self.parent = parent
        self.label = label
        self.comprehension = comprehension
        self.names: dict[str, Value] = {}
        self.declared: set[str] = set()
        self.returned: list[Value] = []
        self._maybe: set[str] = set()

    def inner(self, *, comprehension: bool = False) -> Scope:
        """Return a new level inside this one."""
        return Scope(self.found, self.space, parent=self, label=self.label, comprehension=comprehension)

    @property
    def outermost(self) -> Scope:
        """The level of the globals."""
        return self if self.parent is None else self.parent.outermost

    def read(self, name: str) -> Value:
        """Return what a name stands for, and note that it is read where the user has it."""
        if name in self.names and name not in self.declared:
            if self.parent is None and name in self._maybe:
                self._note_read(name)
            return self.names[name]
        if self.parent is not None:
            return self.parent.read(name)
        return self._global(name)

    def _global(self, name: str) -> Value:
        live = self.space.get(name, ABSENT)
        if live is ABSENT or name in _SILENT:
            if name in _BUILTINS or name in _SILENT:
                return Value("callable", dotted=name, live=_BUILTINS.get(name, ABSENT))
            self._note_read(name)
            return replace(UNKNOWN, roots=frozenset({name}))
        value = of_live(live, TRUSTED)
        if self.label:
            return value if value.kind in ("module", "callable") else replace(value, dotted=f"{self.label}.{name}")
        if value.kind == "module":
            return value
        if value.kind == "callable":
            if value.dotted.startswith(f"{self.space.get('__name__', '__main__')}."):
                self._note_read(name)
                return replace(value, roots=frozenset({name}))
            return value
        self._note_read(name)
        return replace(value, roots=frozenset({name}))

    def _note_read(self, name: str) -> None:
        if not self.label and name not in _SILENT:
            self.found.add("reads", name)

    def bind(self, name: str, value: Value) -> None:
        """Bind a name where Python would."""
        if self.comprehension and self.parent is not None and name not in self.names:
            self.parent.bind(name, value)
        elif self.parent is None:
            if not self.label:
                self.found.add("writes", name)
            self.names[name] = value
            self._maybe.discard(name)
        elif name in self.declared:
            self.outermost.bind(name, value)
        else:
            self.names[name] = value

    def hold(self, name: str, value: Value) -> None:
        """Bind a name at this very level: a parameter, or a target of a comprehension."""
        self.names[name] = value

    def delete(self, name: str) -> None:
        """Take a name away."""
        level = self.outermost if name in self.declared else self
        if level.parent is None and not level.label:
            self.found.add("deletes", name)
        level.names.pop(name, None)

    def join(self, before: Mapping[str, Value], ends: Iterable[Mapping[str, Value]]) -> None:
        """Go on with what one of several ways has left, whichever it was."""
        ways = list(ends)
        for name in dict.fromkeys(n for way in ways for n in way):
            values = [way[name] for way in ways if name in way]
            if len(values) < len(ways) and name not in before:
                self._maybe.add(name)
            self.names[name] = either(values)


def either(values: Iterable[Value]) -> Value:
    """Return what is common to values of which one will be the case, with the roots of all."""
    several = list(values)
    if not several:
        return UNKNOWN
    first = several[0]
    if all(v is first for v in several[1:]):
        return first
    kind = first.kind if all(v.kind == first.kind for v in several) else ""
    return Value(kind, first.roots.union(*(v.roots for v in several)), first.inner.union(*(v.inner for v in several)))
