"""Turns what a caller asked of their notes (kind, tag, folder, day) into a Lance filter; it reads nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time

from ..errors import LibraryError
from .documents import timestamp
from .schema import NOTES
from .store import Store, any_of, literal, none_of
from .words import normal

When = str | float | date | datetime | None


def passage_filter(
    store: Store,
    kinds: Sequence[str] | None,
    tags: Sequence[str] | None,
    folder: str | None,
    since: When,
    until: When,
) -> str | None:
    """Return the filter over passages for what a caller asked of their notes, or None for all.

    All given tags must be there; a note counts from ``created`` to ``updated``; a day given as ``until`` is included.
    """
    parts = [any_of("kind", _several(kinds))] if kinds else []
    parts += [f"array_has(tag_keys, {literal(normal(t).lstrip('#'))})" for t in _several(tags or ())]
    if folder:
        inside = literal(folder.rstrip("/") + "/")
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


def _several(words: Sequence[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _moment(when: str | float | date | datetime, edge: time) -> float:
    if isinstance(when, int | float):
        return float(when)
    if isinstance(when, str):
        if "T" not in when and ":" not in when:
            return _moment(_day(when), edge)
        return timestamp(when)
    if not isinstance(when, datetime):
        when = datetime.combine(when, edge)
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise LibraryError(f"{text!r} is not a day; write it as 2025-03-31.") from error
