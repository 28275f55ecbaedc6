"""An embedder that runs on this machine in a child process, so that its threads and settings touch nothing here."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress

from .embedder import EmbedderError

ANSWER_S = 120.0
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]);"
    "from nephele_nb.library.embedder_process import main; main(sys.argv[2])"
)


class ProcessEmbedder:
    """An embedder that lives in a child process, which ends with this one; safe to use from several threads.

    ``floor`` is the least likeness that is an answer, by the query's language ("" any other), ``far_floor`` the same
    across languages.
    """

    def __init__(self, rung: str, name: str, dim: int, floor: Mapping[str, float], far_floor: float) -> None:
        self.rung, self.id, self.dim, self.floor, self.far_floor = rung, name, dim, floor, far_floor
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._waiting: dict[int, tuple[subprocess.Popen[bytes], Future[list[list[float]]]]] = {}
        self._number = 0
        self._closed = False

    def passages(self, texts: list[str]) -> list[list[float]]:
        """Embed passages; raises EmbedderError."""
        return self._ask("passages", texts)

    def query(self, text: str) -> list[float]:
        """Embed one query; raises EmbedderError. Doesn't wait for passages that are being embedded."""
        return self._ask("query", [text])[0]

    def close(self) -> None:
        """End the child process."""
        with self._lock:
            self._closed = True
            child, self._child = self._child, None
        if child is not None:
            _end(child)

    def _ask(self, kind: str, texts: list[str]) -> list[list[float]]:
        answer: Future[list[list[float]]] = Future()
        with self._lock:
            child = self._running()
            self._number += 1
            number = self._number
            self._waiting[number] = (child, answer)
            line = json.dumps({"id": number, "kind": kind, "texts": texts}) + "\n"
            try:
                assert child.stdin is not None
                child.stdin.write(line.encode())
                child.stdin.flush()
            except OSError as error:
                self._waiting.pop(number, None)
                raise EmbedderError(f"The embedder {self.rung} has stopped: {error}.") from error
        try:
            return answer.result(ANSWER_S)
        except TimeoutError as error:
            raise EmbedderError(f"The embedder {self.rung} gave no answer within {ANSWER_S:.0f} s.") from error
        finally:
            self._waiting.pop(number, None)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise EmbedderError(f"The embedder {self.rung} was closed with its library.")
        if self._child is not None and self._child.poll() is None:
            return self._child
        if self._child is not None:
            _end(self._child)
        threads = str(max(1, (os.cpu_count() or 2) - 1))
        child = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(sys.path), self.rung],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,  # an interrupt meant for the user's code must not reach it
        )
        self._child = child
        threading.Thread(target=self._listen, args=(child,), name="nephele-embedder", daemon=True).start()
        return child

    def _listen(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stdout is not None
        for line in child.stdout:
            said = json.loads(line)
            _, answer = self._waiting.pop(said["id"], (child, None))
            if answer is None:
                continue
            if "error" in said:
                answer.set_exception(EmbedderError(f"The embedder {self.rung} failed: {said['error']}"))
            else:
                answer.set_result(unpacked(said["vectors"], said["dim"]))
        for number, (asked, answer) in list(self._waiting.items()):
            if asked is child and self._waiting.pop(number, None) is not None:
                answer.set_exception(EmbedderError(f"The embedder {self.rung} has ended."))


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        with suppress(OSError):  # it may be gone already
            child.stdin.close()
    try:
        child.wait(2)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdout is not None:
        child.stdout.close()


def unpacked(text: str, dim: int) -> list[list[float]]:
    """Return the vectors that ``embedder_process.packed`` wrote."""
    import numpy as np

    vectors: list[list[float]] = np.frombuffer(base64.b64decode(text), np.float32).reshape(-1, dim).tolist()
    return vectors
