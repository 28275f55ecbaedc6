"""A real kernel for these tests, and a notebook that talks to it: outputs are kept by the cell they belong to."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "kernel"
SETUP = """
import dataclasses as _dc, json as _json, asyncio as _aio
from nephele_nb.kernel import attach as _attach
_K = _attach()
_runs, _states, _heard = {}, {}, {}
def _start(name, code, timeout=30):
    states, heard = _states.setdefault(name, []), _heard.setdefault(name, [])
    async def begin():
        _runs[name] = _K.executor.start(code, timeout=timeout, on_state=states.append, on_output=heard.append)
        return await _runs[name].result()
    future = _K.bridge.submit(begin())
    future.add_done_callback(lambda _: _K.bridge.notify())
    _runs[name + ' future'] = future
    return future
def _told(name):
    future = _runs[name + ' future']
    if future.done():
        return _json.dumps(_dc.asdict(future.result()) | {'states': _states[name]})
"""


@dataclass
class Cell:
    """What one cell of the notebook gave."""

    status: str
    count: int | None
    messages: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(c["text"] for kind, c in self.messages if kind == "stream")

    @property
    def value(self) -> str:
        return "".join(c["data"]["text/plain"] for kind, c in self.messages if kind == "execute_result")

    @property
    def errors(self) -> list[str]:
        return [c["ename"] for kind, c in self.messages if kind == "error"]

    @property
    def pictures(self) -> int:
        return sum("image/png" in c.get("data", {}) for _, c in self.messages)


class Notebook:
    """A front end without a screen."""

    def __init__(self, manager: Any, client: Any) -> None:
        self.manager = manager
        self.client = client
        self.published: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
        self.cells: list[str] = []

    def send(self, code: str, *, allow_stdin: bool = False) -> str:
        """Send a cell and return at once."""
        sent = self.client.execute(code, allow_stdin=allow_stdin, stop_on_error=True)
        self.cells.append(sent)
        return sent

    def listen(self, seconds: float) -> None:
        """Hear what is published for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._hear(left)

    def finish(self, sent: str, timeout: float = 60) -> Cell:
        """Wait for a cell's end; its outputs, its reply."""
        until = time.monotonic() + timeout
        while ("status", "idle") not in [(k, c.get("execution_state")) for k, c in self.published[sent]]:
            assert time.monotonic() < until, "the cell did not end"
            self._hear(1)
        while True:
            reply = self.client.get_shell_msg(timeout=10)
            if reply["parent_header"].get("msg_id") == sent:
                content = reply["content"]
                return Cell(content["status"], content.get("execution_count"), self.published[sent])

    def cell(self, code: str, timeout: float = 60) -> Cell:
        """Run a cell to its end."""
        return self.finish(self.send(code), timeout)

    def ok(self, code: str) -> Cell:
        """Run a cell that must succeed."""
        cell = self.cell(code)
        assert cell.status == "ok", cell.messages
        return cell

    def result(self, name: str, timeout: float = 30) -> dict[str, Any]:
        """Ask for a run's result in cells of our own until it stands."""
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            told = self.ok(f"print(_told({name!r}))").text.strip()
            if told != "None":
                return json.loads(told)
            time.sleep(0.05)
        raise AssertionError("the run did not end")

    def run(self, route: str, code: str, timeout: float = 30) -> dict[str, Any]:
        """Run approved code by one route, none of it showing in the cell that asked, and return its result."""
        name = f"run {len(self.cells)}"
        cell = self.ask(route, name, code, timeout)
        assert [kind for kind, _ in cell.messages if kind not in ("status", "execute_input")] == []
        return self.result(name)

    def ask(self, route: str, name: str, code: str, timeout: float = 30) -> Cell:
        """Ask for a run in a cell that returns at once, or waits for its end by blocking or awaiting."""
        start = f"_start({name!r}, {code!r}, {timeout})"
        wait = {
            "queued": f"{start};",
            "inline": f"assert _K.bridge.wait({start}.done, 60)",
            "awaited": f"assert await _K.bridge.wait_async({start}.done, 60)",
        }[route]
        return self.ok(wait)

    def new_subshell(self) -> str:
        """Make a subshell and return its id."""
        request = self.client.session.msg("create_subshell_request", {})
        self.client.control_channel.send(request)
        while True:
            reply = self.client.get_control_msg(timeout=20)
            if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
                return str(reply["content"]["subshell_id"])

    def _hear(self, timeout: float) -> None:
        try:
            message = self.client.get_iopub_msg(timeout=timeout)
        except Exception as error:
            if type(error).__name__ != "Empty":
                raise
            return
        self.published[message["parent_header"].get("msg_id", "")].append((message["msg_type"], message["content"]))


def open_notebook(**extra: str) -> Notebook:
    """Start a kernel of this Python and a client of it."""
    env = os.environ | {"PYTHONPATH": str(ROOT)} | extra
    env.pop("PYTEST_CURRENT_TEST", None)  # under it a kernel doesn't catch what is written to descriptors
    manager, client = start_new_kernel(kernel_name="python3", env=env)
    return Notebook(manager, client)


@pytest.fixture(scope="session")
def shared_kernel(no_profile_of_the_person: None) -> Iterator[Notebook]:
    """One kernel for all tests that leave it as they found it."""
    notebook = open_notebook()
    notebook.ok(SETUP)
    yield notebook
    notebook.client.stop_channels()
    notebook.manager.shutdown_kernel(now=True)


@pytest.fixture
def notebook(shared_kernel: Notebook) -> Notebook:
    """The shared kernel, proved alive before each test."""
    assert shared_kernel.ok("print('alive')").text == "alive\n"
    return shared_kernel


ROUTES = ["queued", "inline", "awaited"]


@pytest.fixture(params=ROUTES)
def route(request: pytest.FixtureRequest) -> str:
    """How a run reaches the main thread: behind the cells, in a blocking wait, or in an awaiting cell."""
    return request.param
