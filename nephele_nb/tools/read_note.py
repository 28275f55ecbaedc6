"""read_note: a whole note beyond the snippets; it never changes one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..errors import LibraryError, ToolError
from ..threads import in_thread
from ..types import Source, ToolResult
from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library


def read_note(library: Callable[[], Library]) -> Tool:
    """Return the tool over the library that ``library()`` opens."""

    async def read_note(
        content_id: str,
        start: Annotated[int, Field(ge=0)] = 0,
        length: Annotated[int, Field(ge=1, le=12000)] = 6000,
    ) -> ToolResult:
        try:
            note = await in_thread(lambda: library().read(content_id))
        except LibraryError as error:
            raise ToolError(str(error)) from error
        end = min(start + length, len(note.text))
        source = Source(0, "note", note.content_id, note.title, (min(start, end), end))
        tags = f", tags: {', '.join(note.tags)}" if note.tags else ""
        head = f"{note.title} (content_id {note.content_id}{tags})"
        foot = f"(characters {source.span[0]} to {end} of {len(note.text)})" if source.span else ""
        body = note.text[start:end]
        return ToolResult("", sources=(source,), numbered=lambda n: f"[{n[0]}] {head}\n{body}\n{foot}")

    return make_tool(read_note, "reads", parallel=True)
