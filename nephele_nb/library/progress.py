"""Shows how far a long piece of work has come, where there is anyone to see it; it never slows the work down."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from html import escape
from queue import Queue
from threading import Event
from typing import TypeVar

Report = Callable[[str, int, int], None]
"""Called with what is at hand, how many are done, and of how many: 0 where that isn't known yet."""

T = TypeVar("T")
_WIDTH = 24
_EVERY_S = 0.1
_LABEL = 60


def chosen(progress: bool | Report) -> Report:
    """Return the report that a caller's ``progress`` asks for: a function, what suits this place, or none."""
    return progress if callable(progress) else fitting() if progress else silent


def fitting() -> Report:
    """Return the report that suits where this runs: a notebook's output, a terminal's line, or nothing (a log)."""
    if in_notebook():
        return Notebook()
    return Terminal() if sys.stderr.isatty() else silent


def unasked() -> Report:
    """Return the report of work that nobody asked for: only the main thread has a cell or line that it belongs to."""
    return fitting() if threading.current_thread() is threading.main_thread() else silent


def silent(label: str, done: int, total: int) -> None:
    """Take progress and show nothing."""


def in_notebook() -> bool:
    """Say whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def off_thread(work: Callable[[Report, Event], T], report: Report) -> T:
    """Run work in a thread of its own and report from this one; an interrupt here lets the work end cleanly first.

    ``work`` is given the report to call, and an event that is set when it should stop soon.
    """
    steps: Queue[tuple[str, int, int] | None] = Queue()
    stop = Event()
    with ThreadPoolExecutor(1, "nephele-intake") as pool:
        result = pool.submit(work, lambda *step: steps.put(step), stop)
        result.add_done_callback(lambda _: steps.put(None))
        try:
            while (step := steps.get()) is not None:
                report(*step)
        finally:
            stop.set()
    return result.result()


class _Seldom:
    """Shows the first, the last and, between them, ten steps a second."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, label: str, done: int, total: int) -> None:
        """Show a step."""
        now = time.monotonic()
        if done >= total or now - self._last >= _EVERY_S:
            self._last = now
            self._show(label[:_LABEL], done, total)

    def _show(self, label: str, done: int, total: int) -> None:
        raise NotImplementedError


class Terminal(_Seldom):
    """A bar on one line of standard error."""

    def _show(self, label: str, done: int, total: int) -> None:
        full = _WIDTH * done // max(total, 1)
        end = "\n" if done >= total > 0 else ""
        printable = "".join(c if c.isprintable() else "?" for c in label)
        sys.stderr.write(f"\r\x1b[K[{'#' * full}{'.' * (_WIDTH - full)}] {_count(done, total)} {printable}{end}")
        sys.stderr.flush()


class Notebook(_Seldom):
    """One output of the cell, brought up to date in place; its saved form is the last step."""

    def __init__(self) -> None:
        super().__init__()
        self._handle: object = None

    def _show(self, label: str, done: int, total: int) -> None:
        from IPython.display import display

        known = f' value="{done}" max="{total}"' if total else ""
        bar = f"<progress{known}></progress> {_count(done, total)} {escape(label)}"
        bundle = {"text/plain": f"{_count(done, total)} {label}", "text/html": bar}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(bundle, raw=True)  # type: ignore[attr-defined]


def _count(done: int, total: int) -> str:
    return f"{done}/{total}" if total else "…"
