"""Remembers what the agent's last look at each variable showed, and tells which have changed since; no data is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .fingerprint import Fingerprint, fingerprint

_MOST = 200
GONE: Fingerprint = ("", 0)
_CODE = ("module", "function", "type", "builtin_function_or_method")


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

    def prints(self, names: Iterable[str]) -> dict[str, str]:
        """Return the fingerprints, as text, of those of the names that the agent has looked at and that hold data."""
        known = {name: self._known.get(name, GONE) for name in dict.fromkeys(names)}
        return {f"variable {name}": text(taken) for name, taken in known.items() if taken[0] not in ("", *_CODE)}

    def stale(self, names: Iterable[str], namespace: Mapping[str, Any]) -> list[str]:
        """Return those of the names that are not any more as the agent knows them; it knows nothing of the others."""
        return [n for n in dict.fromkeys(names) if n in self._known and self._known[n] != _taken(n, namespace)]


def text(taken: Fingerprint) -> str:
    """Return a fingerprint as text."""
    return f"{taken[0]}:{taken[1]:08x}"


def _taken(name: str, namespace: Mapping[str, Any]) -> Fingerprint:
    return fingerprint(namespace[name]) if name in namespace else GONE
