"""Keeps our comms reachable while the kernel is busy; it never touches anyone else's comm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def keep_on_subshell(comm: Any) -> None:
    """Let messages to this comm be handled on the subshell they were sent to; no effect where that is so anyway.

    ipykernel 7.4 sends them to the shell that published last, which is the busy main one when a cell did.
    Call it for each comm of ours once it exists, also for one that the front end opened.
    """
    if hasattr(comm, "_reply_subshell_for"):
        comm._reply_subshell_for = lambda _data, default: default


def heard_by(comm: Any, hear: Callable[[dict[str, Any]], None]) -> None:
    """Have messages to this comm heard without the hooks that run before and after a cell.

    The front end's click may come while a cell runs, and the hook after a cell would take the figures it draws.
    """
    comm.handle_msg = hear
