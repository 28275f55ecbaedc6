"""The right to interrupt one run of approved code, and nothing but it; it never runs code.

A run on the kernel's main thread is interrupted by SIGINT under a handler of its own, which knows by context
whether the Python code it has met belongs to the run. The handler leaves only when every signal that was sent
has come, so none can land in a cell of the user's.
"""

from __future__ import annotations

import _thread
import asyncio
import ctypes
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

_LATE_SIGNAL_S = 0.2


class Run:
    """One run of approved code on one thread; ``stopped_from_outside`` tells of an interrupt that wasn't ours."""

    def __init__(self) -> None:
        self.active = False
        self.stopped_from_outside = False
        self.threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._thread = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._inside = False
        self._thrown = False
        self._sent = self._received = 0

    @property
    def struck(self) -> bool:
        """Whether an interrupt of ours has reached the run."""
        return self._received > 0

    @contextmanager
    def on_main(self) -> Iterator[None]:
        """Hold SIGINT for the length of the run; enter it in the run's own task on the main thread."""
        self._enter()
        previous = signal.signal(signal.SIGINT, self._on_signal)
        try:
            yield
        finally:
            self._lower("active")
            deadline = time.monotonic() + _LATE_SIGNAL_S
            while self._sent > self._received and time.monotonic() < deadline:
                time.sleep(0.001)
            if previous is not None:
                signal.signal(signal.SIGINT, previous)

    @contextmanager
    def on_worker(self) -> Iterator[None]:
        """Let the run be interrupted by an asynchronous exception in this thread, which is all ours."""
        self._enter()
        try:
            yield
        finally:
            self._lower("active")

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Mark where the code itself runs: only here may an interrupt raise."""
        self._inside = True
        try:
            yield
        finally:
            self._lower("_inside")

    def adopt_task(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
        """Name the task that a worker's awaiting code runs in."""
        with self._lock:
            self._loop, self._task = loop, task

    def strike_main(self) -> None:
        """Interrupt the run on the main thread, if it still runs; any thread, and as often as needed."""
        with self._lock:
            if not self.active:
                return
            if threading.main_thread().ident == self._thread and _handler_of(signal.SIGINT) == self._on_signal:
                self._sent += 1
                _signal_main()
            elif self._loop is not None and asyncio.current_task(self._loop) is self._task:
                # The code took SIGINT for itself; an exception is safe only while its own task is the one running.
                self._throw()

    def strike_worker(self) -> None:
        """Interrupt the run on its worker thread, if it still runs; any thread."""
        with self._lock:
            if not self.active or not self._inside:
                return
            if self._task is not None and self._loop is not None:
                self._received += 1
                self._loop.call_soon_threadsafe(self._task.cancel)
                if asyncio.current_task(self._loop) is not self._task:
                    return
            self._throw()

    def _enter(self) -> None:
        self._thread = threading.get_ident()
        try:
            self._loop = asyncio.get_running_loop()
            self._task = asyncio.current_task()
        except RuntimeError:
            self._loop = self._task = None
        self.active = True

    def _lower(self, flag: str) -> None:
        """Lower a flag that strikes go by, and meet here what was thrown into this thread and is not raised yet.

        Taking it back through the same call with NULL would leave the interpreter's eval breaker set for good.
        """
        try:
            with self._lock:
                setattr(self, flag, False)
            for _ in range(50 if self._thrown else 0):
                time.sleep(0)
        except KeyboardInterrupt:
            setattr(self, flag, False)

    def _throw(self) -> None:
        """Raise KeyboardInterrupt in the run's thread at its next bytecode."""
        self._received += 1
        self._thrown = True
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(KeyboardInterrupt))

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        __tracebackhide__ = True
        if self._sent > self._received:
            self._received = self._sent
        elif self.active:
            self.stopped_from_outside = True
        if not self.active or not self._inside or self._task is None or self._loop is None:
            return
        if CURRENT.get() is not self:
            self._loop.call_soon_threadsafe(self._task.cancel)
        elif _running_task() is self._task:
            raise KeyboardInterrupt
        else:
            # A task that the code started is running: KeyboardInterrupt there would end the kernel's event loop.
            self._loop.call_soon_threadsafe(self._task.cancel)
            raise asyncio.CancelledError


CURRENT: ContextVar[Run | None] = ContextVar("nephele_nb_run", default=None)
"""The run that the code executing here belongs to; its tasks, callbacks and threads inherit it."""


def _running_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def _handler_of(number: signal.Signals) -> Any:
    return signal.getsignal(number)


def _signal_main() -> None:
    if sys.platform == "win32":
        _thread.interrupt_main(signal.SIGINT)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
