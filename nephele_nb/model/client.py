"""The only door to a chat model: one streaming request at a time; it keeps no history and runs no tool."""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from nephele_nb.errors import ModelError
from nephele_nb.types import Message

from . import failure, wire
from .assemble import Assembler
from .bill import Bill
from .capabilities import sees, window
from .connection import Answer, Connection, HttpConnection, Refused
from .delta import Delta, LeftOut, Metered, Reply, TextDelta, ThinkingDelta, Waiting
from .encoding import Made
from .meters import read_meters
from .patience import REASONS, Patience
from .reading import Reading
from .sight import Look, Sight, holds_pictures, unseen
from .tiers import Endpoint
from .window import Fitted, fit, request_tokens, room
from .wire import Quirks

__all__ = ["Delta", "ModelClient", "Reply", "TextDelta", "ThinkingDelta", "Waiting"]

LINGER_S = 5.0
"""How long a stream may go on after its finish reason, for the usage that follows."""
DRAIN_S = 0.1
"""How long the connection is read on after the end, so that it can be used again."""

Ask = Callable[[Quirks], tuple[dict[str, Any], int]]
"""Makes one request's body for an endpoint's quirks, and counts the messages that had no room in it."""

learned: dict[tuple[str, str], Quirks] = {}
"""What this process has learnt about each endpoint, by base URL and model."""


