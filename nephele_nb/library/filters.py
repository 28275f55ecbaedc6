"""Turns what a caller asked of their notes (kind, tag, folder, day) into a Lance filter; it reads nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time
from os import PathLike, fspath

from ..errors import LibraryError, nearest
from .schema import NOTES
from .store import Store, any_of, literal, none_of
from .words import normal

KINDS = ("note", "table")
_FARTHEST = 1e15
When = str | float | date | datetime | None


def passage_filter(
    store: Store,
    kinds: Sequence[str] | None,
    tags: Sequence[str] | None,
    folder: str | PathLike[str] | None,
    since: When,
    until: When,
) -> str | None:
    """Return the filter over passages for what a caller asked of their notes, or None for all.

    All given tags must be there; a note counts from ``created`` to ``updated``; a day given as ``until`` is included.
    """
    parts = [any_of("kind", known(kinds, KINDS))] if kinds else []
    parts += [f"array_has(tag_keys, {literal(normal(t).lstrip('#'))})" for t in texts("tag", tags or ())]
    if folder:
        if not isinstance(folder, str | PathLike):
            raise LibraryError(f"A folder is text or a path, not {folder!r}.")
        inside = literal(fspath(folder).rstrip("/") + "/")
        parts.append(f"(starts_with(content_id, {inside}) OR starts_with(path, {inside}))")
    if since is not None:
        parts.append(f"updated >= {literal(_moment(since, time.min))}")
    if until is not None:
        parts.append(f"created <= {literal(_moment(until, time.max))}")
    if not parts:
        return None
    test = " AND ".join(parts)
    found = [r["content_id"] for r in store.rows(NOTES, ["content_id"], test)]
    if 2 * len(found) <= store.count(NOTES):
        return any_of("content_id", found)
    return none_of("content_id", (r["content_id"] for r in store.rows(NOTES, ["content_id"], f"NOT ({test})")))


def texts(what: str, given: Sequence[str]) -> list[str]:
    """Return one text or several as a list; raises LibraryError for what is no text."""
    listed: list[object] = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    for word in listed:
        if not isinstance(word, str):
            raise LibraryError(f"A {what} is text, not {word!r}.")
    return [word for word in listed if isinstance(word, str)]


def known(given: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Return one kind or several as a list; raises LibraryError, naming the nearest, for one that isn't there."""
    listed = texts("kind", given)
    for kind in listed:
        if kind not in kinds:
            raise LibraryError(f"The library has no kind {kind!r}{nearest(kind, kinds)}. Kinds: {', '.join(kinds)}.")
    return listed


def _moment(when: str | float | date | datetime, edge: time) -> float:
    """Return a moment as Unix seconds; a day is its first or last moment, and without a zone UTC is meant."""
    if isinstance(when, str):
        return _moment(_read(when), edge)
    if isinstance(when, int | float) and not isinstance(when, bool) and -_FARTHEST < when < _FARTHEST:
        return float(when)
    if isinstance(when, date) and not isinstance(when, datetime):
        when = datetime.combine(when, edge)
    if not isinstance(when, datetime):
        raise LibraryError(f"{when!r} is no moment; give an ISO day or time, a date, or Unix seconds.")
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _read(text: str) -> date | datetime:
    form = datetime if "T" in text or ":" in text else date
    try:
        return form.fromisoformat(text.strip())
    except ValueError as error:
        raise LibraryError(
            f"{text!r} is neither a day nor a time; write it as 2025-03-31 or 2025-03-31T14:30+09:00."
        ) from error
