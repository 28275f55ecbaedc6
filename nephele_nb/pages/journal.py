"""The page of what was done, round by round, newest first, with what an undo would bring back and what it can't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..strings import Strings
from ..undo import UNDO, undoable
from .shape import CELL, Page, moment, offset_of, part

if TYPE_CHECKING:
    from ..agent import Agent
    from ..journal import Journal, Operation


def journal(agent: Agent, target: str, wanted: Mapping[str, Any], say: Strings) -> Page:
    """Return the rounds that did something."""
    held: Journal = agent.journal
    asked = {e.round_id: e.text for e in agent.conversation.events if e.kind == "RoundStart"}  # type: ignore[attr-defined]
    rounds = [_round(held, round_id, asked, say) for round_id in reversed(held.worked())]
    shown = part(rounds, offset_of(wanted.get("offset")))
    return {"title": say("page_journal"), "rounds": shown.pop("items"), **shown}


def _round(held: Journal, round_id: str, asked: Mapping[str, str], say: Strings) -> Page:
    operations, untaken = held.operations(round_id), held.untaken(round_id)
    first, undos = round_id.partition(UNDO)[0], round_id.count(UNDO)
    title = " ".join(asked.get(first, "").split())[:CELL] or say("page_by_hand")
    if undos:
        title = say("page_undo_of" if undos % 2 else "page_redo_of", title=title)
    return {
        "round": round_id,
        "title": title,
        "about": moment(operations[-1].time),
        "undone": round_id in held.undone,
        "undoes": undos % 2 == 1,
        "operations": [_operation(o, place in untaken) for place, o in enumerate(operations)],
    }


def _operation(operation: Operation, untaken: bool) -> Page:
    fate = "taken" if not untaken else "open" if undoable(operation) else "stays"
    why = "; ".join(_left(operation)) if fate == "stays" else ""
    return {"tool": operation.tool, "title": operation.summary[:CELL], "fate": fate, "why": why}


def _left(operation: Operation) -> Sequence[str]:
    """Return what such an operation did that stays, and why, as far as its record says so."""
    left = operation.inverse.arguments.get("left", ()) if operation.inverse is not None else ()
    return [": ".join(str(part) for part in pair)[:CELL] for pair in left]
