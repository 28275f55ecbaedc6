"""Calls of foreign functions, each in a thread of its own; it never stops one, and never shares a thread.

A pool has few threads: functions that hang would keep all others waiting. And a pool's threads keep Python from
ending, which these don't.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class Ended(Exception):
    """In place of what ends more than the function that raised it (SystemExit, KeyboardInterrupt, StopIteration)."""


def brief(error: BaseException) -> str:
    """Return an error's name and text, even where its text can't be had."""
    return traceback.format_exception_only(error)[-1].strip()


async def in_thread(function: Callable[..., T], *args: Any) -> T:
    """Return what ``function(*args)`` gives; raises what it raises, or Ended. Cancelled, the thread goes on alone."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result, error = None, None
        try:
            result = context.run(function, *args)
        except BaseException as raised:  # whatever it is, whoever waits must hear of it
            plain = isinstance(raised, Exception) and not isinstance(raised, StopIteration)
            error = raised if plain else Ended(brief(raised))
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, name="nephele-call", daemon=True).start()
    return await answer
