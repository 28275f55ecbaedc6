"""What the agent knows beside a conversation: memory cards and skills, and which skill a round brings in.

It writes no card and asks no model.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from .events import Event, StreamChunk, ToolFinish, ToolStart
from .memory import Memory
from .memory.index import index
from .prompt import Standing
from .round import Round
from .skills import Brought, Skills, called, fitting
from .strings import Language


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The cards and skills of one agent."""

    memory: Memory
    skills: Skills

    def standing(self, language: Language) -> Standing:
        """Return what the system prompt names: it changes only where cards or skills do."""
        cards, left_out = index(self.memory.list())
        return Standing(cards, left_out, self.skills.catalogue(language))

    def skill(self, round: Round) -> Brought | None:
        """Return the skill a message calls by name, or, in a loop, the one that its words clearly fit."""
        usable = self.skills.usable()
        return called(round.text, usable) or (fitting(round.text, usable) if round.mode != "chat" else None)


async def opened(round: Round, skill: Brought, events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
    """Yield a round's events after those that show its skill."""
    call, name, followed = f"skill-{round.id}", skill.skill.name, bool(round.skill_text)
    key = ("skill_fits" if skill.phrase else "skill_asked") if followed else "skill_no_model"
    async with aclosing(events):
        yield ToolStart(call, "load_skill", {"name": name})
        yield ToolFinish(call, "load_skill", followed, round.say(key, name=name, phrase=skill.phrase), 0.0)
        async for event in events:
            yield event


async def alone(round: Round, skill: Brought) -> AsyncGenerator[Event, None]:
    """Yield a round that asks what to do with a skill that was called without a task; no model is used."""
    description = skill.skill.in_(round.say.language).description
    words = round.say("skill_alone", name=skill.skill.name, description=description)
    round.history.say_user(round.text, round.say("steer_filler"))
    round.history.add({"role": "assistant", "content": words})
    yield StreamChunk(words)
    yield round.done("rule")
