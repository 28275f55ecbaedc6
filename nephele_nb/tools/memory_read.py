"""memory_read: one card whole, beyond its line in the index; it never changes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import NepheleError, ToolError
from ..threads import in_thread
from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..memory import Memory

LONGEST = 20_000
"""Characters of a body that are shown."""


def memory_read(memory: Memory) -> Tool:
    """Return the tool over the user's memory cards."""

    async def memory_read(id: str) -> str:
        try:
            card = await in_thread(memory.read, id)
        except NepheleError as error:
            raise ToolError(str(error)) from error
        head = [
            f"{card.title} (id {card.id}, {card.type}, created {card.created}, updated {card.updated})",
            card.summary,
        ]
        body = card.body[:LONGEST]
        left_out = f"({LONGEST} of {len(card.body)} characters)" if len(card.body) > LONGEST else ""
        return "\n".join(part for part in (*head, body, left_out, *card.warnings) if part)

    return make_tool(memory_read, "reads", parallel=True, category="memory")
