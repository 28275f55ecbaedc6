"""create_note: the library's one writing tool; it never overwrites a note."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..strings import Strings
from ..threads import in_thread
from ..types import Inverse, ToolResult
from .registry import Desk, Preview, Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library


def create_note(library: Callable[[], Library]) -> Tool:
    """Return the tool over the library that ``library()`` opens."""

    async def create_note(title: str, text: str, desk: Desk, tags: list[str] | None = None) -> ToolResult:
        content_id = await in_thread(lambda: library().add_note(title, text, tuple(tags or ())))
        return ToolResult(
            desk.say("created_note", title=title, content_id=content_id),
            inverse=Inverse("remove_note", {"content_id": content_id, "text": text}),
        )

    return make_tool(create_note, "writes", preview=_preview, category="notes")


def _preview(arguments: Mapping[str, Any], say: Strings) -> Preview:
    return Preview(None, arguments["title"], (say("effect_writes_note", title=arguments["title"]),))
