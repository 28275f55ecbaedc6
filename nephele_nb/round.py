"""One round's state: what was asked, what may still be done, what was cited; it never runs anything."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from .approval import Approval, Decision, Policy
from .events import LoopDone
from .grounding import CitationCheck
from .history import History
from .images import Album
from .journal import Operation
from .model.budget import Budget, CapReached
from .model.delta import Reply
from .model.tape import Tape
from .numbers import Finding, tie
from .prompt import skill_block
from .results import Results
from .rules import Candidate, Ruling
from .secrets import Secrets
from .skills import Brought
from .strings import Strings
from .types import Finish, Mode, Source, Tier, ToolResult, Usage, Why

Interruption = Literal["", "stop", "timeout"]
CITATION = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a round may use; times in seconds, ``wall_clock_s`` None where there is no clock."""

    max_steps: int
    max_tool_calls: int
    wall_clock_s: float | None
    confirm_timeout_s: float
    tool_timeout_s: float


class Sources:
    """What the round really opened, numbered from 1 in the order it was opened."""

    def __init__(self) -> None:
        self._numbers: dict[Source, int] = {}

    def number(self, source: Source) -> int:
        """Return the source's number, a new one if it is new."""
        return self._numbers.setdefault(replace(source, n=0), len(self._numbers) + 1)

    @property
    def count(self) -> int:
        return len(self._numbers)

    def cited(self, answer: str) -> list[Source]:
        """Return the sources an answer cites by number; all that were opened where it cites none."""
        all_of_them = [replace(source, n=n) for source, n in self._numbers.items()]
        wanted = {int(n) for n in CITATION.findall(answer)}
        return [s for s in all_of_them if s.n in wanted] or all_of_them


@dataclass(slots=True)
class Round:
    """One user message and what belongs to it until LoopDone."""

    id: str
    text: str
    mode: Mode
    tier: Tier
    say: Strings
    history: History
    limits: Limits
    policy: Policy
    on_operation: Callable[[Operation], None]
    budget: Budget
    secrets: Secrets
    results: Results
    tape: Tape | None = None
    skill: Brought | None = None
    """The skill that comes into the round."""
    attached: str = ""
    """A line that names the pictures, for the message's end."""
    pictures: Sequence[str] = ()
    """References of the pictures that go with the message."""
    album: Album | None = None
    """Keeps the figures that code draws."""
    meant: Sequence[Candidate] = ()
    """What the message may stand for by a rule."""
    instead: Mapping[str, Why] = field(default_factory=dict)
    """The rounds that leave the model's context when this one begins."""
    no_model: bool = False
    """True where no model could be asked instead."""
    ruling: Ruling | None = None
    """The call by which a rule answers the round."""
    headless: bool = False
    started: float = 0.0
    sources: Sources = field(default_factory=Sources)
    usage: Usage = field(default_factory=Usage)
    opened: list[str] = field(default_factory=list)
    """The texts of results that brought sources."""
    findings: list[Finding] = field(default_factory=list)
    """What the calls that went well came to."""
    answer: list[str] = field(default_factory=list)
    citations: CitationCheck = field(default_factory=lambda: CitationCheck(None))
    reply: Reply = field(init=False)
    """The model's last whole reply."""
    steering: deque[str] = field(default_factory=deque)
    pending: list[Approval] = field(default_factory=list)
    words: list[tuple[str, frozenset[str]]] = field(default_factory=list)
    """What the user approved for the whole round: a tool, and the classes of effect it may have."""
    delegate: Callable[..., Awaitable[ToolResult]] | None = None
    """Has sub-agents do tasks."""
    tasks: dict[str, Callable[[], None]] = field(default_factory=dict)
    """The sub-agents at work, by id, with what cancels each."""
    variables: Sequence[str] = ()
    """What stood in the kernel when the round began, a line each."""
    left_out: int = 0
    """How many messages of the conversation the model has not seen, for want of room."""
    unused_model: str = ""
    """The model that is named but can't be asked, since nobody said where it is."""
    capped: CapReached | None = None
    """Why no further request may be made."""
    unanswered: list[str] = field(default_factory=list)
    """Tools whose approvals expired."""
    interrupted: Interruption = ""
    driver: asyncio.Task[None] | None = None

    @property
    def message(self) -> str:
        """What was asked, without the name of a skill before it."""
        return self.skill.message if self.skill else self.text

    @property
    def skill_text(self) -> str:
        """What the round's skill says, as the model gets it; nothing for the embedded model, which follows none."""
        if self.skill is None or self.tier == "lite":
            return ""
        return skill_block(self.skill.skill.name, self.skill.skill.text(self.say.language))

    def done(self, finish: Finish) -> LoopDone:
        """Return the round's last event, with what its answer cites and the numbers that came out of its calls."""
        answer = "".join(self.answer)
        return LoopDone(finish, self.usage, self.sources.cited(answer), tie(answer, self.findings))

    def interrupt(self, why: Interruption) -> None:
        """End what the round is doing now, on the agent's loop; the first reason stands."""
        if self.interrupted in ("stop", why):
            return
        self.interrupted = why
        if self.tape is not None and why == "stop":
            self.tape.keep_said("stop")
        if self.driver is not None:
            self.driver.cancel()

    def resume(self) -> None:
        """Take the interruption as handled, so that closing work can be awaited."""
        if self.driver is not None:
            while self.driver.uncancel():
                pass

    def cut_words(self, running: bool) -> str:
        """Return what a call that the interruption ended is answered with."""
        return self.say(f"{self.interrupted or 'stop'}_{'running' if running else 'call'}")

    def steer(self, text: str) -> None:
        """Hear the user between steps; what waits for approval is rejected, since they wrote instead."""
        self.steering.append(text)
        for approval in list(self.pending):
            approval.settle(Decision("rejected", reason=self.say("wrote_instead")))
