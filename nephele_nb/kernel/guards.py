"""What is kept of the user's session while approved code runs in it, and put back after; it never runs code."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

from .swap import swapped

_NUMBERED = re.compile(r"_\d+")
_UNDERS = ("_", "__", "___")
_MARKS = (
    "last_execution_result",
    "last_execution_succeeded",
    "_last_traceback",
    "_last_traceback_during_displayhook",
)
"""What the kernel reads to tell whether the running cell has failed; not every version has all."""


@contextmanager
def session_kept(shell: Any, display_pub: Any, code: str, *, inside_a_cell: bool) -> Iterator[None]:
    """Hold everything of the user's that code run between or inside their cells would move."""
    with ExitStack() as stack:
        stack.enter_context(_last_values_kept(shell))
        stack.enter_context(_streams_kept(shell, display_pub))
        stack.enter_context(_payloads_kept(shell))
        stack.enter_context(_tracing_kept())
        stack.enter_context(swapped(shell, ask_exit=_refuse_exit))
        # IPython looks for the semicolon in the newest cell of the history, which is the user's.
        quiet = shell.displayhook.semicolon_at_end_of_expression
        stack.enter_context(swapped(shell.displayhook, quiet=lambda: quiet(shell.transform_cell(code))))
        if inside_a_cell:
            stack.enter_context(_figures_kept())
        yield


def _refuse_exit() -> NoReturn:
    raise SystemExit("exit and quit would end the user's kernel; they were refused")


@contextmanager
def _last_values_kept(shell: Any) -> Iterator[None]:
    """Keep ``_``, ``__``, ``___``, ``_12``, ``Out`` and what the running cell has told IPython of itself."""
    space, hook, out = shell.user_ns, shell.displayhook, shell.user_ns.get("_oh")
    kept_in = [
        (names, {n: v for n, v in dict(names).items() if _is_last_value(n)}) for names in (space, shell.user_ns_hidden)
    ]
    before = dict(out) if isinstance(out, dict) else {}
    told = {name: getattr(hook, name) for name in (*_UNDERS, "exec_result", "msg") if hasattr(hook, name)}
    ran = {name: getattr(shell, name) for name in _MARKS if hasattr(shell, name)}
    try:
        yield
    finally:
        for names, values in kept_in:
            for name in [n for n in list(names) if _is_last_value(n) and n not in values]:
                del names[name]
            names.update(values)
        if isinstance(out, dict):
            out.clear()
            out.update(before)
            space["_oh"] = out
        for owner, kept in ((hook, told), (shell, ran)):
            for name, value in kept.items():
                setattr(owner, name, value)


def _is_last_value(name: Any) -> bool:
    return name in _UNDERS or (isinstance(name, str) and _NUMBERED.fullmatch(name) is not None)


@contextmanager
def _streams_kept(shell: Any, display_pub: Any) -> Iterator[None]:
    """Write to the kernel's own streams even where the running cell has redirected or captured them."""
    kernel = shell.kernel
    kept = shell.display_pub
    shell.display_pub = display_pub
    try:
        with swapped(sys, stdout=kernel._stdout, stderr=kernel._stderr):
            yield
    finally:
        shell.display_pub = kept


@contextmanager
def _payloads_kept(shell: Any) -> Iterator[None]:
    """Show help pages (``name?``) as output, and keep the running cell's own payloads."""
    payloads = shell.payload_manager
    kept = list(payloads.read_payload())
    payloads.clear_payload()
    try:
        yield
    finally:
        for page in [p for p in payloads.read_payload() if p.get("source") == "page"]:
            shell.display_pub.publish(page.get("data", {}))
        payloads.clear_payload()
        for payload in kept:
            payloads.write_payload(payload)


@contextmanager
def _tracing_kept() -> Iterator[None]:
    """A debugger that found no keyboard leaves its trace function behind."""
    kept = sys.gettrace()
    try:
        yield
    finally:
        if sys.gettrace() is not kept:
            sys.settrace(kept)


@contextmanager
def _figures_kept() -> Iterator[None]:
    """Put aside the figures that the running cell has open, so that they are shown under it and not here."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    inline = sys.modules.get("matplotlib_inline.backend_inline")
    if helpers is None or inline is None:
        yield
        return
    open_figures = helpers.Gcf.figs.copy()
    drawn = {name: getattr(inline.show, name) for name in ("_draw_called", "_to_draw")}
    helpers.Gcf.figs.clear()
    inline.show._draw_called, inline.show._to_draw = False, []
    try:
        yield
    finally:
        helpers.Gcf.figs.update(open_figures)
        for name, value in drawn.items():
            setattr(inline.show, name, value)
