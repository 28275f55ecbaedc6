"""Runs approved code on the live kernel's main thread, in the user's namespace; it never decides what may run.

Each run publishes under a parent message of its own. The parent is set in the run's task context alone, so what
a running cell prints stays the cell's, and late output of the run's threads and tasks stays the run's.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextvars import Context, copy_context
from typing import Any

from ..types import Inverse, Output
from . import keyboard
from .bridge import Bridge
from .collector import Collector
from .execution import KEYBOARD, Ending, Execution, RunResult, complete
from .guards import session_kept
from .interrupt import CURRENT, Run
from .keeping import Keeping
from .kept import Kept, TakenBack
from .namespace import Variable, describe
from .selfclient import REQUEST, SelfClient
from .tasks import contain_tasks, release_tasks
from .worker import Worker

_DRAIN_S = 0.25


class LiveExecutor:
    """The executor of one live kernel; make it on the kernel's main thread."""

    def __init__(self, shell: Any, bridge: Bridge, client: SelfClient) -> None:
        self._shell = shell
        self._kernel = shell.kernel
        self._bridge = bridge
        self._client = client
        self._looker = Worker("nephele-look")
        self._display_pub = shell.display_pub if hasattr(shell.display_pub, "pub_socket") else _publisher(shell)
        self.kept = Kept(lambda: shell.user_ns)
        self._newest_cell = (self._kernel._parent_ident["shell"], self._kernel.get_parent("shell"))
        self._hooks = {"pre_run_cell": self._note_cell, "post_run_cell": self._note_end}
        for name, hook in self._hooks.items():
            shell.events.register(name, hook)
        self._kernel.shell_handlers[REQUEST] = self._on_request

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
        parent = self._client.header(collector)

        def launch(begin: Callable[[], None]) -> Future[Ending]:
            return self._bridge.enqueue(lambda: self._perform(code, run, parent, begin, keeping), run)

        execution = Execution(launch, run.strike_main, collector, timeout, on_state)
        execution.when_done(lambda: self._client.forget(parent))
        return execution

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
        """Describe variables at once, also while the kernel is busy; nothing of the user's runs."""
        hidden = getattr(self._shell, "user_ns_hidden", {})
        return await asyncio.wrap_future(self._looker.submit(describe, self._shell.user_ns, names, hidden))

    @property
    def namespace(self) -> Mapping[str, Any]:
        """The names as they stand; to look at, not to change."""
        return self._shell.user_ns  # type: ignore[no-any-return]

    def lookup(self, name: str) -> object | None:
        """Return one of the user's variables as it is, or None."""
        found: object | None = self._shell.user_ns.get(name)
        return found

    def take_back(self, inverse: Inverse) -> TakenBack:
        """Put back what a run changed, on the main thread: at once if this is it, else in order with the cells."""
        if threading.current_thread() is threading.main_thread():
            return self.kept.take_back(inverse)

        async def job() -> TakenBack:
            return self.kept.take_back(inverse)

        future = self._bridge.enqueue(job)
        self._bridge.wait(future.done)
        return future.result()

    def close(self) -> None:
        """Take our handler and hook out of the kernel."""
        for name, hook in self._hooks.items():
            with contextlib.suppress(ValueError):
                self._shell.events.unregister(name, hook)
        if self._kernel.shell_handlers.get(REQUEST) == self._on_request:
            del self._kernel.shell_handlers[REQUEST]
        release_tasks(self._kernel.io_loop.asyncio_loop)
        self._client.close()
        self._looker.close()

    async def _on_request(self, _stream: Any, _ident: Any, parent: dict[str, Any]) -> None:
        await self._bridge.answer(str(parent["content"].get("job", "")))

    def _note_cell(self, _info: Any) -> None:
        if _is_users():
            self._bridge.cell_runs = True
            self._newest_cell = (self._kernel._parent_ident["shell"], self._kernel.get_parent("shell"))

    def _note_end(self, _result: Any) -> None:
        if _is_users():
            self._bridge.cell_runs = False

    async def _perform(
        self, code: str, run: Run, parent: dict[str, Any], begin: Callable[[], None], keeping: Keeping | None
    ) -> Ending:
        """Run the code in this task; on the main thread, and whatever the code does, back to the state before."""
        begin()
        loop = asyncio.get_running_loop()
        contain_tasks(loop)
        nested = loop is not self._kernel.io_loop.asyncio_loop
        with session_kept(self._shell, self._display_pub, code, inside_a_cell=self._bridge.main_is_waiting):
            self._kernel.set_parent([], parent)
            try:
                with keyboard.refused(self._kernel, self._shell) as was_read, self._kept_by(keeping):
                    error = await self._run_cell(code, run)
                    self._drain()
                    asked = was_read() or type(error).__name__ == "StdinNotImplementedError"
            finally:
                # What user threads print from now on belongs to the newest cell again.
                copy_context().run(self._kernel.set_parent, *self._newest_cell)
        self._flush()
        self._client.end(parent)
        left = sum(_belongs(task, run) for task in asyncio.all_tasks(loop) if task is not asyncio.current_task())
        return Ending(
            error=type(error).__name__ if error is not None else "",
            refused=KEYBOARD if asked else "",
            note=_background(sum(thread.is_alive() for thread in run.threads), left, nested=nested),
            struck=run.struck,
            stopped_from_outside=run.stopped_from_outside,
        )

    def _kept_by(self, keeping: Keeping | None) -> contextlib.AbstractContextManager[None]:
        if keeping is None:
            return contextlib.nullcontext()
        return keeping.around(self._shell.user_ns, getattr(self._shell, "user_ns_hidden", {}))

    async def _run_cell(self, code: str, run: Run) -> BaseException | None:
        """Run the code as IPython runs a cell, with all it hooks to the end of one, and return what it raised."""
        shell, result, error = self._shell, None, None
        try:
            with run.inside():
                result = await shell.run_cell_async(
                    code, store_history=False, silent=False, transformed_cell=shell.transform_cell(code)
                )
        except BaseException as raised:  # an exception that leaves this task could end the kernel's event loop
            error = raised
            shell.showtraceback()
        with contextlib.suppress(KeyboardInterrupt), run.inside():
            shell.events.trigger("post_execute")
            shell.events.trigger("post_run_cell", result)
        return error or getattr(result, "error_before_exec", None) or getattr(result, "error_in_exec", None)

    def _drain(self) -> None:
        """Let what child processes wrote to the descriptors arrive under this run and not under the next cell."""
        deadline = time.monotonic() + _DRAIN_S
        pipes = [
            fd
            for stream in (self._kernel._stdout, self._kernel._stderr)
            if (fd := getattr(stream, "_fid", None)) is not None
        ]
        while any(_unread(pipe) for pipe in pipes) and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(0.005)
        self._flush()

    def _flush(self) -> None:
        self._kernel._stdout.flush()
        self._kernel._stderr.flush()


