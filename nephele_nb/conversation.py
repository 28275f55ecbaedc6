"""One conversation: its journal and its history, reopened as it was left; it never runs a round.

A round that the kernel's end cut off is closed when the conversation is reopened: its open calls are answered, what
was pending is void, and the user is told.
"""

from __future__ import annotations

from pathlib import Path

from .events import ApprovalRequest, ApprovalResolved, Event, LoopDone, LoopError, ToolFinish, ToolStart, stamp
from .history import History
from .journal import Journal, name_for_notebook
from .strings import Strings
from .types import Usage


class Conversation:
    """The messages and events of one conversation, on disk before they are shown."""

    def __init__(self, folder: Path, name: str | None, session: str | None, say: Strings) -> None:
        """Open ``name``, else the conversation of the notebook ``session``, else a new one."""
        self.journal = Journal(folder, name or name_for_notebook(session))
        record = self.journal.record
        self.history = History(record.messages, self.journal.message)
        self.started = self.journal.started
        closing = _closing_events(record.events, say)
        if closing:
            self.history.close(say("kernel_ended_call"), say("kernel_ended_answer"))
        for event in closing:
            self.journal.event(event)

    @property
    def events(self) -> list[Event]:
        """All events, oldest first."""
        return self.journal.record.events

    def close(self) -> None:
        """Close the file."""
        self.journal.close()


def _closing_events(events: list[Event], say: Strings) -> list[Event]:
    """Return what is missing from a last round that never reached its LoopDone."""
    if not events or isinstance(events[-1], LoopDone):
        return []
    round_id = events[-1].round_id
    mine = [e for e in events if e.round_id == round_id]
    finished = {e.call_id for e in mine if isinstance(e, ToolFinish)}
    resolved = {e.approval_id for e in mine if isinstance(e, ApprovalResolved)}
    missing: list[Event] = [
        ApprovalResolved(e.approval_id, "cancelled", None, "")
        for e in mine
        if isinstance(e, ApprovalRequest) and e.approval_id not in resolved
    ]
    missing += [
        ToolFinish(e.call_id, e.tool, False, say("kernel_ended_call"), 0.0)
        for e in mine
        if isinstance(e, ToolStart) and e.call_id not in finished
    ]
    missing += [LoopError("kernel_ended", say("kernel_ended"), True), LoopDone("error", Usage(), [])]
    first = mine[-1].seq + 1
    return [stamp(event, round_id, first + n) for n, event in enumerate(missing)]
