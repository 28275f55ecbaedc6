"""Keeps what the tasks of approved code raise from ending the event loop; it never touches tasks of anyone else.

SystemExit and KeyboardInterrupt of a task leave the loop that runs it, and the kernel's main loop ends by them.
A plain callback (``loop.call_soon``) that raises one is not contained there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context
from typing import Any

from .interrupt import CURRENT


class TaskExitError(RuntimeError):
    """A task of approved code asked to end the process or was made to look interrupted."""


class _Contained(Coroutine[Any, Any, Any]):
    """A coroutine whose exits come out as ordinary errors; all else of it stays as it is."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def send(self, value: Any) -> Any:
        return self._step(self._inner.send, value)

    def throw(self, *error: Any) -> Any:
        return self._step(self._inner.throw, *error)

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        awaited: Generator[Any, Any, Any] = self._inner.__await__()
        return awaited

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _step(self, step: Callable[..., Any], *args: Any) -> Any:
        try:
            return step(*args)
        except (SystemExit, KeyboardInterrupt) as error:
            name = type(error).__name__
            raise TaskExitError(f"A task raised {name}, which would have ended the event loop.") from error


def contain_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Contain from now on what the tasks of runs raise on this loop; calling it again changes nothing."""
    before = loop.get_task_factory()
    if isinstance(before, _Factory):
        return
    loop.set_task_factory(_Factory(before))


def release_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Give the loop back the factory it had, unless someone else has put theirs on top."""
    factory = loop.get_task_factory()
    if isinstance(factory, _Factory):
        loop.set_task_factory(factory.before)


class _Factory:
    """Makes tasks as before, those of runs contained."""

    def __init__(self, before: Any) -> None:
        self.before = before

    def __call__(
        self, loop: asyncio.AbstractEventLoop, coro: Any, *, context: Context | None = None, **options: Any
    ) -> Any:
        run = CURRENT.get() if context is None else context.get(CURRENT)
        work = coro if run is None else _Contained(coro)
        if context is not None:
            options["context"] = context
        return asyncio.Task(work, loop=loop, **options) if self.before is None else self.before(loop, work, **options)
