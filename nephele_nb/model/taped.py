"""A tape in the place of a connection: one that records what passes, one that replays it; neither reads a payload."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from nephele_nb.errors import ModelError, SettingError
from nephele_nb.settings import Effective

from .connection import Answer, Connection, Refused
from .meters import KEPT_HEADERS
from .tape import Exchange, Hiding, Tape, load
from .tiers import Endpoint

CANCELLED_S = 5.0
"""How long a replayed request may wait to be cancelled."""
TAPE_MODES = ("record", "replay", "auto")
MODE_AS_FILE = (
    "tape={mode!r} would be a file of that name, and it is a mode: tape_mode={mode!r} means the tape beside the "
    "notebook, with tape='talk.tape' another one (or NEPHELE_TAPE={mode} and NEPHELE_TAPE_FILE). "
    "A file that is really called so is tape='./{mode}'."
)


class Recorder:
    """Passes requests on to a connection and writes what came back."""

    def __init__(self, tape: Tape, connection: Connection, endpoint: Endpoint) -> None:
        self._tape = tape
        self._connection = connection
        self._failed: WeakKeyDictionary[Any, list[Exchange]] = WeakKeyDictionary()
        """What failed in each task; it comes on the tape with the answer that was got by asking otherwise."""
        tape.tier, tape.host = endpoint.tier, endpoint.host

    async def open(self) -> str:
        """Open the connection, and note the model's name."""
        self._tape.model = await self._connection.open()
        return self._tape.model

    async def send(self, body: Mapping[str, Any], stack: AsyncExitStack) -> Answer:
        """Send a request and write its exchange when the body has ended.

        A request that failed is written only where the same task went on with another one: a replay has to be refused
        as well, so that it asks for that. One that was made again, or that ended the round, is no part of the talk.
        """
        request, began = self._tape.outline(body), time.monotonic()
        failed = self._failed.setdefault(asyncio.current_task(), [])
        self._tape.asked += 1
        try:
            answer = await self._connection.send(body, stack)
        except (Refused, ModelError) as error:
            self._tape.asked -= 1
            if isinstance(error, Refused):
                failed.append(_refused(request, error, began))
            raise
        learnt = [exchange for exchange in failed if exchange.request != request]
        failed.clear()
        for exchange in learnt:
            self._tape.asked += 1
            self._tape.keep(exchange)
        return Answer(answer.headers, self._listen(request, answer, began))

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()

    async def _listen(self, request: tuple[str, ...], answer: Answer, began: float) -> AsyncGenerator[bytes]:
        heard: list[bytes] = []
        first, end = began, "left"
        try:
            async with aclosing(answer.body) as body:
                async for data in body:
                    first = time.monotonic() if not heard else first
                    heard.append(data)
                    yield data
            end = "whole"
        finally:
            said = b"".join(heard).decode("utf-8", "surrogateescape")
            timing = _timing(began, first, len(heard))
            self._tape.keep(Exchange(request, 200, _kept(answer.headers), said, end, timing))


class Player:
    """Answers from a tape; nothing is sent."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    async def open(self) -> str:
        """Return the model's name on the tape."""
        return self._tape.model

    async def send(self, body: Mapping[str, Any], stack: AsyncExitStack) -> Answer:
        """Return what answered this request on the tape; raises ModelError (``tape``) where nothing did."""
        exchange = self._tape.take(self._tape.outline(body))
        if exchange.status != 200:
            raise Refused(exchange.status, exchange.headers, _parsed(exchange.body))
        data = exchange.body.encode("utf-8", "surrogateescape")
        return Answer(exchange.headers, self._again(data))

    async def close(self) -> None:
        """Nothing is open."""

    async def _again(self, data: bytes) -> AsyncGenerator[bytes]:
        """Yield a body, and do then what the user did."""
        for line in data.splitlines(keepends=True):
            yield line
        said = self._tape.due()
        for one in said:
            if self._tape.hear is not None:
                self._tape.hear(one)
        if any(one.what != "steer" for one in said):
            # What was asked to stop is cancelled here, a sub-agent from another thread.
            await asyncio.sleep(CANCELLED_S)


def tape_for(settings: Effective, session: str | None, hiding: Hiding) -> Tape | None:
    """Return the tape that the settings name, or None; raises SettingError where one to replay isn't there."""
    if not settings.tape and not settings.tape_mode:
        return None
    if settings.tape in TAPE_MODES:
        raise SettingError(MODE_AS_FILE.format(mode=settings.tape))
    beside = Path(session or "nephele").with_suffix(".tape")
    path = Path(settings.tape).expanduser() if settings.tape else Path(os.path.basename(beside))  # noqa: PTH119
    mode = settings.tape_mode or "auto"
    if mode == "replay" or (mode == "auto" and path.exists()):
        return load(path, hiding)
    return Tape(path, False, hiding)


def through(tape: Tape, endpoint: Endpoint) -> Callable[[Connection], Connection]:
    """Return what puts the tape between a client and its connection."""
    return lambda connection: Player(tape) if tape.replaying else Recorder(tape, connection, endpoint)


def _refused(request: tuple[str, ...], error: Refused, began: float) -> Exchange:
    said = error.body if isinstance(error.body, str) else json.dumps(error.body, ensure_ascii=False)
    return Exchange(request, error.status, _kept(error.headers), said, timing=_timing(began, began, 0))


def _parsed(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: headers[name] for name in KEPT_HEADERS if name in headers}


def _timing(began: float, first: float, pieces: int) -> str:
    now = time.monotonic()
    return f"first byte {(first - began) * 1000:.0f} ms, whole {(now - began) * 1000:.0f} ms, {pieces} pieces"
