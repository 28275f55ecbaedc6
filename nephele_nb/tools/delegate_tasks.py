"""delegate_tasks: independent parts of a task for sub-agents; it refuses what is better done in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from ..errors import ToolError
from ..types import ToolResult
from .offer import mentions, spoken_of
from .registry import Desk, Tool, make_tool

MOST = 6
LONGEST_TITLE = 60


def delegate_tasks() -> Tool:
    """Return the tool; the round's own ``desk.delegate`` does the work."""

    async def delegate_tasks(tasks: Annotated[list[str], BeforeValidator(_texts)], desk: Desk) -> ToolResult:
        texts = [text for text in tasks if text.strip()]
        if not texts:
            raise ToolError(desk.say("tasks_none"))
        if len(texts) > MOST:
            raise ToolError(desk.say("tasks_too_many", most=MOST, count=len(texts)))
        if splits_references(texts):
            raise ToolError(desk.say("tasks_references"))
        if desk.delegate is None:
            raise ToolError(desk.say("tasks_nobody"))
        return await desk.delegate(texts, desk)

    return make_tool(delegate_tasks, "reads", category="delegation", timed=False)


def title_of(task: str) -> str:
    """Return what a task is called on its card: its first line, shortened."""
    first = next((line.strip(" #*-") for line in task.splitlines() if line.strip(" #*-")), task.strip())
    return first if len(first) <= LONGEST_TITLE else first[: LONGEST_TITLE - 1] + "…"


def splits_references(tasks: Sequence[str]) -> bool:
    """Say whether most of several tasks are one search for references, cut to pieces."""
    hunts = [t for t in tasks if "references" in spoken_of(t) and mentions("delegation", "searching", t)]
    return len(hunts) > 1 and 2 * len(hunts) > len(tasks)


def _texts(value: Any) -> Any:
    """Return tasks as texts, also where a model wrote objects with a title and a text, or one text alone."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        return value
    return ["\n".join(str(part) for part in task.values()) if isinstance(task, dict) else task for task in value]
