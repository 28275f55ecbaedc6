"""The forms that pages share: items that lead on, spans inside a text, cells and moments as text; it reads nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

Page = dict[str, Any]
CELL = 200
MOST_ITEMS = 200
"""How many items of a list one page holds."""


def item(view: str, target: str, title: str, about: str, **more: Any) -> Page:
    """Return what leads on to another page, with a line about it."""
    return {"view": view, "target": target, "title": title, "about": " ".join(about.split())[:CELL], **more}


def span_in(value: Any, longest: int) -> tuple[int, int]:
    """Return a span that lies inside a text; [0, 0) for what is none."""
    if not isinstance(value, Sequence) or len(value) != 2 or not all(isinstance(n, int) for n in value):
        return 0, 0
    first = min(max(value[0], 0), longest)
    return first, min(max(value[1], first), longest)


def offset_of(value: Any) -> int:
    """Return where a page begins, 0 for what is no place."""
    return max(value, 0) if isinstance(value, int) else 0


def part(items: Sequence[Page], offset: int) -> Page:
    """Return the part of a list that one page holds, and how long the whole is."""
    first = min(offset, max(len(items) - 1, 0) // MOST_ITEMS * MOST_ITEMS)
    return {"items": list(items[first : first + MOST_ITEMS]), "offset": first, "whole": len(items)}


def cell(value: Any) -> str:
    """Return a table's value as text, cut where it is long."""
    text = "" if value is None else str(value)
    return text if len(text) <= CELL else text[: CELL - 1] + "…"


def day(at: float) -> str:
    """Return the day of a moment, as the user's clock has it."""
    return time.strftime("%Y-%m-%d", time.localtime(at)) if at else ""


def moment(at: float) -> str:
    """Return a moment to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) if at else ""
