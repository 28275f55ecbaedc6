"""What a conversation's file holds, and how it is read; it never writes.

A line that is cut or broken is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from .events import Event, from_dict
from .types import Inverse, Message, Why


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing the agent did, with how to take it back; ``inverse`` is None where that can't be done."""

    round_id: str
    call_id: str
    tool: str
    summary: str
    inverse: Inverse | None = None
    proposed: str | None = None
    executed: str | None = None
    time: float = 0.0


@dataclass(slots=True)
class Record:
    """What a conversation's file holds."""

    events: list[Event] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    undone: dict[str, int] = field(default_factory=dict)
    """How many operations a round had when it was last taken back: one that runs may have more since."""
    taken: dict[str, set[int]] = field(default_factory=dict)
    """Which of a round's operations were taken back, by their place in it."""
    aside: dict[str, Why] = field(default_factory=dict)
    """The rounds that the model no longer gets, and why."""
    started: float | None = None
    broken_lines: int = 0

    def mark_undone(self, round_id: str, taken: Collection[int] | None, seen: int | None = None) -> None:
        """Note that a round was taken back; all of it, where nothing says what."""
        self.undone[round_id] = seen = sum(o.round_id == round_id for o in self.operations) if seen is None else seen
        self.taken.setdefault(round_id, set()).update(range(seen) if taken is None else taken)

    def mark_aside(self, rounds: Mapping[str, Why | None]) -> None:
        """Note which rounds have left the model's context; None for one that is back in it."""
        kept = {**self.aside, **rounds}
        self.aside = {round_id: why for round_id, why in kept.items() if why is not None}


def read(path: Path) -> Record:
    """Return what a conversation's file holds; a missing file is an empty record."""
    record = Record()
    for line in _lines(path):
        try:
            data = json.loads(line)
            if "started" in data:
                record.started = float(data["started"])
            elif "event" in data:
                record.events.append(from_dict(data["event"]))
            elif "message" in data and data.get("replaces"):
                record.messages[-data["replaces"]] = _message(data["message"])
            elif "message" in data:
                record.messages.append(_message(data["message"]))
            elif "aside" in data:
                record.mark_aside(_reasons(data["aside"]))
            elif "cleared" in data:
                record.messages.clear()
            elif "undone" in data:
                record.mark_undone(str(data["undone"]), data.get("taken"), data.get("seen"))
            elif "operation" in data:
                record.operations.append(_operation(data["operation"]))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            record.broken_lines += 1
    return record


def _lines(path: Path) -> Iterator[str]:
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        yield from (line for line in file if line.strip())


def _reasons(data: dict[str, Any]) -> dict[str, Why | None]:
    """Return why rounds have left the context; raises ValueError for a reason that is none."""
    if not set(data.values()) <= {None, *get_args(Why)}:
        raise ValueError("not a reason")
    return data


def _message(data: Any) -> Message:
    """Return a message; raises ValueError for what has not the form of one."""
    calls = data.get("tool_calls") or []
    formed = data.get("role") in ("user", "assistant", "tool") and (
        calls or isinstance(data.get("content"), str | list)
    )
    if data.get("role") == "tool":
        formed = formed and isinstance(data.get("tool_call_id"), str)
    if not formed or not all(isinstance(c["id"], str) and isinstance(c["function"]["name"], str) for c in calls):
        raise ValueError("not a message")
    message: Message = data
    return message


def _operation(data: dict[str, Any]) -> Operation:
    inverse = Inverse(**data["inverse"]) if data.get("inverse") else None
    return Operation(**{**data, "inverse": inverse})
