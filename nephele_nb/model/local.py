"""A GGUF served on loopback by a child process: started when asked, given back when idle; it reads no answer.

The child ends with this process: it watches its standard input.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress
from secrets import token_hex
from typing import Any

from nephele_nb.errors import ModelError

from .gguf import Gguf
from .tiers import Endpoint

TEMPERATURE = 0.2
LONGEST_ANSWER = 1536
"""Tokens of one answer."""
TICK_S = 1.0
LEAVE_S = 2.0
NOT_STARTED = "The local model {name} could not be started: {why} Choose another file with lite_model."
ENDED = (
    "The process of the local model {name} ended (exit {code}), perhaps for want of memory: ask again, or set "
    "a smaller lite_context or another lite_model."
)
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]);from nephele_nb.model.local_process import main; main()"
)


class LocalServer:
    """One model and the process that serves it. Belongs to one event loop; ``stop`` may be called from anywhere.

    ``context`` is how many tokens a conversation may have, ``idle_s`` after how many seconds without a request the
    memory is given back (0: never).
    """

    def __init__(self, model: Gguf, *, context: int, idle_s: float, threads: int = 0) -> None:
        self.model = model
        self.context = min(context, model.context or context)
        self.threads = min(threads or _spare_cores(), _cores())
        self._idle_s = idle_s
        self._child: subprocess.Popen[bytes] | None = None
        self._endpoint: Endpoint | None = None
        self._said: deque[str] = deque(maxlen=12)
        self._drain: threading.Thread | None = None
        self._busy = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def running(self) -> bool:
        """True while the model is in memory."""
        return self._child is not None and self._child.poll() is None

    @property
    def endpoint(self) -> Endpoint:
        """Where the model is served; only after ``start``."""
        assert self._endpoint is not None
        return self._endpoint

    async def start(self) -> AsyncGenerator[float]:
        """Start the process where it doesn't run, and yield the seconds gone while the model loads.

        Raises ModelError where the model can't be loaded. Cancelled, it leaves no process behind.
        """
        if self.running and self._endpoint is not None:
            return
        self.stop()
        key, began = token_hex(24), time.monotonic()
        child = self._spawn(key)
        reading = asyncio.create_task(asyncio.to_thread(child.stdout.readline))  # type: ignore[union-attr]
        try:
            while not reading.done():
                yield time.monotonic() - began
                await asyncio.wait([reading], timeout=TICK_S)
            if b"address" not in reading.result() and self._drain is not None:
                await asyncio.to_thread(self._drain.join, LEAVE_S)  # the reason may still be on its way
            self._endpoint = self._answered(reading.result(), key)
        finally:
            if self._endpoint is None:
                self.stop()

    async def ended(self) -> ModelError | None:
        """Return what to say of a process that has ended by itself, or None where it goes on."""
        if self._child is None:
            return None
        try:
            code = await asyncio.to_thread(self._child.wait, LEAVE_S)
        except subprocess.TimeoutExpired:
            return None
        return ModelError(ENDED.format(name=self.model.name, code=code), code="cut", retryable=True)

    def enter(self) -> None:
        """Note that a request begins."""
        self._busy += 1
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def leave(self) -> None:
        """Note that a request has ended; the memory is given back once it was long enough ago."""
        self._busy -= 1
        if not self._busy and self._idle_s:
            self._timer = asyncio.get_running_loop().call_later(self._idle_s, self.stop)

    def stop(self) -> None:
        """End the process; it starts again when it is needed."""
        child, self._child, self._endpoint = self._child, None, None
        if child is None:
            return
        child.kill()  # it holds nothing that could be lost
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):  # a half-written line has nobody left to read it
                    pipe.close()

    def _spawn(self, key: str) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # an interrupt meant for the user's code must not reach it
        )
        self._child, self._said = child, deque(maxlen=12)
        self._drain = threading.Thread(target=_drain, args=(child.stderr, self._said), name="nephele-lite", daemon=True)
        self._drain.start()
        asked = {"path": str(self.model.path), "key": key, "context": self.context, "threads": self.threads}
        asked |= {"longest": LONGEST_ANSWER, "temperature": TEMPERATURE}
        assert child.stdin is not None
        with suppress(OSError):  # it has ended already: the empty answer tells
            child.stdin.write(json.dumps(asked).encode() + b"\n")
            child.stdin.flush()
        return child

    def _answered(self, line: bytes, key: str) -> Endpoint:
        said: dict[str, Any] = json.loads(line) if line.strip() else {"error": "its process ended."}
        if "address" not in said:
            why = next((text for text in self._said if "error loading model" in text), "")
            why = why.partition("error loading model:")[2].strip() or str(said["error"])
            raise ModelError(NOT_STARTED.format(name=self.model.name, why=why.rstrip(".") + "."), code="no_model")
        return Endpoint("lite", f"{said['address']}/v1", key, self.model.name, f"the local model {self.model.name}")


def _drain(pipe: Any, said: deque[str]) -> None:
    with pipe:
        for line in pipe:
            said.append(line.decode("utf-8", "replace").strip())


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _spare_cores() -> int:
    """Return how many threads to use unasked: all but one, for threads that must wait for a busy core spin for ages."""
    return max(1, _cores() - 1)
