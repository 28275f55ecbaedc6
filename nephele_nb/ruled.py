"""A round that a rule answers: one tool call, no model; it decides nothing about which call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from .calls import Step
from .commands import Names
from .events import Event, LoopDone, StreamChunk, plain
from .history import History
from .kernel.outputs import cut
from .prompt import envelope
from .round import Round
from .rules import Candidate
from .threads import in_thread
from .tools import Offer, Toolbox
from .types import Finish, ToolCall

KEPT = 4000
"""Characters of a result that stay in the conversation for the model."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The call a rule stands for."""

    call: str
    arguments: dict[str, Any]

    def __str__(self) -> str:
        given = ", ".join(f"{k}={json.dumps(plain(v), ensure_ascii=False)}" for k, v in self.arguments.items())
        return f"{self.call}({given})"


async def choose(candidates: list[Candidate], names: Names, alone: bool) -> Ruling | None:
    """Return the call of the first candidate whose name means something, else of one that can mean nothing else.

    ``alone`` says that no model could answer instead, so that the likeliest is taken.
    """
    for candidate in candidates:
        if not candidate.name:
            return Ruling(candidate.call, candidate.filled("", ""))
        if found := await in_thread(names.find, candidate.wants, candidate.name):
            return Ruling(candidate.call, candidate.filled(found.kind, found.name))
    left = [c for c in candidates if c.sure or alone]
    return Ruling(left[0].call, left[0].filled(left[0].wants, left[0].name)) if left else None


async def ruled(round: Round, ruling: Ruling, tools: Toolbox) -> AsyncGenerator[Event, None]:
    """Yield the events of the round: the call, what it gave, and that no model was used; LoopDone last."""
    finish: Finish = "rule"
    # The call goes through a step as a model's would, approvals included; the conversation keeps words of it.
    history = History()
    alone = replace(round, history=history, policy="ask" if _is_command(tools, ruling) else round.policy)
    call = ToolCall(f"rule_{uuid4().hex[:12]}", ruling.call, json.dumps(plain(ruling.arguments), ensure_ascii=False))
    step = Step(alone, Offer(tools, round.say), [call], allowed=1)
    try:
        async with aclosing(step.events()) as events:
            async for event in events:
                yield event
    except asyncio.CancelledError:
        round.resume()
        finish = "timeout" if round.interrupted == "timeout" else "stopped"
    pending = step.pending[0]
    text = pending.text
    if pending.failed:
        text = f"{text}\n\n{round.say('rule_force')}"
    _keep(round, ruling, pending.text)
    round.answer.append(text)
    yield StreamChunk(f"{text}\n\n{round.say('rule_label', call=str(ruling).replace('`', chr(39)))}")
    yield LoopDone(finish, round.usage, round.sources.cited(""))


def _is_command(tools: Toolbox, ruling: Ruling) -> bool:
    return ruling.call in tools and tools[ruling.call].category == "commands"


def _keep(round: Round, ruling: Ruling, text: str) -> None:
    """Keep the exchange so that the model knows of it at the next request, the result as data."""
    round.history.say_user(round.text, round.say("steer_filler"))
    said = round.say("rule_history", call=str(ruling))
    round.history.add({"role": "assistant", "content": f"{said}\n{envelope(cut(text, KEPT), 'result')}"})
