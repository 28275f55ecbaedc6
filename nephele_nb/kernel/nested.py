"""Runs event loops so that nothing a task raises breaks them off; it never decides what runs there.

asyncio lets SystemExit and KeyboardInterrupt of any task or callback out of the loop. The task that raised one
has it as its own outcome; the others still have to go on.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

_CLEANING_S = 1.0


def run_nested(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end on a fresh event loop, inside the main thread whose own loop the caller holds up.

    Tasks it leaves behind can't go on without that loop and are cancelled. Raises KeyboardInterrupt at the end when
    the user interrupted outside of what the coroutine guards itself.
    """
    outer = asyncio._get_running_loop()
    swap = getattr(asyncio.tasks, "_swap_current_task", None)
    above = swap(outer, None) if swap and outer is not None else None
    asyncio._set_running_loop(None)
    loop = asyncio.new_event_loop()
    try:
        with _Interrupts().held() as interrupts:
            task = loop.create_task(work)
            persist(loop, task)
            interrupts.raising = True
            wind_up(loop, _CLEANING_S, lambda: interrupts.raised)
        if interrupts.noted:
            raise KeyboardInterrupt
        task.result()
    finally:
        loop.close()
        asyncio._set_running_loop(outer)
        if swap and outer is not None:
            swap(outer, above)


def persist(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
    """Run the loop until the task is done, whatever else breaks it off before."""
    task.add_done_callback(lambda _task: loop.stop())
    _run_until(loop, task.done)


def wind_up(loop: asyncio.AbstractEventLoop, seconds: float, give_up: Callable[[], bool] = bool) -> None:
    """Cancel the tasks that are left and give them some seconds to end, or until ``give_up()``."""
    left = asyncio.all_tasks(loop)
    deadline = loop.time() + seconds
    timer = loop.call_at(deadline, loop.stop)
    for task in left:
        task.cancel()
        task.add_done_callback(lambda _task: all(t.done() for t in left) and loop.stop())
    _run_until(loop, lambda: all(t.done() for t in left) or loop.time() >= deadline or give_up())
    timer.cancel()
    if not give_up():
        persist(loop, loop.create_task(loop.shutdown_asyncgens()))


def _run_until(loop: asyncio.AbstractEventLoop, over: Callable[[], bool]) -> None:
    while not over():
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()


class _Interrupts:
    """The user's SIGINT while a nested loop runs: noted until its work is done, then also raised."""

    def __init__(self) -> None:
        self.noted = self.raising = self.raised = False

    @contextmanager
    def held(self) -> Iterator[_Interrupts]:
        previous = signal.signal(signal.SIGINT, self._on_signal)
        try:
            yield self
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler if previous is None else previous)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.noted = True
        if self.raising:
            self.raised = True
            raise KeyboardInterrupt
