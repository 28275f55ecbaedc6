"""One conversation: its journal and its history, reopened as it was left; it never runs a round.

A round that the kernel's end cut off is closed when the conversation is reopened: its open calls are answered, what
was pending is void, and the user is told.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from .errors import NepheleError
from .events import (
    ApprovalRequest,
    ApprovalResolved,
    Event,
    LoopDone,
    LoopError,
    RoundStart,
    ToolFinish,
    ToolStart,
    stamp,
)
from .history import History, mend
from .journal import Journal, Operation
from .strings import Strings, language_of
from .types import Finish, Inverse, Usage, Why

UNDECIDED = ("expired", "cancelled")
"""How an approval ends that nobody has decided."""


class Conversation:
    """The messages and events of one conversation, on disk before they are shown."""

    def __init__(self, folder: Path, name: str, say: Strings) -> None:
        """Open the conversation ``name``; raises NepheleError where its folder can't be written."""
        self._closed = False
        self.journal = Journal(folder, name)
        record = self.journal.record
        mended = mend(record.messages, say("kernel_ended_call"), say("kernel_ended_answer"))
        self.history = History(mended, self.journal.message)
        self.history.aside = record.aside
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

    @property
    def aside(self) -> Mapping[str, Why]:
        """The rounds that the model no longer gets, and why."""
        return self.journal.record.aside

    def set_aside(self, rounds: Mapping[str, Why | None]) -> None:
        """Let whole rounds leave the model's context for a reason, or return to it (None); their events stay."""
        if rounds:
            self.journal.set_aside(rounds)
            self.history.aside = self.aside

    def put(self, round_id: str, in_context: bool, say: Strings) -> None:
        """Take one round out of the model's context by hand, or put it back.

        Raises NepheleError for one that still runs, and for one that left it when the conversation began anew.
        """
        if self.finish(round_id) is None:
            raise NepheleError(say("context_running"))
        if not self.history.of_round(round_id):
            raise NepheleError(say("context_gone"))
        self.set_aside({round_id: None if in_context else "deleted"})

    def finish(self, round_id: str) -> Finish | None:
        """Return how a round ended; None for one that has not."""
        return next((e.finish for e in self.events if isinstance(e, LoopDone) and e.round_id == round_id), None)

    def replaced(self, round_id: str, edited: bool) -> tuple[dict[str, Why], list[str]]:
        """Return the rounds that leave the context when one is asked again, and the pictures that went with it.

        In other words (``edited``) it takes along what followed it; nothing is left for a round that is not known.
        """
        begun = [e.round_id for e in self.events if isinstance(e, RoundStart)]
        if round_id not in begun:
            return {}, []
        gone = begun[begun.index(round_id) :] if edited else [round_id]
        why: Why = "edited" if edited else "retried"
        said = next((m["content"] for m in self.history.of_round(round_id)), "")
        parts = said if isinstance(said, list) else []
        pictures = [part["image_url"]["url"] for part in parts if part.get("type") == "image_url"]
        return {each: why for each in gone if each not in self.aside}, pictures

    def undecided(self, approval_id: str, language: str) -> tuple[str, ToolStart]:
        """Return words that ask once more about a call that nobody decided on, and the call.

        ``language`` is the setting. Raises NepheleError where it was decided, still waits, or is not known.
        """
        mine = [e for e in self.events if approval_id == getattr(e, "approval_id", None)]
        asked = next((e for e in mine if isinstance(e, ApprovalRequest)), None)
        undecided = any(isinstance(e, ApprovalResolved) and e.outcome in UNDECIDED for e in mine)
        if asked is None or not undecided:
            raise NepheleError(Strings(language_of("", language))("again_decided"))
        its = [e for e in self.events if e.round_id == asked.round_id]
        call = next(e for e in reversed(its) if isinstance(e, ToolStart) and e.call_id == asked.call_id)
        said = next((e.text for e in its if isinstance(e, RoundStart)), "")
        words = Strings(language_of(said, language))
        first = next((line for line in (asked.code or "").splitlines() if line.strip()), asked.tool)
        return words("run_again", what=asked.description or first.strip()), call

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
