"""Reads one response body: bytes to payloads to pieces, and the verdict at its end; it does no I/O of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from nephele_nb.errors import ModelError
from nephele_nb.types import Usage

from . import failure
from .assemble import Assembler
from .bill import Bill
from .delta import Piece, Reply
from .meters import Meters, read_fields
from .sse import DONE, EventReader
from .tiers import Endpoint

decode = json.JSONDecoder(strict=False).decode
LONGEST_PREFACE = 1_000_000


class Reading:
    """One response body on its way in.

    ``begun`` says that a chunk has come, ``terminal`` that the end was marked (a finish reason or ``[DONE]``),
    ``over`` that nothing more need be read, ``error`` what ended it early.
    """

    def __init__(self, endpoint: Endpoint, assembler: Assembler) -> None:
        self.error: ModelError | None = None
        self.chunks = 0
        self.meters = Meters()
        self._endpoint = endpoint
        self._assembler = assembler
        self._events = EventReader()
        self._done = False
        self._torn = False
        self._preface = bytearray()

    @property
    def begun(self) -> bool:
        return self.chunks > 0

    @property
    def terminal(self) -> bool:
        marked = self._assembler.finish_reason is not None and not self._torn
        return self._done or marked or bool(self._assembler.ended)

    @property
    def over(self) -> bool:
        return self._done or self.error is not None or bool(self._assembler.ended)

    def write(self, bill: Bill, prompt_tokens: Callable[[], int]) -> None:
        """Write what the request has used by now: as told, else about as much as was sent and said."""
        told, made = self._assembler.usage, self._assembler.tokens
        if told is not None and told.total:
            bill.usage = told
        elif made or self.error is None or self.error.code in ("timeout", "cut"):
            asked = prompt_tokens()
            bill.usage, bill.estimated = Usage(asked, made, total=asked + made, steps=1), True
        # Any other error before the first word is a refusal, whatever its status.
        bill.meters |= self.meters

    def feed(self, data: bytes) -> list[Piece]:
        """Take bytes of the body and return what they add."""
        if not self.begun and len(self._preface) < LONGEST_PREFACE:
            self._preface += data
        return self._take(self._events.feed(data), at_end=False)

    def close(self) -> tuple[list[Piece], Reply | ModelError]:
        """Return what the end of the body adds, and the reply, or why there is none."""
        given = self._take(self._events.close(), at_end=True)
        if not self.begun and self.error is None:
            try:
                given += self._take_whole()
            except RecursionError:
                self.error = self._too_deep()
        more, reply = self._assembler.finish(self.terminal)
        given += more
        unconfirmed = not self.terminal and (bool(reply.calls) or self._assembler.usage is None or self._torn)
        if self.error is None and unconfirmed:
            self.error = failure.fail(self._endpoint, failure.CUT, "cut", retryable=True)
        return given, self.error or reply

    def _take(self, payloads: list[str], *, at_end: bool) -> list[Piece]:
        given: list[Piece] = []
        for payload in payloads:
            if self.over:
                break
            if payload.strip() == DONE:
                self._done = True
            elif payload.lstrip().startswith("{"):
                try:
                    given += self._parse(payload, at_end=at_end)
                except RecursionError:
                    self.error = self._too_deep()
        return given

    def _too_deep(self) -> ModelError:
        return failure.fail(self._endpoint, failure.IN_BAND, "provider", said="(JSON nested too deep to be read)")

    def _parse(self, payload: str, *, at_end: bool) -> list[Piece]:
        try:
            chunk = decode(payload)
        except ValueError:
            self._torn = at_end
            if not at_end:
                self.error = failure.fail(
                    self._endpoint, failure.IN_BAND, "provider", said=f"broken chunk: {payload}", retryable=True
                )
            return []
        return self._accept(chunk)

    def _accept(self, chunk: Mapping[str, Any]) -> list[Piece]:
        self.chunks += bool(chunk)
        if "x_nephele" in chunk and self._endpoint.on_platform:
            self.meters |= read_fields(chunk["x_nephele"])
        given = self._assembler.feed(chunk)
        self.error = failure.from_chunk(self._endpoint, chunk)
        return given

    def _take_whole(self) -> list[Piece]:
        """Read a body that holds no event: one JSON answer from a server that doesn't stream, or no answer at all."""
        text = self._preface.decode("utf-8", "replace").strip()
        try:
            answer = json.loads(text) if text.startswith("{") else None
        except ValueError:
            answer = None
        if isinstance(answer, dict) and answer.get("choices"):
            return self._accept(answer)
        if text and not self._done:
            self.error = failure.from_no_stream(self._endpoint, text)
        return []
