"""Commands on the agent itself: undo, stop, clear, tier and mode, help, status; what they do is handed in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..errors import NepheleError, ToolError
from ..events import NavigateView
from ..threads import in_thread
from ..tools.registry import Desk, Tool, make_tool
from ..types import Mode

if TYPE_CHECKING:
    from ..library import Library


@dataclass(frozen=True, slots=True)
class Controls:
    """What the commands may do to an agent, each as a function; all may block but ``variables``."""

    library: Callable[[], Library]
    variables: Callable[[], Awaitable[Sequence[Any]]]
    memories: Callable[[], Sequence[Any]]
    skills: Callable[[], Sequence[Any]]
    tools: Callable[[], Iterable[str]]
    rules: Callable[[], Iterable[str]]
    undo: Callable[[str | None], Any]
    stopped: Callable[[], int]
    """Says how many rounds the message stopped, which did so when it came."""
    clear: Callable[[], int]
    """Begins the conversation anew for the model; returns how many messages it no longer sees."""
    set: Callable[[str, str], None]
    """Sets one of the agent's settings; raises NepheleError for what can't be."""
    status: Callable[[], dict[str, Any]]


def undo(controls: Controls) -> Tool:
    """Return the command that takes back a round's operations, the last round's where none is named."""

    async def undo(desk: Desk, round: str | None = None) -> str:
        try:
            report = await in_thread(controls.undo, round)
        except NepheleError as error:
            raise ToolError(str(error)) from error
        lines = [desk.say("undone", restored=len(report.restored), left=len(report.not_restored))]
        lines += [f"- {desk.say('undone_item', name=name)}" for name in report.restored]
        lines += [f"- {desk.say('left_item', name=n.operation, reason=n.reason)}" for n in report.not_restored]
        return "\n".join(lines)

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
        return desk.say("cleared", count=controls.clear())

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
        return files("nephele_nb").joinpath("prompts", f"help.{desk.say.language}.md").read_text("utf-8").strip()

    return make_tool(show_help, "reads", category="commands")


def show_status(controls: Controls) -> Tool:
    """Return the command that says who answers, in which mode, and what of the rules can't be used."""

    async def show_status(desk: Desk) -> str:
        known = await in_thread(controls.status)
        lines = [desk.say("status_tier", **known), desk.say("status_mode", **known), desk.say("status_home", **known)]
        lines += [desk.say("rule_fault", fault=fault) for fault in known["faults"]]
        return "\n".join(f"- {line}" for line in lines)

    return make_tool(show_status, "reads", category="commands")


def close_view() -> Tool:
    """Return the command that closes what is open: it shows the chat again."""

    async def close_view(desk: Desk, target: str = "") -> str:
        desk.emit(NavigateView("chat", ""))
        return desk.say("closed_item", target=target) if target else desk.say("closed_view")

    return make_tool(close_view, "reads", category="commands")


def _set(controls: Controls, name: str, value: str, desk: Desk) -> str:
    try:
        controls.set(name, value)
    except NepheleError as error:
        raise ToolError(str(error)) from error
    return desk.say(f"{name}_set", value=value)
