"""The page of one note: its text in parts that begin at lines, its tags, and the links to and from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..strings import Strings
from .shape import Page, day, item, offset_of, span_in

if TYPE_CHECKING:
    from ..agent import Agent
    from ..types import Edge, Neighbours

LONGEST_TEXT = 40_000
"""Characters of a note on one page."""
BEFORE = 5_000
"""Characters of a long note shown before the passage that is opened."""
SNAP = 2_000
"""How far from where a part would begin or end a line is looked for that it can begin or end with."""


def note(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    """Return a note, or the part of a long one that holds the span or begins at the offset."""
    found = agent.library.read(target)
    text, span = found.text, span_in(wanted.get("span"), len(found.text))
    links = _links(agent.library.graph(found.content_id, 1))
    first, last = _bounds(text, wanted, span[0])
    inside = first <= span[0] < last if wanted.get("span") else False
    return {
        "target": found.content_id,
        "title": found.title,
        "about": " · ".join(part for part in (day(found.updated), found.path or "") if part),
        "text": text[first:last],
        "span": [span[0] - first, min(span[1], last) - first] if inside else None,
        "offset": first,
        "whole": len(text),
        "tags": [link for link in links if link["kind"] == "tag"],
        "items": [link for link in links if link["kind"] != "tag"],
    }


def _bounds(text: str, wanted: Mapping[str, Any], meant: int) -> tuple[int, int]:
    """Return the part of a text that one page shows."""
    if len(text) <= LONGEST_TEXT:
        return 0, len(text)
    asked = wanted.get("offset")
    first = min(offset_of(asked), len(text) - 1) if asked is not None else _line(text, max(meant - BEFORE, 0))
    last = first + LONGEST_TEXT
    return first, _line(text, last) if last < len(text) else len(text)


def _line(text: str, at: int) -> int:
    """Return the start of the line near a place, or the place itself where lines are long."""
    return text.rfind("\n", max(at - SNAP, 0), at) + 1 or at


def _links(near: Neighbours) -> list[Page]:
    """Return what a note leads to, then what leads to it; each item once in either group."""
    found: dict[tuple[str, str], Page] = {}
    for edge in near.edges:
        out = edge.source == near.content_id
        other = edge.target if out else edge.source
        found.setdefault((other, "out" if out else "in"), _link(edge, other, out, near))
    return sorted(found.values(), key=lambda each: each["group"] != "out")


def _link(edge: Edge, other: str, out: bool, near: Neighbours) -> Page:
    view = "graph" if other.startswith("tag:") else "table" if other.startswith("table:") else "note"
    target = other.removeprefix("table:") if view == "table" else other
    # What leads here is opened where it says so.
    span = None if out or view != "note" else edge.span
    title = near.titles.get(other) or other
    return item(view, target, title, edge.evidence, span=span, group="out" if out else "in", kind=edge.kind)
