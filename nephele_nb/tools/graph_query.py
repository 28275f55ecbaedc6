"""graph_query: what an item is linked with; it never follows more than three hops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ..errors import LibraryError, ToolError
from ..threads import in_thread
from ..types import Edge, Neighbours
from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..library import Library

CAP = 6000
"""Characters that the answer may have."""


def graph_query(library: Callable[[], Library]) -> Tool:
    """Return the tool over the library that ``library()`` opens."""

    async def graph_query(content_id: str, hops: Annotated[int, Field(ge=1, le=3)] = 1) -> str:
        try:
            found = await in_thread(lambda: library().graph(content_id, hops))
        except LibraryError as error:
            raise ToolError(str(error)) from error
        return written(found)

    return make_tool(graph_query, "reads", parallel=True, category="library")


def written(found: Neighbours) -> str:
    """Return neighbours as the model reads them, nearest first, each with the way there and its evidence."""
    if not found.nodes:
        return f"{found.content_id} is linked with nothing."
    lines: list[str] = []
    room = CAP
    for node in found.nodes:
        ways = [_way(edge, found.titles) for edge in node.path]
        line = f"{node.distance} · {node.kind} {node.title} ({node.content_id}) by {' ; '.join(ways)}"
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    left = len(found.nodes) - len(lines)
    counts = f"{len(lines)} of {len(found.nodes)} neighbours shown" if left else f"{len(lines)} neighbours"
    more = f", {found.left_out} more links not walked; ask about a nearer item" if found.left_out else ""
    return "\n".join([*lines, counts + more])


def _way(edge: Edge, titles: Mapping[str, str]) -> str:
    at = f" at {edge.span[0]}-{edge.span[1]}: {edge.evidence}" if edge.span else ""
    return f"{titles.get(edge.source, edge.source)} -{edge.kind}-> {titles.get(edge.target, edge.target)}{at}"
