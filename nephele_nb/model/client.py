"""The only door to a chat model: one streaming request at a time over HTTP; it keeps no history and runs no tool."""

from __future__ import annotations

import asyncio
import ipaddress
import math
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from nephele_nb.errors import ModelError
from nephele_nb.types import Message

from . import failure, wire
from .assemble import Assembler
from .delta import Delta, Reply, TextDelta, ThinkingDelta, Waiting
from .patience import REASONS, Patience
from .reading import Reading
from .tiers import OPENAI_URL, Endpoint
from .wire import Quirks

if TYPE_CHECKING:
    from openai import AsyncAPIResponse, AsyncOpenAI

__all__ = ["Delta", "ModelClient", "Reply", "TextDelta", "ThinkingDelta", "Waiting"]

LINGER_S = 5.0
"""How long a stream may go on after its finish reason, for the usage that follows."""
DRAIN_S = 0.1
"""How long the connection is read on after the end, so that it can be used again."""
LOCAL_KEY = "none"
CHOOSE_MODEL = "{host} needs the name of a model: set model (NEPHELE_MODEL).{said}"

learned: dict[tuple[str, str], Quirks] = {}
"""What this process has learnt about each endpoint, by base URL and model."""


class ModelClient:
    """Streams chat completions from one endpoint; a limit of 0 seconds means no limit. Belongs to one event loop."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        connect_timeout_s: float = 10.0,
        first_byte_timeout_s: float = 180.0,
        chunk_timeout_s: float = 90.0,
    ) -> None:
        self.endpoint = endpoint
        self._connect_s = connect_timeout_s or math.inf
        self._first_s = first_byte_timeout_s or math.inf
        self._chunk_s = chunk_timeout_s or math.inf
        self._client: AsyncOpenAI | None = None
        self._foreign: tuple[type[Exception], ...] = ()

    @property
    def quirks(self) -> Quirks:
        """What has been learnt about this endpoint."""
        return learned.get((self.endpoint.base_url, self.endpoint.model), Quirks())

    async def stream(
        self, messages: Sequence[Message], *, tools: Sequence[Mapping[str, Any]] = (), tool_choice: Any = None
    ) -> AsyncGenerator[Delta]:
        """Yield pieces as they come and one Reply last; raises ModelError, after the pieces that came before it.

        To stop, close it (``aclosing``) or cancel its task: the HTTP stream is closed at once.
        """
        client = await self._open()
        origin = self.endpoint.origin
        request = partial(wire.request_body, messages, origin=origin, tools=tools, tool_choice=tool_choice)
        names = [str(tool.get("function", {}).get("name")) for tool in tools]
        taken = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
        reading = Reading(self.endpoint, Assembler(names, taken=taken, origin=origin))
        loop = asyncio.get_running_loop()
        async with AsyncExitStack() as stack:
            response = None
            async with aclosing(self._ask(client, stack, request)) as asked:
                async for step in asked:
                    if isinstance(step, Waiting):
                        yield step
                    else:
                        response = step
            assert response is not None
            async with aclosing(self._bytes(response, reading, loop.time())) as parts:
                async for data in parts:
                    for piece in reading.feed(data):
                        yield piece
            last, outcome = reading.close()
        for piece in last:
            yield piece
        if isinstance(outcome, ModelError):
            raise outcome
        yield replace(outcome, notes=self.quirks.notes)

    async def close(self) -> None:
        """Close the connections; the client opens itself again when it is used."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _open(self) -> AsyncOpenAI:
        if self._client is None:
            # Loading the library takes a second or more, which the event loop must not stand still for.
            self._client = await asyncio.to_thread(self._connect)
            self._foreign = failure.foreign_errors()
        if not self.endpoint.model:
            self.endpoint = replace(self.endpoint, model=await self._only_model(self._client))
        return self._client

    def _connect(self) -> AsyncOpenAI:
        import openai

        connect_s = None if math.isinf(self._connect_s) else self._connect_s
        timeout = openai.Timeout(None, connect=connect_s)
        client = openai.AsyncOpenAI(
            api_key=self.endpoint.api_key or LOCAL_KEY,
            base_url=self.endpoint.base_url,
            max_retries=0,
            timeout=timeout,
            # What listens on this machine is never reached through a proxy.
            http_client=openai.DefaultAsyncHttpxClient(trust_env=not _is_loopback(self.endpoint.base_url)),
        )
        if self.endpoint.base_url != OPENAI_URL:
            # The library takes these from the environment; they mean nothing to any other host.
            client.organization = client.project = None
        return client

    async def _only_model(self, client: AsyncOpenAI) -> str:
        """Return the one model that the endpoint serves; raises ModelError (``no_model``) where there is a choice."""
        try:
            async with asyncio.timeout(_seconds(self._first_s)):
                listed = await client.get("/models", cast_to=object)
        except TimeoutError:
            raise failure.from_silence(self.endpoint, "first", self._first_s) from None
        except self._foreign as error:
            failed = failure.from_foreign(self.endpoint, error, self._connect_s)
            if failed.code in ("network", "timeout", "auth"):
                raise failed from self._safe(error)
            listed = None
        data = listed.get("data") if isinstance(listed, dict) else None
        names = [str(m["id"]) for m in data if isinstance(m, dict) and "id" in m] if isinstance(data, list) else []
        if len(names) == 1:
            return names[0]
        raise failure.fail(self.endpoint, CHOOSE_MODEL, "no_model", said=", ".join(names))

    async def _ask(
        self, client: AsyncOpenAI, stack: AsyncExitStack, request: Callable[..., dict[str, Any]]
    ) -> AsyncGenerator[Waiting | AsyncAPIResponse[Any]]:
        """Yield the response last; before it, each second of waiting for an endpoint that asked for patience."""
        patience, tried = Patience(), {self.quirks}
        while True:
            body = request(model=self.endpoint.model, quirks=self.quirks)
            try:
                response = await self._send(client, stack, body)
            except self._foreign as error:
                refusal = error
            else:
                yield response
                return
            if self._learn(refusal, body, tried):
                continue
            failed = failure.from_foreign(self.endpoint, refusal, self._connect_s)
            status, headers = _status_of(refusal)
            left = patience.pause(status, headers) if failed.retryable else None
            if left is None:
                raise failed from self._safe(refusal)
            while left > 0:
                yield Waiting(REASONS[status], left)
                await asyncio.sleep(min(1.0, left))
                left -= 1.0

    async def _send(self, client: AsyncOpenAI, stack: AsyncExitStack, body: dict[str, Any]) -> AsyncAPIResponse[Any]:
        # The library checks every message it is given one by one; as extra_body the history goes through untouched.
        manager = client.chat.completions.with_streaming_response.create(
            model=self.endpoint.model, messages=[], stream=True, extra_body=body
        )
        try:
            async with asyncio.timeout(_seconds(self._first_s)):
                return await stack.enter_async_context(manager)
        except TimeoutError:
            raise failure.from_silence(self.endpoint, "first", self._first_s) from None

    def _learn(self, refusal: Exception, body: dict[str, Any], tried: set[Quirks]) -> bool:
        """Change one quirk where this refusal asks for it; False where that leads nowhere new."""
        status, _ = _status_of(refusal)
        quirks = wire.learn(self.quirks, status, wire.error_text(getattr(refusal, "body", None)), body)
        if quirks is None or quirks in tried:
            return False
        tried.add(quirks)
        learned[self.endpoint.base_url, self.endpoint.model] = quirks
        return True

    async def _bytes(self, response: AsyncAPIResponse[Any], reading: Reading, began: float) -> AsyncGenerator[bytes]:
        """Yield the body as it comes in, until its end, an error in it, or a deadline."""
        loop = asyncio.get_running_loop()
        heard = moved = began
        chunks = 0
        source = cast("AsyncGenerator[bytes]", response.iter_bytes())
        async with aclosing(source):
            with suppress(*self._foreign):
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

    def _safe(self, error: Exception) -> Exception | None:
        """Return the cause to show beneath an error of ours, unless the key stands in its text."""
        return error if failure.hide_key(self.endpoint, str(error)) == str(error) else None


def _status_of(error: Exception) -> tuple[int, Mapping[str, str]]:
    response = getattr(error, "response", None)
    return getattr(error, "status_code", 0), {} if response is None else response.headers


def _seconds(limit: float) -> float | None:
    return None if math.isinf(limit) else limit


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
