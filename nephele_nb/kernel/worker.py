"""One thread that runs calls in order and never holds up the end of the process; it never looks into them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """A daemon thread, started when first needed: code that is deaf to interrupts must not keep Python from ending."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, fn: Callable[..., T], *args: Any) -> Future[T]:
        """Run a call behind those before it; cancelling the future works until it has begun."""
        future: Future[T] = Future()
        self._calls.put((future, partial(fn, *args)))
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._thread.start()
        return future

    def close(self) -> None:
        """Drop what has not begun and let the thread end."""
        self._closed = True
        self._calls.put(None)

    def _serve(self) -> None:
        while (item := self._calls.get()) is not None:
            future, call = item
            if self._closed:
                future.cancel()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # an interrupt that came too late for the code must not end the thread
                future.set_exception(error)
