"""The queue of work for the kernel's main thread; it never decides where or when a job runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any
from uuid import uuid4

from .interrupt import CURRENT, Run


class Job:
    """One piece of work; cancelling ``future`` before it has begun takes it out of the queue."""

    def __init__(self, work: Callable[[], Awaitable[Any]], run: Run | None = None) -> None:
        self.id = uuid4().hex
        self.future: Future[Any] = Future()
        self._work = work
        self._run = run or Run()

    @property
    def stopped_from_outside(self) -> bool:
        """Whether the user interrupted the kernel while the job ran."""
        return self._run.stopped_from_outside

    async def run(self) -> None:
        """Run the work as a task with a context of its own, to its end even if the waiting cell is cancelled."""
        task = asyncio.get_running_loop().create_task(self._begin())
        cancelled = False
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                cancelled = True
        if task.cancelled():
            self.future.set_exception(asyncio.CancelledError())
        elif (error := task.exception()) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result())
        if cancelled:
            raise asyncio.CancelledError

    async def _begin(self) -> Any:
        CURRENT.set(self._run)
        with self._run.on_main():
            return await self._work()


class Jobs:
    """Jobs in the order they were asked for; one runs at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Job] = []
        self.running: Job | None = None

    def add(self, work: Callable[[], Awaitable[Any]], run: Run | None = None) -> Job:
        """Put a piece of work at the end; ``run`` is the right to interrupt it."""
        job = Job(work, run)
        with self._lock:
            self._waiting.append(job)
        return job

    def take(self, job_id: str | None = None) -> Job | None:
        """Claim the first job, or the one named, and mark it as running; None if there is none or one runs."""
        with self._lock:
            if self.running is not None:
                return None
            for job in [j for j in self._waiting if job_id in (None, j.id)]:
                self._waiting.remove(job)
                if job.future.set_running_or_notify_cancel():
                    self.running = job
                    return job
            return None

    def finish(self) -> None:
        """Make room for the next job."""
        with self._lock:
            self.running = None
