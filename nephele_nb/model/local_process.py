"""The child process that serves one GGUF on loopback; it ends with its parent and keeps nothing."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any

from nephele_nb.orphan import end_when_orphaned

FAULTS = (ImportError, OSError, RuntimeError, ValueError, TypeError, AttributeError, MemoryError)
"""What a runtime that is missing or too old raises, or a model that is broken or too large."""


def main() -> None:
    """Read what to serve from the first line of standard input, say where it is served, and stay until it ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the runtime prints must not mix with the answer
    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_until_input_ends, daemon=True).start()
    end_when_orphaned()
    try:
        server = serve(asked)
        said = {"address": server.listening_address}
    except FAULTS as error:
        said = {"error": f"{type(error).__name__}: {error}"}
    out.write(json.dumps(said) + "\n")
    out.flush()
    if "address" in said:
        threading.Event().wait()


def serve(asked: Mapping[str, Any]) -> Any:
    """Load the model and start its server, which takes only requests that bring the key."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = asked["path"]
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [asked["key"]]
    params.n_ctx, params.n_predict, params.n_parallel = asked["context"], asked["longest"], 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked["threads"]
    params.sampling.temp = asked["temperature"]
    params.use_jinja = True
    params.cache_ram_mib = 0
    params.endpoint_slots = params.ui = False
    params.verbosity = 1
    return xllamacpp.Server(params)


def _until_input_ends() -> None:
    sys.stdin.read()
    os._exit(0)
