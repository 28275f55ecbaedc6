"""memory_write: a new card, or a change of one; it refuses the passing and the secret before the user is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..errors import NepheleError, ToolError
from ..memory.card import Card, one_line
from ..memory.lasting import refusal
from ..secrets import MARK
from ..strings import Strings
from ..threads import in_thread
from ..types import ToolResult
from .registry import Desk, Preview, Tool, make_tool

if TYPE_CHECKING:
    from ..memory import Memory

Kind = Literal["user", "workflow", "project", "reference", "correction"]


def memory_write(memory: Memory, hide: Callable[[str], str]) -> Tool:
    """Return the tool over the user's memory cards; ``hide`` marks the secrets that are known."""
    shown: dict[str, str] = {}
    """The version of each card that the user was last asked about: another is not overwritten."""

    async def memory_write(
        title: str, summary: str, type: Kind, body: str, desk: Desk, id: str | None = None
    ) -> ToolResult:
        expected = shown.get(id) if id is not None else None
        try:
            written = await in_thread(lambda: memory.save(title, summary, type, body, id, expected))
        except NepheleError as error:
            raise ToolError(str(error)) from error
        key = "memory_written" if id is None else "memory_changed" if written.inverse else "memory_same"
        text = desk.say(key, title=written.title, id=written.id)
        same = await in_thread(_same, memory, title, written.id) if id is None else ()
        return ToolResult("\n".join([text, *_told(same, desk.say)]), inverse=written.inverse)

    def preview(arguments: Mapping[str, Any], say: Strings) -> Preview:
        title, summary, body = (str(arguments[name]) for name in ("title", "summary", "body"))
        if found := refusal((title, summary, body), lambda text: "" if MARK in text else hide(text)):
            raise ToolError(say(f"memory_refused_{found.kind}", sign=found.sign))
        try:
            if arguments["id"] is None:
                memory.check(title, summary, arguments["type"], body)
                same = _same(memory, title)
                return Preview(None, title, (say("effect_writes_card", title=title), *_told(same, say)))
            shown[arguments["id"]] = memory.version(arguments["id"])
            card = memory.read(arguments["id"])
            memory.check(title, summary, arguments["type"], body)
        except NepheleError as error:
            raise ToolError(str(error)) from error
        parts = ", ".join(_differing(card, arguments)) or "-"
        told = (say("effect_changes_card", title=card.title, parts=parts),)
        return Preview(None, title, told, frozenset({"changes"}))

    return make_tool(memory_write, "writes", preview=preview, category="memory")


def _same(memory: Memory, title: str, besides: str = "") -> tuple[str, ...]:
    """Return the ids of other cards with the same title."""
    wanted = one_line(title).casefold()
    return tuple(card.id for card in memory.list() if card.title.casefold() == wanted and card.id != besides)


def _told(same: tuple[str, ...], say: Strings) -> tuple[str, ...]:
    return (say("memory_same_title", ids=", ".join(same)),) if same else ()


def _differing(card: Card, arguments: Mapping[str, Any]) -> list[str]:
    """Return the names of what a call would change in a card."""
    return [name for name in ("title", "summary", "type", "body") if getattr(card, name) != arguments[name]]
