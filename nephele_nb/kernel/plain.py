"""Runs approved code as plain Python in a dict, on one worker thread; it never needs the main thread."""

from __future__ import annotations

import ast
import asyncio
import builtins
import getpass
import inspect
import linecache
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from itertools import count
from types import CodeType
from typing import Any, NoReturn

from ..types import Inverse, Output
from .bridge import Bridge
from .collector import Collector
from .execution import KEYBOARD, Ending, Execution, RunResult, complete
from .interrupt import CURRENT, Run
from .keeping import Keeping
from .kept import Kept, TakenBack
from .namespace import Variable, describe
from .routing import Router
from .swap import ABSENT, covered
from .worker import Worker

_IPYTHON_LINE = re.compile(r"^\s*[%!]", re.MULTILINE)
_REFUSED_LINE = "Lines with % or ! work only in a live kernel; write it as plain Python (subprocess.run for a command)."
_number = count(1)


class KeyboardRefusedError(RuntimeError):
    """Code asked for keyboard input."""


class PlainExecutor:
    """The executor of one namespace outside IPython."""

    def __init__(self, namespace: dict[str, Any], bridge: Bridge) -> None:
        self._namespace = namespace
        self._bridge = bridge
        self._worker = Worker("nephele-code")
        self.kept = Kept(lambda: self._namespace)
        self._looker = Worker("nephele-look")
        namespace.setdefault("__name__", "__main__")
        namespace.setdefault("__builtins__", builtins)

    def start(
        self,
        code: str,
        *,
        timeout: float,
        on_state: Callable[[str], None] | None = None,
        on_output: Callable[[Output], None] | None = None,
        keeping: Keeping | None = None,
    ) -> Execution:
        """Begin to run code for at most ``timeout`` seconds, counted from its real beginning; on the agent's loop.

        ``keeping`` goes around the code and learns what it changes.
        """
        run = Run()
        collector = Collector(None if on_output is None else lambda output: self._bridge.post(on_output, output))

        def launch(begin: Callable[[], None]) -> Future[Ending]:
            return self._worker.submit(self._perform, code, run, collector, begin, keeping)

        return Execution(launch, run.strike_worker, collector, timeout, on_state)

    async def run(
        self,
        code: str,
        *,
        timeout: float,
        on_state: Callable[[str], None] | None = None,
        on_output: Callable[[Output], None] | None = None,
    ) -> RunResult:
        """Run code to its end; cancelling this stops the code first."""
        return await complete(self.start(code, timeout=timeout, on_state=on_state, on_output=on_output))

    async def describe(self, names: Sequence[str] = ()) -> list[Variable]:
        """Describe variables at once; nothing of the user's runs."""
        return await asyncio.wrap_future(self._looker.submit(describe, self._namespace, names))

    @property
    def namespace(self) -> Mapping[str, Any]:
        """The names as they stand; to look at, not to change."""
        return self._namespace

    def lookup(self, name: str) -> object | None:
        """Return one of the variables as it is, or None."""
        return self._namespace.get(name)

    def take_back(self, inverse: Inverse) -> TakenBack:
        """Put back what a run changed, on the thread that runs code: at once if this is it, else behind what runs."""
        run = CURRENT.get()
        if run is not None and run.active:
            return self.kept.take_back(inverse)
        return self._worker.submit(self.kept.take_back, inverse).result()

    def close(self) -> None:
        """Let the workers end when they are free."""
        self._worker.close()
        self._looker.close()

    def _perform(
        self, code: str, run: Run, collector: Collector, begin: Callable[[], None], keeping: Keeping | None
    ) -> Ending:
        token = CURRENT.set(run)
        begin()
        try:
            around = keeping.around(self._namespace, {}) if keeping is not None else nullcontext()
            with run.on_worker(), _streams(run, collector), around:
                return self._attempt(code, run, collector)
        finally:
            CURRENT.reset(token)
            collector.end()

    def _attempt(self, code: str, run: Run, collector: Collector) -> Ending:
        filename = f"<nephele run {next(_number)}>"
        linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
        refused = ""
        error: BaseException | None = None
        try:
            with run.inside():
                self._execute(code, filename, run, collector)
        except SyntaxError as raised:
            error = raised
            refused = _REFUSED_LINE if raised.filename == filename and _IPYTHON_LINE.search(code) else ""
        except BaseException as raised:  # whatever the code raises is its result; the worker must live on
            error = raised
            refused = KEYBOARD if isinstance(raised, KeyboardRefusedError) else ""
        if error is not None:
            collector.hear("error", _error(error, filename))
        return Ending(type(error).__name__ if error else "", refused, _left(run), struck=run.struck)

    def _execute(self, code: str, filename: str, run: Run, collector: Collector) -> None:
        tree = ast.parse(code, filename)
        end = tree.body[-1] if tree.body else None
        last = ast.Expression(end.value) if isinstance(end, ast.Expr) else None
        if last is not None:
            tree.body.pop()
        quiet = code.rstrip().endswith(";")
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        parts = [compile(tree, filename, "exec", flags, dont_inherit=True)]
        if last is not None:
            parts.append(compile(last, filename, "eval", flags, dont_inherit=True))
        if any(part.co_flags & inspect.CO_COROUTINE for part in parts):
            value = asyncio.run(self._awaited(parts, run))
        else:
            value = [eval(part, self._namespace) for part in parts][-1]  # noqa: S307 - the user approved it
        if last is not None and value is not None and not quiet:
            collector.hear("execute_result", {"data": _shown(value)})

    async def _awaited(self, parts: Sequence[CodeType], run: Run) -> Any:
        task = asyncio.current_task()
        assert task is not None
        run.adopt_task(asyncio.get_running_loop(), task)
        value = None
        for part in parts:
            value = eval(part, self._namespace)  # noqa: S307 - the user approved it
            if part.co_flags & inspect.CO_COROUTINE:
                value = await value
        return value


