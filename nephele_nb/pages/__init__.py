"""What a view shows when something is opened: a note, rows of a table, a list; it reads and never changes anything.

A page is strict JSON: ``view``, ``target``, ``title``, ``about``, and of ``text`` with ``span``, ``columns`` with
``rows``, ``items`` and ``rounds`` what there is. ``offset`` is the first character, row or item shown, ``whole`` how
many there are. ``ticket`` is the asker's own mark, sent back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import NepheleError
from ..events import plain
from ..strings import Strings
from .graph import graph
from .journal import journal
from .memory import memory
from .note import note
from .notes import notes
from .shape import Page
from .table import table

if TYPE_CHECKING:
    from ..agent import Agent

__all__ = ["Page", "page"]

_PAGES: dict[str, Callable[[Agent, str, Mapping[str, Any], Strings], Page]] = {
    "note": note,
    "table": table,
    "notes": notes,
    "graph": graph,
    "memory": memory,
    "journal": journal,
}


def page(agent: Agent, wanted: Mapping[str, Any], say: Strings) -> Page:
    """Return the page of ``wanted``: ``view``, ``target``, and where to open it; its ``fault`` says what can't be."""
    view, target = str(wanted.get("view", "")), str(wanted.get("target", ""))
    make = _PAGES.get(view)
    found: Page = {"view": view, "target": target, "title": target or view, "about": ""}
    if isinstance(wanted.get("ticket"), int):
        found["ticket"] = wanted["ticket"]
    if make is None:
        return found | {"fault": say("page_unknown", view=view)}
    try:
        made: Page = plain(make(agent, target, wanted, say))
        return found | made
    except NepheleError as error:
        return found | {"fault": str(error)}
