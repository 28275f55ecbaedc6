"""One model call of a round: its pieces become events as they come, its reply is kept; it runs no tool.

What a call was charged is told when it has ended, however it ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol

from .errors import ModelError
from .events import Event, Progress, StreamChunk, StreamReset, ThinkingChunk
from .grounding import CitationCheck
from .model.bill import Bill
from .model.client import ModelClient
from .model.delta import LeftOut, Loading, Metered, Reply, TextDelta, ThinkingDelta, Waiting
from .round import Round
from .scrubbed import scrubbed
from .strings import Language
from .tools.offer import Offer
from .tools.registry import Tool
from .types import Message


class Check(Protocol):
    """What holds an answer to its sources while it streams."""

    def feed(self, text: str) -> str:
        """Return what may be shown now."""

    def end(self) -> str:
        """Return what was held back."""


async def think(
    round: Round, model: ModelClient, tools: Offer, system: Message, closing: bool = False
) -> AsyncGenerator[Event, None]:
    """Make one model call of a loop; its reply goes into the round and the history, a cut one as far as it came."""
    round.answer.clear()
    check = round.citations = CitationCheck((lambda: round.sources.count) if round.mode == "research" else None)
    specs = [_spec(tool, round.say.language) for tool in tools.whole()]
    messages = [system, *round.history.seen()]
    try:
        async for event in ask(round, model, messages, check, specs, "none" if closing else None):
            yield event
        _keep(round, closing)
    except (asyncio.CancelledError, ModelError) as error:
        why = round.say("cut_answer", message=str(error)) if isinstance(error, ModelError) else ""
        if said := "".join(round.answer):
            round.history.add({"role": "assistant", "content": f"{said}\n{why or round.say('stopped_answer')}"})
        raise


async def ask(
    round: Round,
    model: ModelClient,
    messages: Sequence[Message],
    check: Check,
    specs: Sequence[dict[str, Any]] = (),
    tool_choice: str | None = None,
) -> AsyncGenerator[Event, None]:
    """Yield the events of one request; the whole reply is in ``round.reply`` then. Raises ModelError and CapReached."""
    grant = round.budget.ask(model.endpoint, lambda: model.prompt_tokens(messages, specs))
    bill, longest = Bill(), grant.answer_tokens
    asked = scrubbed(
        model.stream(messages, tools=specs, tool_choice=tool_choice, longest=longest, bill=bill), round.secrets
    )
    try:
        async with aclosing(asked) as deltas:
            async for delta in deltas:
                if isinstance(delta, Metered):
                    bill.meters |= delta.meters
                elif isinstance(delta, Reply):
                    round.reply = delta
                elif event := _event(round, delta, check):
                    yield event
        if event := _shown(round, check.end()):
            yield event
    except (ModelError, asyncio.CancelledError):
        for event in round.budget.settle(grant, model.endpoint, bill):
            yield event
        raise
    except GeneratorExit:
        round.budget.settle(grant, model.endpoint, bill)
        raise
    round.usage += replace(round.reply.usage, steps=1)
    for event in round.budget.settle(grant, model.endpoint, bill):
        yield event


@lru_cache(maxsize=256)
def _spec(tool: Tool, language: Language) -> dict[str, Any]:
    """Return a tool's schema, which takes longer to make than a request to a model nearby."""
    return tool.spec(language)


def _event(round: Round, delta: TextDelta | ThinkingDelta | Waiting | Loading | LeftOut, check: Check) -> Event | None:
    if isinstance(delta, TextDelta):
        if delta.restart:
            round.answer.clear()
            return StreamReset()
        return _shown(round, check.feed(delta.text))
    if isinstance(delta, ThinkingDelta):
        return ThinkingChunk(delta.text)
    if isinstance(delta, LeftOut):
        round.left_out = max(round.left_out, delta.count)
        return Progress(round.say("left_out", count=delta.count), 0, None)
    if isinstance(delta, Loading):
        return Progress(round.say("lite_loading", name=delta.name), int(delta.seconds), None)
    return Progress(round.say(f"waiting_{delta.reason}"), 0, delta.seconds)


def _shown(round: Round, text: str) -> StreamChunk | None:
    if not text:
        return None
    round.answer.append(text)
    return StreamChunk(text)


def _keep(round: Round, closing: bool) -> None:
    message = dict(round.reply.message)
    if closing:
        message.pop("tool_calls", None)
    if message.get("content") or message.get("tool_calls"):
        round.history.add(message)
