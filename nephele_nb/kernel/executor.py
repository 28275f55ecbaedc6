"""Chooses how approved code runs here, in a live kernel or in a dict; it never runs any itself."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from .bridge import Bridge
from .execution import Execution, Executor, RunResult
from .live import LiveExecutor
from .plain import PlainExecutor
from .reactive import names
from .selfclient import SelfClient
from .threads import follow_threads

__all__ = ["Execution", "Executor", "Kernel", "RunResult", "attach"]

_FIRST_WITH_SUBSHELLS = (7, 0, 1)


@dataclass(frozen=True, slots=True)
class Kernel:
    """The place where an agent's code runs; ``live`` tells whether it is the user's own kernel."""

    bridge: Bridge
    executor: Executor
    live: bool
    deaf: str = ""
    """The word that says why clicks aren't heard while a cell waits; none where they are, or nobody could click."""


_attached: list[tuple[Any, Kernel]] = []


def attach(namespace: dict[str, Any] | None = None) -> Kernel:
    """Return the live kernel's one Kernel, or a plain one over ``namespace``.

    Outside IPython that is by default the names of marimo's cells, or an empty dict. Call it on the main thread.
    """
    shell = _live_shell() if namespace is None else None
    if shell is None:
        cells = names()
        bridge = Bridge()
        executor = PlainExecutor(namespace if namespace is not None else {} if cells is None else cells, bridge)
        bridge.on_close(executor.close)
        return Kernel(bridge, executor, live=False, deaf="" if cells is None else "deaf_cells")
    for known, kernel in _attached:
        if known is shell and kernel.bridge.alive:
            return kernel
        kernel.bridge.close()
    made = _attach_live(shell)
    _attached[:] = [(shell, made)]
    return made


def _attach_live(shell: Any) -> Kernel:
    follow_threads()
    client = SelfClient(shell.kernel)
    hears = _handles_comms_while_busy(shell.kernel)
    bridge = Bridge(client, comms_while_busy=hears)
    executor = LiveExecutor(shell, bridge, client)
    bridge.on_close(executor.close)
    return Kernel(bridge, executor, live=True, deaf="" if hears else "deaf_wait")


def _live_shell() -> Any:
    """Return the running IPython shell if a kernel stands behind it, without importing IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if getattr(shell, "kernel", None) is not None else None


def _handles_comms_while_busy(kernel: Any) -> bool:
    from ipykernel._version import version_info

    return version_info[:3] >= _FIRST_WITH_SUBSHELLS and bool(getattr(kernel, "_supports_kernel_subshells", False))
