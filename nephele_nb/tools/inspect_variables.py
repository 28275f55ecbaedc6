"""inspect_variables: what stands in the user's namespace; it never runs their code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernel.seen import Seen
from ..threads import in_thread
from .registry import Tool, make_tool

if TYPE_CHECKING:
    from ..kernel.executor import Executor


def inspect_variables(executor: Executor, seen: Seen) -> Tool:
    """Return the tool over one executor; what it shows, the agent knows from then on (``seen``)."""

    async def inspect_variables(names: list[str] | None = None) -> str:
        variables = await executor.describe(names or ())
        await in_thread(lambda: seen.look([v.name for v in variables], executor.namespace))
        return "\n".join(f"{v.name}: {v.type} {v.summary}".rstrip() for v in variables) or "No variables yet."

    return make_tool(inspect_variables, "reads", category="kernel")