@contextmanager
def _streams(run: Run, collector: Collector) -> Iterator[None]:
    """Hear what this run prints, refuse what it would read, and leave all other threads alone."""

    def refuse(*_args: object, **_kwargs: object) -> NoReturn:
        raise KeyboardRefusedError(KEYBOARD)

    def leave(code: object = None) -> NoReturn:
        raise SystemExit(code)

    def ours(name: str) -> Callable[[str], object]:
        return lambda text: collector.hear("stream", {"name": name, "text": text})

    with ExitStack() as stack:
        for name in ("stdout", "stderr"):
            stack.enter_context(covered(sys, name, partial(Router, run, heard=ours(name))))
        for owner, name, mine in (
            (builtins, "input", refuse),
            (getpass, "getpass", refuse),
            (builtins, "exit", leave),
            (builtins, "quit", leave),
        ):
            stack.enter_context(covered(owner, name, partial(_split, run, mine)))
        yield


def _split(run: Run, mine: Callable[..., Any], theirs: Callable[[], Any]) -> Callable[..., Any]:
    """Return a function that is ``mine`` inside the run, while it lasts, and ``theirs()`` for everyone else."""

    def chosen(*args: Any, **kwargs: Any) -> Any:
        other = theirs()
        return (mine if other is ABSENT or (CURRENT.get() is run and run.active) else other)(*args, **kwargs)

    return chosen


def _shown(value: Any) -> dict[str, Any]:
    data: dict[str, Any] = {"text/plain": repr(value)}
    html = getattr(type(value), "_repr_html_", None)
    made = html(value) if html is not None else None
    return data | {"text/html": made} if isinstance(made, str) else data


def _error(error: BaseException, filename: str) -> dict[str, Any]:
    """Return an error output whose traceback begins in the code and not in our own frames."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != filename:
        trace = trace.tb_next
    lines = traceback.format_exception(type(error), error, trace)
    text = "".join(lines).rstrip("\n")
    return {"ename": type(error).__name__, "evalue": str(error), "traceback": text.split("\n")}


def _left(run: Run) -> str:
    alive = sum(thread.is_alive() for thread in run.threads)
    return f"{alive} thread(s) started by this code go on; what they print later is not captured." if alive else ""
