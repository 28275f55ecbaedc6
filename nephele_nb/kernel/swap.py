"""Puts attributes in the place of others for a while; it never leaves one behind.

Several threads may hold the same attribute at once and let go of it in any order: each takes out its own value
only, and the original comes back with the last.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

ABSENT = object()


class _Layer:
    """One value that stands in an attribute, and what was beneath it when it was taken out."""

    def __init__(self, *, above: bool) -> None:
        self.value: Any = ABSENT
        self.above = above
        self.last_beneath: Any = ABSENT


class _Place:
    """One attribute of one owner: the original, then all that stands in for it, the topmost last."""

    def __init__(self, owner: Any, name: str) -> None:
        self._owner, self._name = owner, name
        self._original = vars(owner).get(name, ABSENT)
        self._layers: list[_Layer] = []

    @property
    def empty(self) -> bool:
        return not self._layers

    def put(self, layer: _Layer) -> None:
        where = [i for i, other in enumerate(self._layers) if other.above and not layer.above]
        self._layers.insert(where[0] if where else len(self._layers), layer)
        self._show()

    def take(self, layer: _Layer) -> None:
        layer.last_beneath = self.beneath(layer)
        self._layers.remove(layer)
        self._show()

    def beneath(self, layer: _Layer) -> Any:
        if layer not in self._layers:
            return layer.last_beneath
        lower = self._layers[: self._layers.index(layer)]
        return lower[-1].value if lower else self._original

    def _show(self) -> None:
        value = self._layers[-1].value if self._layers else self._original
        if value is not ABSENT:
            setattr(self._owner, self._name, value)
        elif self._name in vars(self._owner):
            delattr(self._owner, self._name)


_lock = threading.RLock()
_places: dict[tuple[int, str], _Place] = {}


@contextmanager
def swapped(owner: Any, **values: Any) -> Iterator[None]:
    """Set attributes of a module or object, and afterwards put back or take away what was in its own dictionary."""
    with ExitStack() as stack:
        for name, value in values.items():
            stack.enter_context(_standing(owner, name, partial(_always, value), above=False))
        yield


def _always(value: Any, _beneath: Callable[[], Any]) -> Any:
    return value


@contextmanager
def covered(owner: Any, name: str, make: Callable[[Callable[[], Any]], Any]) -> Iterator[None]:
    """Put ``make(beneath)`` above all that is only swapped; ``beneath()`` gives what it stands for, or ABSENT.

    For a value that chooses at each use whether it or what is beneath it answers, so that threads don't see each
    other's.
    """
    with _standing(owner, name, make, above=True):
        yield


@contextmanager
def _standing(owner: Any, name: str, make: Callable[[Callable[[], Any]], Any], *, above: bool) -> Iterator[None]:
    layer = _Layer(above=above)
    key = (id(owner), name)
    with _lock:
        place = _places.get(key) or _places.setdefault(key, _Place(owner, name))

        def beneath() -> Any:
            with _lock:
                return place.beneath(layer)

        layer.value = make(beneath)
        place.put(layer)
    try:
        yield
    finally:
        with _lock:
            place.take(layer)
            if place.empty:
                _places.pop(key, None)