def _is_users() -> bool:
    """Whether what runs here is a cell of the user's, and no code of the agent's."""
    return CURRENT.get() is None and threading.current_thread() is threading.main_thread()


def _publisher(shell: Any) -> Any:
    """Make a display publisher like the kernel's own, for when a cell has put a capturing one in its place."""
    made = shell.display_pub_class(parent=shell, shell=shell)
    made.session, made.pub_socket = shell.kernel.session, shell.kernel.iopub_socket
    return made


def _unread(pipe: int) -> int:
    if sys.platform == "win32":
        return 0
    count = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return int.from_bytes(count, sys.byteorder)


def _belongs(task: asyncio.Task[Any], run: Run) -> bool:
    """Tell by its context whether a task was started by the run; before Python 3.12 a task keeps that to itself."""
    reader = getattr(task, "get_context", None)
    contexts = [reader()] if reader is not None else [o for o in gc.get_referents(task) if isinstance(o, Context)]
    return any(context.get(CURRENT) is run for context in contexts)


def _background(threads: int, tasks: int, *, nested: bool) -> str:
    parts = []
    if threads:
        parts.append(f"{threads} thread(s) started by this code go on; what they print later is not captured.")
    if tasks and nested:
        parts.append(f"{tasks} task(s) started by this code were cancelled, because a cell is waiting for the agent.")
    elif tasks:
        parts.append(f"{tasks} task(s) started by this code go on; what they print later is not captured.")
    return " ".join(parts)


if sys.platform != "win32":
    import fcntl
    import termios
