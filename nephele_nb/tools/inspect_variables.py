"""inspect_variables: what stands in the user's namespace; it never runs their code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..kernel.executor import Executor


def inspect_variables(executor: Executor) -> Tool:
    """Return the tool over one executor."""

    async def inspect_variables(names: list[str] | None = None) -> str:
        variables = await executor.describe(names or ())
        return "\n".join(f"{v.name}: {v.type} {v.summary}".rstrip() for v in variables) or "No variables yet."

    return make_tool(inspect_variables, "reads", category="kernel")
