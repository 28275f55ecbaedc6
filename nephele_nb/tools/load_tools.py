"""load_tools: brings the parameters of tools that the model knows by name only; it never runs one."""

from __future__ import annotations

from .registry import Desk, Tool, make_tool


def load_tools() -> Tool:
    """Return the tool; what may be loaded is the round's own affair."""

    async def load_tools(names: list[str], desk: Desk) -> str:
        return desk.load(names)

    return make_tool(load_tools, "reads")
