"""Remembers the files whose notes somebody took out, so that adding their folder doesn't bring them back."""

from __future__ import annotations

from collections.abc import Iterable

from .schema import META, digest
from .store import Row, Store, any_of

_NAMED = "left out:"


def remember(store: Store, rows: Iterable[Row]) -> None:
    """Note down which files these notes and tables came from, and what was in them."""
    store.upsert(META, [{"key": key, "value": row["hash"]} for key, row in {_key(r): r for r in rows}.items() if key])


def forget(store: Store, paths: Iterable[str]) -> None:
    """Let these files be taken in again with their folder."""
    if keys := [_NAMED + digest(path) for path in paths if path]:
        store.delete(META, any_of("key", keys))


class LeftOut:
    """The files that were left out when this was read."""

    def __init__(self, store: Store) -> None:
        self._held = {r["key"]: r["value"] for r in store.rows(META, ["key", "value"], f"starts_with(key, '{_NAMED}')")}

    def has(self, path: str, mark: str) -> bool:
        """Say whether what this file holds was taken out of the library and the file is unchanged since."""
        return self._held.get(_NAMED + digest(path)) == mark

    def knows(self, path: str) -> bool:
        """Say whether this file was left out, whatever it holds by now."""
        return _NAMED + digest(path) in self._held


def _key(row: Row) -> str:
    return _NAMED + digest(row["path"]) if row["path"] else ""
