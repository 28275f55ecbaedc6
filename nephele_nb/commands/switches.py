"""Commands on the agent itself: undo, stop, clear, tier and mode, help, status; what they do is handed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..conversation import Conversation
from ..errors import NepheleError, ToolError
from ..events import NavigateView
from ..memory import Memory
from ..model.tiers import Endpoint
from ..rules import Rulebook
from ..settings import Effective
from ..skills import Skills
from ..threads import in_thread
from ..tools.registry import Desk, Tool, Toolbox, make_tool
from ..types import Mode
from .report import help_text, status, taken_back

if TYPE_CHECKING:
    from ..kernel.executor import Executor
    from ..library import Library


class Surface(Protocol):
    """The agent, as far as its commands reach."""

    home: Path
    settings: Effective
    conversation: Conversation

    @property
    def library(self) -> Library:
        """The library, opened at its first use."""

    @property
    def memory(self) -> Memory:
        """The memory cards."""

    @property
    def skills(self) -> Skills:
        """The skills."""

    @property
    def tools(self) -> Toolbox:
        """The tools."""

    def undo(self, round_id: str | None = None) -> Any:
        """Take back a round's operations."""

    def endpoint_of(self, tier: str | None = None) -> Endpoint:
        """Return who would answer; raises ModelError where nobody could."""


@dataclass(frozen=True, slots=True)
class Controls:
    """What the commands work on; ``stopped()`` says how many rounds the message stopped, the moment it came."""

    agent: Surface
    executor: Executor
    book: Rulebook
    stopped: Callable[[], int]


def undo(controls: Controls) -> Tool:
    """Return the command that takes back a round's operations, the last round's where none is named."""

    async def undo(desk: Desk, round: str | None = None) -> str:
        try:
            report = await in_thread(controls.agent.undo, round)
        except NepheleError as error:
            raise ToolError(str(error)) from error
        return "\n".join(taken_back(report, desk.say))

    return make_tool(undo, "reads", category="commands", timed=False)


def stop(controls: Controls) -> Tool:
    """Return the command that says what the message stopped."""

    async def stop(desk: Desk) -> str:
        count = controls.stopped()
        return desk.say("stopped_rounds", count=count) if count else desk.say("nothing_runs")

    return make_tool(stop, "reads", category="commands")


def clear(controls: Controls) -> Tool:
    """Return the command that begins the conversation anew for the model."""

    async def clear(desk: Desk) -> str:
        return desk.say("cleared", count=controls.agent.conversation.clear())

    return make_tool(clear, "reads", category="commands")


def set_mode(controls: Controls) -> Tool:
    """Return the command that sets the mode of the messages to come."""

    async def set_mode(mode: Mode, desk: Desk) -> str:
        return _set(controls, "mode", mode, desk)

    return make_tool(set_mode, "reads", category="commands")


def set_tier(controls: Controls) -> Tool:
    """Return the command that sets who answers the messages to come."""

    async def set_tier(tier: str, desk: Desk) -> str:
        return _set(controls, "tier", tier, desk)

    return make_tool(set_tier, "reads", category="commands")


def show_help() -> Tool:
    """Return the command that shows the help."""

    async def show_help(desk: Desk) -> str:
        return help_text(desk.say)

    return make_tool(show_help, "reads", category="commands")


def show_status(controls: Controls) -> Tool:
    """Return the command that says who answers, in which mode, what there is, and what of the rules can't be used."""

    async def show_status(desk: Desk) -> str:
        lines = await in_thread(status, controls.agent, controls.book.faults, desk.say)
        return "\n".join(f"- {line}" for line in lines)

    return make_tool(show_status, "reads", category="commands")


def close_view() -> Tool:
    """Return the command that closes what is open: it shows the chat again."""

    async def close_view(desk: Desk, target: str = "") -> str:
        desk.emit(NavigateView("chat", ""))
        return desk.say("closed_item", target=target) if target else desk.say("closed_view")

    return make_tool(close_view, "reads", category="commands")


def _set(controls: Controls, name: str, value: str, desk: Desk) -> str:
    agent = controls.agent
    try:
        if name == "tier":
            agent.endpoint_of(value)
        agent.settings.set(name, value)
    except NepheleError as error:
        raise ToolError(str(error)) from error
    return desk.say(f"{name}_set", value=value)
