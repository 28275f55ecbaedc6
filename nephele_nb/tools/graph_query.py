"""graph_query: what an item is linked with; it never follows more than three hops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..errors import LibraryError, ToolError
from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library


def graph_query(library: Callable[[], Library]) -> Tool:
    """Return the tool over the library that ``library()`` opens."""

    async def graph_query(content_id: str, hops: Annotated[int, Field(ge=1, le=3)] = 1) -> str:
        try:
            found = await asyncio.to_thread(lambda: library().graph(content_id, hops))
        except LibraryError as error:
            raise ToolError(str(error)) from error
        if not found.edges:
            return f"{content_id} is linked with nothing."
        return "\n".join(
            f"{found.titles.get(e.source, e.source)} ({e.source}) -{e.kind}-> "
            f"{found.titles.get(e.target, e.target)} ({e.target})" + (f": {e.evidence}" if e.evidence else "")
            for e in found.edges
        )

    return make_tool(graph_query, "reads", parallel=True)
