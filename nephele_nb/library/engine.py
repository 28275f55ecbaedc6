"""Brings LanceDB into the process, without the warnings it would write into a user's cell; it opens nothing."""

from __future__ import annotations

import os
import threading
from typing import Any

LEVEL = "LANCEDB_LOG"
"""What LanceDB reads once, when it is first imported; a value of the user's own stands."""

_importing = threading.Lock()


def lancedb() -> Any:
    """Return the module. That a tidying met a write, which is tried again, is nothing to warn anybody of."""
    with _importing:
        named = LEVEL in os.environ
        os.environ.setdefault(LEVEL, "error")
        try:
            import lancedb
        finally:
            if not named:
                del os.environ[LEVEL]
    return lancedb