class ModelClient:
    """Streams chat completions from one endpoint; a limit of 0 seconds means no limit. Belongs to one event loop.

    ``figures`` says whether figures of code go along: ``auto`` is where the model is known to see, by its name or since
    it took a picture. ``look`` gives a picture for its reference. ``through`` takes the connection's place, or wraps
    it: a tape that records or replays. What such a client learns about its endpoint is its own, so that a recording
    holds the whole of it.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        connect_timeout_s: float = 10.0,
        first_byte_timeout_s: float = 180.0,
        chunk_timeout_s: float = 90.0,
        context_tokens: int = 0,
        figures: Literal["auto", "always", "never"] = "auto",
        look: Look | None = None,
        through: Callable[[Connection], Connection] | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._first_s = first_byte_timeout_s or math.inf
        self._chunk_s = chunk_timeout_s or math.inf
        http = HttpConnection(endpoint, connect_timeout_s or math.inf, self._first_s)
        self._window = context_tokens
        self._figures, self._look = figures, look
        self._before_guess: Quirks | None = None
        self._connection: Connection = through(http) if through else http
        self._learned = {} if through else learned
        self._made = Made()
        self._made_for: tuple[Quirks, Sight] | None = None

    @property
    def quirks(self) -> Quirks:
        """What has been learnt about this endpoint."""
        return self._learned.get((self.endpoint.base_url, self.endpoint.model), Quirks())

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: Any = None,
        longest: int | None = None,
        bill: Bill | None = None,
    ) -> AsyncGenerator[Delta]:
        """Yield pieces as they come and one Reply last; raises ModelError, after the pieces that came before it.

        To stop, close it (``aclosing``) or cancel its task: the HTTP stream is closed at once. An answer of more than
        ``longest`` tokens is ended there. However it ends, ``bill`` says then what the request came to.
        """
        self.endpoint = replace(self.endpoint, model=await self._connection.open())
        request = partial(self._request, messages, tools, tool_choice)
        reading = self._reading(messages, tools, longest)
        async with AsyncExitStack() as stack:
            answer = None
            async with aclosing(self._ask(stack, request)) as asked:
                async for step in asked:
                    if isinstance(step, Answer):
                        answer = step
                    else:
                        yield step
            assert answer is not None
            if bill is not None:
                stack.callback(reading.write, bill, partial(self.prompt_tokens, messages, tools))
            async with aclosing(self._bytes(answer, reading)) as parts:
                async for data in parts:
                    for piece in reading.feed(data):
                        yield piece
            last, outcome = reading.close()
        for piece in last:
            yield piece
        if reading.meters:
            yield Metered(reading.meters)
        if isinstance(outcome, ModelError):
            raise self._learnt_from(outcome, request)
        yield replace(outcome, notes=self.quirks.notes, unseen=unseen(messages, self._sight(self.quirks)))

    async def close(self) -> None:
        """Close the connections; the client opens itself again when it is used."""
        await self._connection.close()

    def _reading(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], longest: int | None) -> Reading:
        taken = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
        assembler = Assembler(tools, taken=taken, origin=self.endpoint.origin, longest=longest)
        return Reading(self.endpoint, assembler)

    def prompt_tokens(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> int:
        """Return about how many tokens a request of these takes, as far as they have room in it."""
        return min(request_tokens(messages, tools), self._limit(self.quirks) or sys.maxsize)

    def _sight(self, quirks: Quirks) -> Sight:
        """Return what the endpoint is shown; figures nobody attached only where it is known to see, or they are set."""
        known = sees(self.endpoint.model) or quirks.seen
        figures = self._figures == "always" or (self._figures == "auto" and known)
        return Sight(quirks.images, quirks.moving, figures, self._look)

    def _limit(self, quirks: Quirks) -> int | None:
        return quirks.window or self._window or window(self.endpoint.model)

    def _request(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any]],
        tool_choice: Any,
        quirks: Quirks,
    ) -> tuple[dict[str, Any], int]:
        """Return a body, and how many messages had no room in it."""
        limit = self._limit(quirks)
        fitted = fit(messages, room(limit, tools, quirks.squeezed)) if limit else Fitted(messages)
        names: dict[str, Any] = {"model": self.endpoint.model, "origin": self.endpoint.origin}
        sight = self._sight(quirks)
        if (quirks, sight) != self._made_for:
            self._made, self._made_for = Made(), (quirks, sight)
        more = {"tools": tools, "tool_choice": tool_choice, "sight": sight, "made": self._made}
        body = wire.request_body(fitted.messages, **names, **more, quirks=quirks)
        return body, fitted.left_out

    async def _ask(self, stack: AsyncExitStack, request: Ask) -> AsyncGenerator[Waiting | Metered | LeftOut | Answer]:
        """Yield the answer last; before it what was left out or said of quotas, and each second of waiting."""
        patience, tried, told = Patience(), {self.quirks}, 0
        while True:
            body, left_out = request(self.quirks)
            if left_out > told:
                told = left_out
                yield LeftOut(left_out)
            try:
                async with asyncio.timeout(_seconds(self._first_s)):
                    answer = await self._connection.send(body, stack)
            except TimeoutError:
                raise failure.from_silence(self.endpoint, "first", self._first_s) from None
            except Refused as error:
                refusal = error
            else:
                if metered := self._metered(answer.headers):
                    yield metered
                self._learn_from_success(body)
                yield answer
                return
            if metered := self._metered(refusal.headers):
                yield metered
            if self._learn(refusal, body, tried, request):
                continue
            failed = failure.from_status(self.endpoint, refusal.status, refusal.body)
            left = patience.pause(refusal.status, refusal.headers) if failed.retryable else None
            if left is None:
                self._forget_guess()
                raise failed from refusal.__cause__
            while left > 0:
                yield Waiting(REASONS[refusal.status], left)
                await asyncio.sleep(min(1.0, left))
                left -= 1.0

    def _metered(self, headers: Mapping[str, str]) -> Metered | None:
        meters = read_meters(headers, platform=self.endpoint.on_platform)
        return Metered(meters) if meters else None

    def _learn(self, refusal: Refused, body: dict[str, Any], tried: set[Quirks], request: Ask) -> bool:
        """Change what this refusal asks for; False where that makes no other request of this one."""
        key, text = (self.endpoint.base_url, self.endpoint.model), wire.error_text(refusal.body)
        first: Quirks | None = None
        while (quirks := wire.learn(self.quirks, refusal.status, text, body)) and quirks not in tried:
            tried.add(quirks)
            self._learned[key] = quirks
            first = first or quirks
            if request(quirks)[0] != body:
                return True
        if first is not None:
            # What it said is kept, but not what was only tried in vain.
            self._learned[key] = first
        if (quirks := wire.guess(self.quirks, refusal.status, body)) and quirks not in tried:
            tried.add(quirks)
            self._before_guess = self._before_guess or self.quirks
            self._learned[key] = quirks
            return True
        return False

    def _learn_from_success(self, body: Mapping[str, Any]) -> None:
        """Keep a guess that has worked, and that the endpoint takes pictures where it took one."""
        self._before_guess = None
        if not self.quirks.seen and holds_pictures(body["messages"]):
            self._learned[self.endpoint.base_url, self.endpoint.model] = replace(self.quirks, seen=True)

    def _learnt_from(self, error: ModelError, request: Ask) -> ModelError:
        """Return an error inside a success, once what it asks of the next request is kept.

        This one is not made again: it may have been paid for.
        """
        learned = (
            wire.learn(self.quirks, 400, str(error), request(self.quirks)[0]) if error.code == "provider" else None
        )
        if learned is not None:
            self._learned[self.endpoint.base_url, self.endpoint.model] = learned
        return error

    def _forget_guess(self) -> None:
        """Take back a guess that didn't help."""
        if self._before_guess is not None:
            self._learned[self.endpoint.base_url, self.endpoint.model] = self._before_guess
            self._before_guess = None

    async def _bytes(self, answer: Answer, reading: Reading) -> AsyncGenerator[bytes]:
        """Yield the body as it comes in, until its end, an error in it, or a deadline."""
        loop = asyncio.get_running_loop()
        heard = moved = loop.time()
        chunks = 0
        async with aclosing(answer.body) as source:
            while not reading.over:
                phase, limit, since = self._patience(reading, heard, moved)
                try:
                    async with asyncio.timeout_at(_seconds(since + limit)):
                        data = await anext(source, None)
                except TimeoutError:
                    if not reading.terminal:
                        reading.error = failure.from_silence(self.endpoint, phase, limit)
                    return
                if data is None:
                    return
                yield data
                heard = loop.time()
                if reading.chunks > chunks:
                    chunks, moved = reading.chunks, heard
            with suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_S):
                    async for _ in source:
                        pass

    def _patience(self, reading: Reading, heard: float, moved: float) -> tuple[str, float, float]:
        """Return the deadline's name, its seconds, and since when they count (loop time).

        A comment that only keeps the line alive counts as a sign of life, but not for ever.
        """
        if reading.terminal:
            return "chunk", min(LINGER_S, self._chunk_s), heard
        if not reading.begun:
            return "first", self._first_s, moved
        longest = max(self._first_s, self._chunk_s)
        if moved + longest < heard + self._chunk_s:
            return "chunk", longest, moved
        return "chunk", self._chunk_s, heard


def _seconds(limit: float) -> float | None:
    return None if math.isinf(limit) else limit
