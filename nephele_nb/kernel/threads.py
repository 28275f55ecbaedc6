"""Lets threads that approved code starts inherit its context; it never touches threads of anyone else.

Without it a late print of such a thread lands in whichever cell happens to run then, because Python gives a new
thread an empty context and the kernel falls back to the newest cell. The threads of a ThreadPoolExecutor work for
whoever submits, so there each piece of work has the context of its submitter. Other pools (multiprocessing's
ThreadPool, queues of one's own) give no sign of who asked: their output stays the run's, whoever feeds them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any
from weakref import WeakSet

from .interrupt import CURRENT

_original = threading.Thread.start
_original_submit = ThreadPoolExecutor.submit
_shared: WeakSet[ThreadPoolExecutor] = WeakSet()
"""Pools that a run has used: some of their threads may have its context."""


def follow_threads() -> None:
    """Start to watch ``Thread.start`` and ``ThreadPoolExecutor.submit``; calling it again changes nothing."""
    if threading.Thread.start is not _start:
        threading.Thread.start = _start  # type: ignore[method-assign, assignment]
    if ThreadPoolExecutor.submit is not _submit:
        ThreadPoolExecutor.submit = _submit  # type: ignore[method-assign, assignment]


def unfollow_threads() -> None:
    """Give both back, unless someone else has put theirs on top."""
    if threading.Thread.start is _start:
        threading.Thread.start = _original  # type: ignore[method-assign]
    if ThreadPoolExecutor.submit is _submit:
        ThreadPoolExecutor.submit = _original_submit  # type: ignore[method-assign]


def _submit(pool: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
    if CURRENT.get() is not None:
        _shared.add(pool)
    if pool not in _shared:
        return _original_submit(pool, fn, *args, **kwargs)
    return _original_submit(pool, copy_context().run, fn, *args, **kwargs)


def _start(thread: threading.Thread, *args: Any, **kwargs: Any) -> None:
    run = CURRENT.get()
    if run is not None and "run" not in vars(thread):
        context, body = copy_context(), thread.run

        def inherit() -> None:
            del thread.run
            context.run(body)

        thread.run = inherit  # type: ignore[method-assign]
        run.threads.append(thread)
    _original(thread, *args, **kwargs)
