"""What a view shows when something is opened: a note, rows of a table, a list; it reads and never changes anything.

A page is strict JSON: ``view``, ``target``, ``title``, ``about``, and of ``text`` with ``span``, ``columns`` with
``rows``, and ``items`` what there is. ``offset`` is the first character or row shown, ``whole`` how many there are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import LibraryError
from .events import plain
from .strings import Strings

if TYPE_CHECKING:
    from .agent import Agent

LONGEST_TEXT = 60_000
BEFORE = 5_000
"""Characters of a long note shown before the passage that is opened."""
ROWS = 50
MOST_ITEMS = 200
CELL = 200
SCAN_CAP = 200_000

Page = dict[str, Any]


def page(agent: Agent, wanted: Mapping[str, Any], say: Strings) -> Page:
    """Return the page of ``wanted``: ``view``, ``target``, and where to open it; its ``fault`` says what can't be."""
    view, target = str(wanted.get("view", "")), str(wanted.get("target", ""))
    make = _PAGES.get(view)
    found: Page = {"view": view, "target": target, "title": target or view, "about": ""}
    if make is None:
        return found | {"fault": say("page_unknown", view=view)}
    try:
        made: Page = plain(make(agent, target, wanted, say))
        return found | made
    except LibraryError as error:
        return found | {"fault": str(error)}


def _note(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    note = agent.library.read(target)
    span = _span(wanted.get("span"), len(note.text))
    first = max(span[0] - BEFORE, 0) if len(note.text) > LONGEST_TEXT else 0
    text = note.text[first : first + LONGEST_TEXT]
    about = [_day(note.updated), " ".join(f"#{tag}" for tag in note.tags), note.path or ""]
    return {
        "title": note.title,
        "about": " · ".join(part for part in about if part),
        "text": text,
        "span": [span[0] - first, span[1] - first] if wanted.get("span") else None,
        "offset": first,
        "whole": len(note.text),
    }


def _table(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    first = max(_span(wanted.get("rows"), 1 << 62)[0], int(wanted.get("offset") or 0))
    version, order = wanted.get("version"), wanted.get("order_by")
    scan = agent.library.scan(
        target, order_by=str(order) if order else None, offset=first, cap=SCAN_CAP,
        version=version if isinstance(version, int) else None,
    )  # fmt: skip
    rows = scan.rows[:ROWS]
    columns = list(rows[0]) if rows else []
    last = first + len(rows)
    return {
        "title": scan.name,
        "about": say("page_rows", first=first + 1 if rows else 0, last=last, total=scan.total, version=scan.version),
        "columns": columns,
        "rows": [[_cell(row[name]) for name in columns] for row in rows],
        "offset": first,
        "whole": scan.matched,
    }


def _notes(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    if target:
        hits = agent.library.search(target, 20)
        items = [_item(h.kind, h.content_id, h.title, h.text, span=h.span) for h in hits]
    else:
        items = [_item("note", i, title or i, "") for i, title in agent.library.titles()]
    tables = [] if target else [_item("table", name, name, "") for name in agent.library.stats()["tables"]]
    return {"title": say("page_notes"), "items": (tables + items)[:MOST_ITEMS], "whole": len(items) + len(tables)}


def _graph(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    near = agent.library.graph(target, 2)
    items = [
        _item("graph" if n.kind == "tag" else n.kind, n.content_id, n.title, " → ".join(e.kind for e in n.path),
              distance=n.distance)
        for n in near.nodes
    ]  # fmt: skip
    title = near.titles.get(target) or target
    return {"title": title, "about": say("page_graph"), "items": items, "whole": len(items) + near.left_out}


def _memory(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    cards = agent.memory.list()
    for card in cards:
        if card.id == target:
            return {"title": card.title, "about": f"{card.type} · {card.summary}", "text": card.body}
    return {"title": say("page_memory"), "items": [_item("memory", c.id, c.title, c.summary) for c in cards]}


def _journal(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    items = []
    journal = agent.journal
    taken_back = journal.undone
    asked = {e.round_id: e.text for e in agent.conversation.events if e.kind == "RoundStart"}  # type: ignore[attr-defined]
    for round_id in reversed(journal.rounds()):
        operations = journal.operations(round_id)
        for operation in operations:
            undone = say("page_undone") if round_id in taken_back else ""
            about = " · ".join(part for part in (_moment(operation.time), undone, asked.get(round_id, "")) if part)
            items.append(_item("round", round_id, f"{operation.tool}: {operation.summary}".rstrip(": "), about))
    return {"title": say("page_journal"), "items": items[:MOST_ITEMS], "whole": len(items)}


def _item(view: str, target: str, title: str, about: str, **more: Any) -> Page:
    return {"view": view, "target": target, "title": title, "about": " ".join(about.split())[:CELL], **more}


def _span(value: Any, longest: int) -> tuple[int, int]:
    """Return a span that lies inside a text; [0, 0) for what is none."""
    if not isinstance(value, Sequence) or len(value) != 2 or not all(isinstance(n, int) for n in value):
        return 0, 0
    first = min(max(value[0], 0), longest)
    return first, min(max(value[1], first), longest)


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= CELL else text[: CELL - 1] + "…"


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at)) if at else ""


def _moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at)) if at else ""


_PAGES: dict[str, Callable[[Agent, str, Mapping[str, Any], Strings], Page]] = {
    "note": _note,
    "table": _table,
    "notes": _notes,
    "graph": _graph,
    "memory": _memory,
    "journal": _journal,
}
