"""Talks to a scripted model through the real client, over real HTTP, and keeps what came."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from nephele_nb.errors import ModelError
from nephele_nb.model.client import Delta, ModelClient, Reply, TextDelta, ThinkingDelta, Waiting
from nephele_nb.model.scripted import ScriptedModel
from nephele_nb.model.tiers import Endpoint, endpoint
from nephele_nb.types import Message

T = TypeVar("T")
KEY = "sk-test-0123456789abcdef"
ASK: Message = {"role": "user", "content": "go on"}
CHUNKINGS = ("event", "whole", "byte:1", "byte:7")


def tool(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}


TOOLS = [tool(name) for name in ("run_python", "search_notes", "get_stats")]


@dataclass(slots=True)
class Heard:
    """What one call of the client gave: the pieces joined, the reply or the error."""

    text: str = ""
    thinking: str = ""
    waits: list[Waiting] = field(default_factory=list)
    reply: Reply | None = None
    error: ModelError | None = None

    def take(self, delta: Delta) -> None:
        assert self.reply is None, "nothing follows the reply"
        if isinstance(delta, TextDelta):
            if delta.restart:
                self.thinking, self.text = self.thinking + self.text, ""
            self.text += delta.text
        elif isinstance(delta, ThinkingDelta):
            self.thinking += delta.text
        elif isinstance(delta, Waiting):
            self.waits.append(delta)
        elif isinstance(delta, Reply):
            self.reply = delta


def at(model: ScriptedModel, **changes: str) -> Endpoint:
    """Return the endpoint of a running scripted model."""
    return endpoint("byok", changes.get("base_url", model.base_url), KEY, changes.get("name", model.model))


async def hear(client: ModelClient, messages: Sequence[Message] = (ASK,), **request: Any) -> Heard:
    """Make one call and return all it gave."""
    heard = Heard()
    try:
        async for delta in client.stream(messages, **({"tools": TOOLS} | request)):
            heard.take(delta)
    except ModelError as error:
        heard.error = error
    return heard


async def hear_once(where: Endpoint, messages: Sequence[Message] = (ASK,), **request: Any) -> Heard:
    client = ModelClient(where)
    try:
        return await hear(client, messages, **request)
    finally:
        await client.close()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, or fail after a time that only a hang takes."""
    return asyncio.run(asyncio.wait_for(work, 60))


def answered(reply: Reply, result: str = "done") -> list[Message]:
    """Return the reply's message and one result for each of its calls."""
    return [reply.message, *({"role": "tool", "tool_call_id": c.id, "content": result} for c in reply.calls)]
