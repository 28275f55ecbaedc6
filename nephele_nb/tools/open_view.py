"""open_view: shows something of the product's in its view; it never changes what it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from ..errors import LibraryError, ToolError, nearest
from ..events import NavigateView
from ..threads import in_thread
from .registry import Desk, Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library

View = Literal["chat", "notes", "note", "table", "graph", "memory", "journal"]
MOST_NAMES = 20


def open_view(library: Callable[[], Library]) -> Tool:
    """Return the tool over the library that ``library()`` opens."""

    async def open_view(view: View, desk: Desk, target: str = "") -> str:
        if view in ("note", "table") and not target:
            raise ToolError(desk.say("view_needs_target", view=view))
        title = target
        if target and view in ("note", "table", "graph"):
            target, title = await in_thread(_found, library(), view, target, desk)
        desk.emit(NavigateView(view, target))
        named = desk.say(f"view_{view}")
        return desk.say("opened_item", view=named, title=title) if title else desk.say("opened_view", view=named)

    return make_tool(open_view, "reads", category="views")


def _found(library: Library, view: View, target: str, desk: Desk) -> tuple[str, str]:
    """Return the name the view wants, and what it is called; raises ToolError that says what there is."""
    tables = {name.casefold(): name for name in library.tables()} if view != "note" else {}
    table = tables.get(target.removeprefix("table:").casefold())
    if table is not None:
        return (table if view == "table" else f"table:{table}"), table
    if view == "table":
        names = list(tables.values())
        listed = ", ".join(names[:MOST_NAMES]) or desk.say("none_yet")
        raise ToolError(desk.say("no_table", name=target, nearest=nearest(target, names), names=listed))
    if view == "graph" and target.startswith("tag:"):
        return target, f"#{target[4:]}"
    try:
        note = library.read(target)
    except LibraryError as error:
        raise ToolError(str(error)) from error
    if note.content_id.startswith("table:"):
        raise ToolError(desk.say("is_a_table", name=note.title))
    return note.content_id, note.title
