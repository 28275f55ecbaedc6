"""The pieces of one model call without secrets, as they come; it holds back no more than what may begin one."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from .model.delta import Delta, Reply, TextDelta, ThinkingDelta
from .secrets import Secrets
from .types import Message, ToolCall


async def scrubbed(deltas: AsyncGenerator[Delta], secrets: Secrets) -> AsyncGenerator[Delta]:
    """Yield what a model call gives, with the secrets that it wrote hidden; what is held comes before the reply."""
    text, thinking = secrets.sieve(), secrets.sieve()
    async with aclosing(deltas):
        async for delta in deltas:
            if isinstance(delta, TextDelta):
                if delta.restart:
                    text.drop()
                shown = text.feed(delta.text)
                if shown or delta.restart:
                    yield replace(delta, text=shown)
            elif isinstance(delta, ThinkingDelta):
                if shown := thinking.feed(delta.text):
                    yield ThinkingDelta(shown)
            elif isinstance(delta, Reply):
                if rest := thinking.end():
                    yield ThinkingDelta(rest)
                if rest := text.end():
                    yield TextDelta(rest)
                yield _reply(delta, secrets)
            else:
                yield delta


def _reply(reply: Reply, secrets: Secrets) -> Reply:
    return replace(
        reply,
        text=secrets.hide(reply.text),
        thinking=secrets.hide(reply.thinking),
        calls=tuple(_call(call, secrets) for call in reply.calls),
        message=_message(reply.message, secrets),
    )


def _call(call: ToolCall, secrets: Secrets) -> ToolCall:
    hide = secrets.hide
    fault = None if call.fault is None else hide(call.fault)
    return replace(call, name=hide(call.name), arguments=secrets.hide_json(call.arguments), fault=fault)


def _message(message: Message, secrets: Secrets) -> Message:
    """Return the message for the history; its calls are JSON inside, in which a secret may be escaped."""
    hidden: Message = secrets.hide_in(message)
    for call in hidden.get("tool_calls") or ():
        call["function"]["arguments"] = secrets.hide_json(call["function"]["arguments"])
    return hidden
