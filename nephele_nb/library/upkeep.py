"""Counts what was written and says when a table wants tidying; it reads and writes no table itself.

Every small write leaves a file that each later read has to open, and tidying a table costs time in proportion to its
size, because Lance then joins the small files with the large one. So a larger table waits for more writes.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from math import isqrt

LEAST_WRITES = 20
LEAST_ROWS = 500


class Upkeep:
    """What was written to each table since it was last tidied. Safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writes = Counter[str]()
        self._rows = Counter[str]()
        self._wanting: set[str] = set()

    def wrote(self, name: str, rows: int) -> None:
        """Count one write of so many rows."""
        with self._lock:
            self._writes[name] += 1
            self._rows[name] += rows

    def wants(self, name: str) -> None:
        """Say that a table wants tidying whatever was written."""
        with self._lock:
            self._wanting.add(name)

    def tidied(self, name: str) -> None:
        """Begin to count anew."""
        with self._lock:
            self._writes[name] = self._rows[name] = 0
            self._wanting.discard(name)

    def due(self, held: Callable[[str], int]) -> list[str]:
        """Return the tables that want tidying; ``held`` counts a table's rows and is asked only where it matters."""
        with self._lock:
            names = {n for n in self._writes if self._writes[n] >= LEAST_WRITES or self._rows[n] >= LEAST_ROWS}
            counts = {n: (self._writes[n], self._rows[n]) for n in names}
            wanting = set(self._wanting)
        return sorted(wanting | {n for n, (writes, rows) in counts.items() if _much(writes, rows, held(n))})


def _much(writes: int, rows: int, held: int) -> bool:
    return writes >= max(LEAST_WRITES, isqrt(held) // 2) or rows >= max(LEAST_ROWS, held // 50)
