"""One conversation: its journal and its history, reopened as it was left; it never runs a round.

A round that the kernel's end cut off is closed when the conversation is reopened: its open calls are answered, what
was pending is void, and the user is told.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from .events import ApprovalRequest, ApprovalResolved, Event, LoopDone, LoopError, ToolFinish, ToolStart, stamp
from .history import History, mend
from .journal import Journal, Operation
from .strings import Strings
from .types import Inverse, Usage


class Conversation:
    """The messages and events of one conversation, on disk before they are shown."""

    def __init__(self, folder: Path, name: str, say: Strings) -> None:
        """Open the conversation ``name``; raises NepheleError where its folder can't be written."""
        self._closed = False
        self.journal = Journal(folder, name)
        record = self.journal.record
        mended = mend(record.messages, say("kernel_ended_call"), say("kernel_ended_answer"))
        self.history = History(mended, self.journal.message)
        self.started = self.journal.started
        closing = closing_events(record.events, say)
        if closing:
            self.history.close(say("kernel_ended_call"), say("kernel_ended_answer"))
        for event in closing:
            self.journal.event(event)

    @property
    def events(self) -> list[Event]:
        """All events, oldest first."""
        return self.journal.record.events

    def changed(self, what: str, title: str, inverse: Inverse | None) -> None:
        """Record what the user changed by hand, as a round of its own, so that it can be taken back.

        A conversation that is closed may be another agent's by now, and records nothing.
        """
        if self._closed:
            return
        self.journal.operation(Operation(uuid4().hex[:12], "", what, title, inverse, time=time.time()))

    def clear(self) -> int:
        """Begin anew for the model, now and when it is reopened; return how many messages it no longer sees."""
        self.journal.cleared()
        return self.history.clear()

    def close(self) -> None:
        """Close the file."""
        self._closed = True
        self.journal.close()


def closing_events(events: list[Event], say: Strings) -> list[Event]:
    """Return what is missing from a last round that never reached its LoopDone."""
    if not events or isinstance(events[-1], LoopDone):
        return []
    round_id = events[-1].round_id
    mine = [e for e in events if e.round_id == round_id]
    missing = open_ends(mine, say("kernel_ended_call"))
    missing += [LoopError("kernel_ended", say("kernel_ended"), True), LoopDone("error", Usage(), [])]
    first = mine[-1].seq + 1
    return [stamp(event, round_id, first + n) for n, event in enumerate(missing)]


def open_ends(mine: Sequence[Event], why: str) -> list[Event]:
    """Return what a round's events still owe: a resolution for each request, a finish with ``why`` for each call."""
    finished = {e.call_id for e in mine if isinstance(e, ToolFinish)}
    resolved = {e.approval_id for e in mine if isinstance(e, ApprovalResolved)}
    missing: list[Event] = [
        ApprovalResolved(e.approval_id, "cancelled", None, "", "nobody")
        for e in mine
        if isinstance(e, ApprovalRequest) and e.approval_id not in resolved
    ]
    missing += [
        ToolFinish(e.call_id, e.tool, False, why, 0.0)
        for e in mine
        if isinstance(e, ToolStart) and e.call_id not in finished
    ]
    return missing
