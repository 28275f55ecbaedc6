"""One run of approved code as the agent sees it: queued, running, stopped, ended; it never runs code itself."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ..types import Inverse, Output
from .collector import Collector
from .keeping import Keeping
from .kept import Kept, TakenBack
from .namespace import Variable

Status = Literal["ok", "error", "timeout", "interrupted", "refused"]
KEYBOARD = "this code asked for keyboard input; pass the value instead"
_QUEUED_AFTER_S = 0.3
_STRIKE_EVERY_S = 0.4
_GRACE_S = 2.0
_PURSUE_S = 120.0
_LAST_OUTPUT_S = 3.0
_ERROR_CAP = 500


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended; ``error`` is like ``"ZeroDivisionError: division by zero"``, ``note`` is for the model."""

    status: Status
    outputs: tuple[Output, ...]
    error: str
    note: str
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Ending:
    """What the place where the code ran says about its end; an error published as output is more exact.

    ``struck`` tells that an interrupt of ours has reached it, ``stopped_from_outside`` that another one has.
    """

    error: str = ""
    refused: str = ""
    note: str = ""
    struck: bool = False
    stopped_from_outside: bool = False


class Executor(Protocol):
    """Runs approved code in the user's namespace, and describes what stands there."""

    def start(
        self,
        code: str,
        *,
        timeout: float,
        on_state: Callable[[str], None] | None = None,
        on_output: Callable[[Output], None] | None = None,
        keeping: Keeping | None = None,
    ) -> Execution: ...

    async def run(
        self,
        code: str,
        *,
        timeout: float,
        on_state: Callable[[str], None] | None = None,
        on_output: Callable[[Output], None] | None = None,
    ) -> RunResult: ...

    async def describe(self, names: Sequence[str] = ()) -> list[Variable]: ...

    @property
    def namespace(self) -> Mapping[str, Any]: ...

    def lookup(self, name: str) -> object | None: ...

    @property
    def kept(self) -> Kept: ...

    def take_back(self, inverse: Inverse) -> TakenBack: ...


