"""A round that a rule answers: one tool call, no model; it asks nobody but for the approvals that a call needs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import uuid4

from .calls import Step
from .commands import Controls, Names, Surface, commands
from .errors import NepheleError
from .events import Event, LoopDone, StreamChunk, plain
from .history import History
from .kernel.outputs import cut
from .pending import Pending
from .prompt import envelope
from .round import Round
from .rules import Candidate, Rulebook, Ruling
from .threads import in_thread
from .tools import Offer, Toolbox
from .types import Finish, ToolCall

if TYPE_CHECKING:
    from .kernel.executor import Executor

KEPT = 4000
"""Characters of a result that stay in the conversation for the model."""
STOP = "stop"
"""The command that is carried out the moment it comes."""


class Rules:
    """The rules of one agent: what a message may stand for, and the tools that carry it out."""

    def __init__(self, agent: Surface, executor: Executor) -> None:
        self.book = Rulebook(agent.home / "rules")
        self.stopped = 0
        """How many rounds the last message that says stop has stopped."""
        self._names = Names(lambda: agent.library, executor.lookup)
        self._agent, self._executor = agent, executor
        self._told: list[str] = []

    @cached_property
    def _commands(self) -> Toolbox:
        """Made when a rule first answers, since the schemas of so many tools take their time."""
        return commands(Controls(self._agent, self._executor, self.book, lambda: self.stopped), self._names)

    def meant(self, text: str) -> Sequence[Candidate]:
        """Return the calls a message may stand for, without a look at what there is."""
        return self.book.match(text)

    def stops(self, text: str) -> bool:
        """Tell whether a message says to stop, and nothing else."""
        return any(candidate.call == STOP for candidate in self.book.match(text))

    def news(self) -> list[str]:
        """Return what can't be used of the user's rules, each time it has changed."""
        new = [fault for fault in self.book.faults if fault not in self._told]
        self._told = list(self.book.faults)
        return new

    async def settle(self, round: Round) -> bool:
        """Decide whether a rule answers a round; the round's tier and ruling tell it then."""
        try:
            if round.meant:
                round.ruling = await choose(round.meant, self._names, round.no_model)
        except asyncio.CancelledError:
            round.resume()
        if round.ruling is not None:
            round.tier = "lite"
        return round.ruling is not None

    def answer(self, round: Round, ruling: Ruling) -> AsyncGenerator[Event, None]:
        """Return the events of a round that a rule answers."""
        return ruled(round, ruling, Toolbox({**self._agent.tools, **self._commands}))


async def choose(candidates: Sequence[Candidate], names: Names, alone: bool) -> Ruling | None:
    """Return the call of the first candidate whose name means something, else of one that can mean nothing else.

    ``alone`` says that no model could answer instead, so that the likeliest is taken.
    """
    for candidate in candidates:
        if not candidate.name:
            return Ruling(candidate.call, candidate.filled("", ""))
        try:
            found = await in_thread(names.find, candidate.wants, candidate.name)
        except NepheleError:
            break  # a library that can't be opened: whoever answers says so
        if found is not None:
            return Ruling(candidate.call, candidate.filled(found.kind, found.name))
    left = [candidate for candidate in candidates if candidate.sure or alone]
    return Ruling(left[0].call, left[0].filled(left[0].wants, left[0].name)) if left else None


async def ruled(round: Round, ruling: Ruling, tools: Toolbox) -> AsyncGenerator[Event, None]:
    """Yield the events of the round: the call, what it gave, and that no model was used; LoopDone last."""
    finish: Finish = "rule"
    # The call goes through a step as a model's would, approvals included; the conversation keeps words of it.
    policy = "ask" if ruling.call in tools and tools[ruling.call].category == "commands" else round.policy
    alone = replace(round, history=History(), policy=policy)
    call = ToolCall(f"rule-{uuid4().hex[:12]}", ruling.call, json.dumps(plain(ruling.arguments), ensure_ascii=False))
    step = Step(alone, Offer(tools, round.say), [call], allowed=1)
    try:
        async with aclosing(step.events()) as events:
            async for event in events:
                yield event
    except asyncio.CancelledError:
        round.resume()
        finish = "timeout" if round.interrupted == "timeout" else "stopped"
    pending = step.pending[0]
    _keep(round, ruling, pending.text)
    round.answer.append(_told(round, ruling, pending))
    yield StreamChunk(round.answer[-1])
    yield LoopDone(finish, round.usage, round.sources.cited(""))


def _told(round: Round, ruling: Ruling, pending: Pending) -> str:
    """Return what the user reads; the card of a call that was asked for again shows what came of it."""
    if ruling.again:
        return round.say("ran_again" if pending.began is not None else "not_run_again")
    hint = [round.say("rule_force")] if pending.failed else []
    label = round.say("rule_label", call=str(ruling).replace("`", "'"))
    return "\n\n".join([pending.text, *hint, label])


def _keep(round: Round, ruling: Ruling, text: str) -> None:
    """Keep the exchange so that the model knows of it at the next request, the result as data."""
    round.history.say_user(round.text, round.say("steer_filler"))
    said = round.say("again_history" if ruling.again else "rule_history", call=str(ruling))
    round.history.add({"role": "assistant", "content": f"{said}\n{envelope(cut(text, KEPT), 'result')}"})
