"""The page of all notes and tables, or of what a search among them finds and by which channels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..strings import Strings
from .shape import Page, item, offset_of, part

if TYPE_CHECKING:
    from ..agent import Agent
    from ..types import Hit

HITS = 20
_SIGNS = re.compile(r"^#{1,6} +|\*\*|\[\[|\]\]|`", re.MULTILINE)
"""Signs of markdown that a line about a passage reads better without."""


def notes(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    """Return the hits for ``target``, or where that is empty a part of the whole list, tables first."""
    if target.strip():
        hits = agent.library.search(target, HITS)
        found = {"items": [_hit(hit) for hit in hits], "whole": len(hits)}
    else:
        tables = [
            item("table", name, name, say("page_count_rows", rows=rows), kind="table")
            for name, rows in agent.library.tables().items()
        ]
        titles = [item("note", i, title or i, "", kind="note") for i, title in agent.library.titles()]
        found = part(tables + titles, offset_of(wanted.get("offset")))
    return {"title": say("page_notes"), **found}


def _hit(hit: Hit) -> Page:
    table = hit.kind == "table"
    target = hit.content_id.removeprefix("table:") if table else hit.content_id
    channels = [[name, why] for name, why in zip(hit.channels, hit.why or ("",) * len(hit.channels), strict=False)]
    return item(
        hit.kind,
        target,
        hit.title,
        _SIGNS.sub("", hit.text),
        span=None if table else hit.span,
        kind=hit.kind,
        channels=channels,
    )
