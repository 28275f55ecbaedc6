"""A child process that ends with its parent, however that ended; it ends no other process."""

from __future__ import annotations

import os
import threading
import time

LOOK_S = 2.0


def end_when_orphaned() -> None:
    """End this process soon after its parent: a fork of that may still hold the other end of standard input."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os._exit(0)
