"""search_notes: the fused retrieval that plain chat uses too; it never reads beyond the passages found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..threads import in_thread
from ..types import Hit, Source, ToolResult
from .registry import Desk, Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library


def search_notes(library: Callable[[], Library]) -> Tool:
    """Return the tool over the library that ``library()`` opens."""

    async def search_notes(query: str, desk: Desk, k: Annotated[int, Field(ge=1, le=30)] = 8) -> ToolResult:
        hits = await in_thread(lambda: library().search(query, k))
        if not hits:
            reason = getattr(hits, "reason", "") or "none"
            return ToolResult(desk.say(f"hits_{reason}"))
        return ToolResult("", sources=tuple(map(source_of, hits)), numbered=lambda n: listing(hits, n))

    return make_tool(search_notes, "reads", parallel=True)


def source_of(hit: Hit) -> Source:
    """Return a hit as a source that has no number yet."""
    table = hit.title if hit.kind == "table" else None
    return Source(0, hit.kind, hit.content_id, hit.title, hit.span, table=table)


def listing(hits: Sequence[Hit], numbers: Sequence[int]) -> str:
    """Return hits as the model reads them, each under its source number."""
    return "\n\n".join(
        f"[{n}] {hit.title} (content_id {hit.content_id}, found by {', '.join(hit.channels)})\n{hit.text}"
        for n, hit in zip(numbers, hits, strict=True)
    )
