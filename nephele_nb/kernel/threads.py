"""Lets threads that approved code starts inherit its context; it never touches threads of anyone else.

Without it a late print of such a thread lands in whichever cell happens to run then, because Python gives a new
thread an empty context and the kernel falls back to the newest cell.
"""

from __future__ import annotations

import threading
from contextvars import copy_context
from typing import Any

from .interrupt import CURRENT

_original = threading.Thread.start


def follow_threads() -> None:
    """Start to watch ``Thread.start``; calling it again changes nothing."""
    if threading.Thread.start is not _start:
        threading.Thread.start = _start  # type: ignore[method-assign, assignment]


def unfollow_threads() -> None:
    """Give ``Thread.start`` back, unless someone else has put theirs on top."""
    if threading.Thread.start is _start:
        threading.Thread.start = _original  # type: ignore[method-assign]


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
