"""Commands that list or count what there is: notes, tables, memories, skills, variables, tools, rules, statistics."""

from __future__ import annotations

from typing import Any, Literal

from ..strings import Strings
from ..threads import in_thread
from ..tools.registry import Desk, Tool, make_tool
from .switches import Controls

MOST = 50
Kind = Literal["notes", "tables", "memories", "skills", "variables", "tools", "rules"]


def list_items(controls: Controls) -> Tool:
    """Return the command that lists the items of a kind, at most 50."""

    async def list_items(kind: Kind, desk: Desk) -> str:
        lines = await _lines(controls, kind)
        if not lines:
            return desk.say(f"no_{kind}")
        more = [desk.say("and_more", count=len(lines) - MOST)] if len(lines) > MOST else []
        return "\n".join([_counted(desk.say, kind, len(lines)), "", *(f"- {line}" for line in lines[:MOST]), *more])

    return make_tool(list_items, "reads", category="commands")


def count_items(controls: Controls) -> Tool:
    """Return the command that counts the items of a kind."""

    async def count_items(kind: Kind, desk: Desk) -> str:
        return _counted(desk.say, kind, len(await _lines(controls, kind)))

    return make_tool(count_items, "reads", category="commands")


def show_stats(controls: Controls) -> Tool:
    """Return the command that says what the library holds."""

    async def show_stats(desk: Desk) -> str:
        def read() -> dict[str, Any]:
            return controls.agent.library.stats()

        stats = await in_thread(read)
        numbers = {
            "notes": stats["notes"],
            "passages": stats["passages"],
            "words": stats["words"],
            "edges": stats["edges"],
        }
        lines = [desk.say("stats_library", **numbers)]
        lines += [desk.say("stats_tables", tables=len(stats["tables"]), rows=stats["rows"])]
        lines += [desk.say("stats_embedded", share=f"{stats['embedded']:.0%}", embedder=stats["embedder"])]
        lines += [f"- {fault}" for fault in [stats.get("embedder_fault")] if fault]
        return "\n".join(lines)

    return make_tool(show_stats, "reads", category="commands")


async def _lines(controls: Controls, kind: Kind) -> list[str]:
    if kind == "variables":
        variables = await controls.executor.describe()
        return [f"`{v.name}`: {v.type} {v.summary}".rstrip() for v in variables]
    return await in_thread(lambda: _listed(controls, kind))


def _listed(controls: Controls, kind: Kind) -> list[str]:
    if kind == "notes":
        return [title or content_id for content_id, title in controls.agent.library.titles()]
    if kind == "tables":
        return [f"{name} ({rows:,})" for name, rows in controls.agent.library.tables().items()]
    if kind == "memories":
        return [_pair(card.title, card.summary) for card in controls.agent.memory.list()]
    if kind == "skills":
        return [_pair(skill.name, skill.description) for skill in controls.agent.skills.list()]
    return list(controls.agent.tools if kind == "tools" else controls.book.names())


def _pair(name: str, words: str) -> str:
    return f"{name}: {' '.join(words.split())}" if words else name


def _counted(say: Strings, kind: str, count: int) -> str:
    return say(f"count_{kind}", count=count)
