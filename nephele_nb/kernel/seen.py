"""Remembers what the agent's last look at each variable showed, and tells which have changed since; no data is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .fingerprint import Fingerprint, fingerprint

_MOST = 200
GONE: Fingerprint = ("", 0)


class Seen:
    """The variables of one namespace as the agent knows them."""

    def __init__(self) -> None:
        self._known: dict[str, Fingerprint] = {}

    def look(self, names: Iterable[str], namespace: Mapping[str, Any]) -> None:
        """Note that the agent knows these variables as they are now."""
        for name in names:
            self._known.pop(name, None)
            self._known[name] = _taken(name, namespace)
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]

    def stale(self, names: Iterable[str], namespace: Mapping[str, Any]) -> list[str]:
        """Return those of the names that are not any more as the agent knows them; it knows nothing of the others."""
        return [n for n in dict.fromkeys(names) if n in self._known and self._known[n] != _taken(n, namespace)]


def _taken(name: str, namespace: Mapping[str, Any]) -> Fingerprint:
    return fingerprint(namespace[name]) if name in namespace else GONE