class Execution:
    """A run under way; make it and use it on the agent's loop. ``interrupt`` may be called from any thread."""

    def __init__(
        self,
        launch: Callable[[Callable[[], None]], Future[Ending]],
        strike: Callable[[], None],
        collector: Collector,
        timeout: float,
        on_state: Callable[[str], None] | None = None,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._strike = strike
        self._collector = collector
        self._timeout = timeout
        self._say = on_state or (lambda _state: None)
        self._begun, self._stop = asyncio.Event(), asyncio.Event()
        self._began = 0.0
        self._outside = launch(self._begin)
        self._pursuit: asyncio.Task[bool] | None = None
        self._task = asyncio.create_task(self._conduct())

    async def result(self) -> RunResult:
        """Wait for the end; cancelling this wait leaves the run as it is."""
        return await asyncio.shield(self._task)

    def interrupt(self) -> None:
        """Stop the code if it runs, take it out of the queue if it doesn't yet; ``result`` follows within about 2 s."""
        self._loop.call_soon_threadsafe(self._stop.set)

    @property
    def partial(self) -> tuple[Output, ...]:
        """What has come out so far."""
        return self._collector.outputs()

    def when_done(self, fn: Callable[[], None]) -> None:
        """Call a function on the agent's loop once the result stands."""
        self._task.add_done_callback(lambda _task: fn())

    def _begin(self) -> None:
        self._began = time.monotonic()
        self._loop.call_soon_threadsafe(self._begun.set)

    async def _conduct(self) -> RunResult:
        ended = asyncio.ensure_future(asyncio.wrap_future(self._outside))
        ended.add_done_callback(lambda done: done.cancelled() or done.exception())
        signs = [asyncio.create_task(event.wait()) for event in (self._begun, self._stop)]
        try:
            if not await _any({ended, *signs}, _QUEUED_AFTER_S):
                self._say("queued")
                await _any({ended, *signs})
            if self._stop.is_set() and self._outside.cancel():
                return self._finish("interrupted", Ending(note="Stopped before it began; nothing ran."))
            self._say("running")
            await _any({ended, signs[1]}, self._timeout)
            if ended.done():
                return await self._ended(ended, None)
            cause: Status = "interrupted" if self._stop.is_set() else "timeout"
            self._pursuit = asyncio.create_task(self._pursue(ended))
            await _any({ended}, _GRACE_S)
            return await self._ended(ended, cause) if ended.done() else self._still_running(cause)
        finally:
            for sign in signs:
                sign.cancel()

    async def _pursue(self, ended: asyncio.Future[Ending]) -> bool:
        """Interrupt again and again: code may swallow an interrupt, or be deaf to it for a while."""
        deadline = time.monotonic() + _PURSUE_S
        while not ended.done() and time.monotonic() < deadline:
            self._strike()
            await _any({ended}, _STRIKE_EVERY_S)
        return ended.done()

    async def _ended(self, ended: asyncio.Future[Ending], cause: Status | None) -> RunResult:
        if ended.cancelled() or (failure := ended.exception()) is not None:
            text = "the run was cancelled" if ended.cancelled() else f"{type(failure).__name__}: {failure}"
            return self._finish("error", Ending(error=text))
        ending = ended.result()
        await self._hear_all()
        note = ending.note if self._collector.ended else _join(ending.note, "The last outputs may be missing.")
        error = self._published_error() or ending.error
        if not ending.struck:
            cause = None  # it had ended by itself just before
        if cause is None and error and (ending.stopped_from_outside or error.startswith("KeyboardInterrupt")):
            cause = "interrupted"
        if cause is not None:
            return self._finish(cause, Ending(error, note=_join(self._words(cause), note)))
        if ending.refused:
            return self._finish("refused", Ending(ending.refused, note=_join(ending.refused, note)))
        return self._finish("error" if error else "ok", Ending(error, note=note))

    async def _hear_all(self) -> None:
        """Wait a while for the last outputs; tools that hang may hold every thread of the loop's own pool."""
        heard = asyncio.Event()

        def tell() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has closed meanwhile: nobody waits
                self._loop.call_soon_threadsafe(heard.set)

        self._collector.when_ended(tell)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(heard.wait(), _LAST_OUTPUT_S)

    def _still_running(self, cause: Status) -> RunResult:
        words = "It could not be interrupted and is still running; only a restart of the kernel would end it."
        return self._finish(cause, Ending(note=_join(self._words(cause), words)))

    def _words(self, cause: Status) -> str:
        if cause == "timeout":
            return f"The code was stopped because it ran longer than {self._timeout:g} s."
        return "The code was interrupted before it had ended."

    def _finish(self, status: Status, ending: Ending) -> RunResult:
        elapsed = time.monotonic() - self._began if self._began else 0.0
        return RunResult(status, self._collector.outputs(), ending.error[:_ERROR_CAP], ending.note, elapsed)

    def _published_error(self) -> str:
        errors = [o for o in self._collector.outputs() if o["output_type"] == "error"]
        return f"{errors[-1]['ename']}: {errors[-1]['evalue']}".rstrip(": ") if errors else ""


async def complete(execution: Execution) -> RunResult:
    """Return the result; when the awaiting task is cancelled, stop the code and wait for its end before raising."""
    try:
        return await execution.result()
    except asyncio.CancelledError:
        execution.interrupt()
        await asyncio.wait([asyncio.ensure_future(execution.result())], timeout=_GRACE_S)
        raise


async def _any(
    awaited: set[asyncio.Future[Ending] | asyncio.Task[Literal[True]]], timeout: float | None = None
) -> bool:
    done, _ = await asyncio.wait(awaited, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    return bool(done)


def _join(*parts: str) -> str:
    return " ".join(filter(None, parts))
