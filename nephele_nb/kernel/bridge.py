"""Owns the agent's thread, its event loop, and the way to the main thread; it never knows what the jobs do.

Whoever waits for the agent on the kernel's main thread takes over the agent's jobs for that thread meanwhile;
otherwise they queue behind the user's cells. So neither waits for the other.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Protocol, TypeVar

from ..errors import ReentryError
from .interrupt import CURRENT, Run
from .jobs import Job, Jobs
from .nested import run_nested, wind_up

T = TypeVar("T")
_LONGEST_SLEEP_S = 0.5
_CLEANING_S = 2.0
_NO_WAY_BACK = (
    "Waiting for the agent from inside code that it runs can never end, because the agent waits for that code. "
    "Let the code finish and wait in a later cell."
)


class Knocker(Protocol):
    """Asks the kernel for its main thread, in order with the user's cells."""

    def knock(self, job_id: str) -> None: ...


class Bridge:
    """The agent's thread and its loop; one per live kernel, shared by its agents, or one per plain agent."""

    def __init__(self, door: Knocker | None = None, *, comms_while_busy: bool = False) -> None:
        self.loop: asyncio.AbstractEventLoop = asyncio.new_event_loop()
        self.comms_while_busy = comms_while_busy
        self.closed = False
        self.cell_runs = False
        self._door = door
        self._jobs = Jobs()
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()
        self._changes = 0
        self._sleepers: set[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = set()
        self._waits_on_main = 0
        self._closers: list[Callable[[], None]] = []
        self._halted = False

    def submit(self, coro: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine on the agent's loop; any thread. Raises RuntimeError once closed."""
        if not self.alive:
            coro.close()
            raise RuntimeError("This bridge is closed; make a new agent.")
        self._start()
        return _outside_of_runs().run(asyncio.run_coroutine_threadsafe, coro, self.loop)

    def post(self, fn: Callable[..., object], *args: Any) -> None:
        """Call a function on the agent's loop; any thread. Once closed it is dropped."""
        if self.alive:
            self._start()
            self.loop.call_soon_threadsafe(fn, *args, context=_outside_of_runs())

    def notify(self) -> None:
        """Wake every wait so that it looks again; any thread."""
        with self._changed:
            self._changes += 1
            self._changed.notify_all()
            sleepers, self._sleepers = self._sleepers, set()
        for loop, sleeper in sleepers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_wake, sleeper)

    def wait(self, ready: Callable[[], bool], timeout: float | None = None) -> bool:
        """Block until ``ready()`` or ``timeout`` seconds, and return ``ready()``.

        On the kernel's main thread the agent's jobs run here meanwhile. Raises KeyboardInterrupt when interrupted
        and ReentryError from inside a job.
        """
        pumps = self._check(blocking=True)
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._counted(pumps):
            while not ready():
                seen = self._changes
                if pumps and (job := self._jobs.take()) is not None:
                    self._run_here(job)
                elif not ready() and not self._sleep(seen, deadline):
                    return ready()
        return True

    async def wait_async(self, ready: Callable[[], bool], timeout: float | None = None) -> bool:
        """Wait as ``wait`` does without blocking the loop; raises CancelledError when interrupted."""
        pumps = self._check(blocking=False)
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._counted(pumps):
            while not ready():
                seen = self._changes
                if pumps and (job := self._jobs.take()) is not None:
                    await self._run_awaited(job)
                elif not ready() and not await self._sleep_async(seen, deadline):
                    return ready()
        return True

    @contextmanager
    def alone(self, lock: threading.Lock) -> Iterator[None]:
        """Hold a lock; who waits for it on the kernel's main thread runs the agent's jobs meanwhile."""
        if not lock.acquire(blocking=False):
            self.wait(partial(lock.acquire, blocking=False))
        try:
            yield
        finally:
            lock.release()
            self.notify()

    async def on_main(self, job: Callable[[], Awaitable[T]]) -> T:
        """Run a job on the kernel's main thread, in order with the user's cells, or inside a wait there.

        Call it on the agent's loop. Cancelling it before the job has begun takes the job out of the queue.
        Outside a live kernel the job runs at once, where it is.
        """
        return await (job() if self._door is None else asyncio.wrap_future(self.enqueue(job)))

    def enqueue(self, job: Callable[[], Awaitable[T]], run: Run | None = None) -> Future[T]:
        """Queue a job for the kernel's main thread; cancelling the future works until the job has begun."""
        if self._door is None:
            raise RuntimeError("There is no kernel here whose main thread could run this.")
        queued = self._jobs.add(job, run)
        self._door.knock(queued.id)
        self.notify()
        return queued.future

    async def answer(self, job_id: str) -> None:
        """Run the job that knocked, unless a wait has taken it already; called by the kernel on its main thread."""
        job = self._jobs.take(job_id)
        if job is not None:
            await self._run_awaited(job, raises=False)

    @property
    def alive(self) -> bool:
        """Whether the agent's loop can still be given work."""
        with self._changed:
            gone = self._thread is not None and not self._thread.is_alive()
        return not (self.closed or gone or self.loop.is_closed())

    @property
    def has_kernel(self) -> bool:
        """Whether a live kernel's main thread stands behind it."""
        return self._door is not None

    @property
    def held_up(self) -> bool:
        """Whether a cell of the user's runs on the kernel's main thread, so that jobs begin when it is done."""
        return self.cell_runs and not self.main_is_waiting

    @property
    def main_is_waiting(self) -> bool:
        """Whether a wait holds the kernel's main thread and runs jobs there."""
        return self._waits_on_main > 0

    def on_close(self, fn: Callable[[], None]) -> None:
        """Call a function when the bridge closes."""
        self._closers.append(fn)

    def close(self) -> None:
        """Stop the agent's loop and thread; what runs there is cancelled. Calling it again changes nothing."""
        if self.closed:
            return
        self.closed = True
        for closer in self._closers:
            closer()
        if self._thread is None:
            self.loop.close()
        elif self._thread.is_alive():
            self.loop.call_soon_threadsafe(self._halt)
            if threading.current_thread() is not self._thread:
                self._thread.join(timeout=5)

    def _start(self) -> None:
        with self._changed:
            if self._thread is not None:
                return
            context = _outside_of_runs()
            self._thread = threading.Thread(target=context.run, args=(self._serve,), name="nephele-agent", daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            while not self._halted:
                # A task that raises one of these breaks the loop off; all others of the agents' still have to go on.
                with suppress(SystemExit, KeyboardInterrupt):
                    self.loop.run_forever()
            wind_up(self.loop, _CLEANING_S)
        finally:
            self.loop.close()

    def _halt(self) -> None:
        self._halted = True
        self.loop.stop()

    def _check(self, *, blocking: bool) -> bool:
        """Return whether this wait may run jobs; raises ReentryError where it could only wait for itself."""
        run = CURRENT.get()
        pumps = self._door is not None and threading.current_thread() is threading.main_thread()
        if (run is not None and run.active) or (pumps and blocking and self._jobs.running is not None):
            raise ReentryError(_NO_WAY_BACK)
        return pumps

    @contextmanager
    def _counted(self, pumps: bool) -> Iterator[None]:
        self._waits_on_main += pumps
        try:
            yield
        finally:
            self._waits_on_main -= pumps

    def _run_here(self, job: Job) -> None:
        try:
            run_nested(job.run())
        finally:
            self._jobs.finish()
            self.notify()
        if job.stopped_from_outside:
            raise KeyboardInterrupt

    async def _run_awaited(self, job: Job, *, raises: bool = True) -> None:
        try:
            await job.run()
        finally:
            self._jobs.finish()
            self.notify()
        if raises and job.stopped_from_outside:
            raise asyncio.CancelledError

    def _sleep(self, seen: int, deadline: float | None) -> bool:
        """Sleep until a change; False when the deadline has passed. Short naps keep it open to interrupts."""
        left = _LONGEST_SLEEP_S if deadline is None else min(_LONGEST_SLEEP_S, deadline - time.monotonic())
        if left <= 0:
            return False
        with self._changed:
            if self._changes == seen:
                self._changed.wait(left)
        return True

    async def _sleep_async(self, seen: int, deadline: float | None) -> bool:
        left = _LONGEST_SLEEP_S if deadline is None else min(_LONGEST_SLEEP_S, deadline - time.monotonic())
        if left <= 0:
            return False
        loop = asyncio.get_running_loop()
        sleeper: asyncio.Future[None] = loop.create_future()
        with self._changed:
            if self._changes != seen:
                return True
            self._sleepers.add((loop, sleeper))
        try:
            await asyncio.wait([sleeper], timeout=left)
        finally:
            with self._changed:
                self._sleepers.discard((loop, sleeper))
        return True


def _outside_of_runs() -> contextvars.Context:
    """Return the caller's context without the run it belongs to: the agent is no part of the code it runs."""
    context = contextvars.copy_context()
    context.run(CURRENT.set, None)
    return context


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)
