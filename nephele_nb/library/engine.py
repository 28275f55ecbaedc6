"""Brings LanceDB into the process, without the warnings it would write into a user's cell; it opens no table."""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

LEVEL = "LANCEDB_LOG"
"""What LanceDB reads once, when it is first imported; a value of the user's own stands."""

INDEX_BYTES, VERSION_BYTES = 2 << 30, 128 << 20
"""What LanceDB may keep in memory of indexes, and of what it knows of versions: 6 GB and 1 GB by itself.

Each write makes a version of about 100 kB there; the kernel is a notebook's, whose memory is for its own data.
"""

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


@cache
def session() -> Any:
    """Return what all libraries of this process keep in memory, within bounds."""
    return lancedb().Session(index_cache_size_bytes=INDEX_BYTES, metadata_cache_size_bytes=VERSION_BYTES)
