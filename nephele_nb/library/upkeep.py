"""Counts what was written and says when a table wants tidying; it reads and writes no table itself.

Every small write leaves a file that each later read has to open. Tidying a table costs time in proportion to its size,
because Lance then joins the small files with the large one, so a larger table waits for more writes. In between the
rows of small writes are folded: sixteen files become one, and sixteen of these one again, whatever the table's size.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import isqrt

LEAST_WRITES = 20
LEAST_ROWS = 500
FOLDED = 16
"""How many files are folded into one."""


class Upkeep:
    """What was written to each table since it was last tidied. Safe from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all = Counter[str]()
        self._writes = Counter[str]()
        self._rows = Counter[str]()
        self._small = defaultdict[str, list[list[list[str]]]](list)  # by how often it was folded: the keys in each file
        self._wanting: set[str] = set()

    def wrote(self, name: str, rows: int) -> None:
        """Count one write of so many rows."""
        with self._lock:
            self._all[name] += 1
            self._writes[name] += 1
            self._rows[name] += rows

    def wrote_little(self, name: str, keys: Sequence[str]) -> None:
        """Count one write of few rows, which will be folded with others."""
        with self._lock:
            self._all[name] += 1
            self._rows[name] += len(keys)
            self._put(name, 0, list(keys))

    def ripe(self, name: str) -> list[str]:
        """Return the keys of the rows whose files are to be folded into one, none while they are few."""
        with self._lock:
            return [key for level in self._full(name) for file in level for key in file]

    def folded(self, name: str, keys: Sequence[str]) -> None:
        """Count the files that were ripe as one."""
        with self._lock:
            full = self._full(name)
            del self._small[name][: len(full)]
            self._small[name][:0] = [[] for _ in full]
            if full:
                self._put(name, len(full), list(keys))

    def _full(self, name: str) -> list[list[list[str]]]:
        levels = self._small[name]
        few = next((n for n, level in enumerate(levels) if len(level) < FOLDED), len(levels))
        return levels[:few]

    def _put(self, name: str, level: int, keys: list[str]) -> None:
        levels = self._small[name]
        if len(levels) == level:
            levels.append([])
        levels[level].append(keys)

    def wants(self, name: str) -> None:
        """Say that a table wants tidying whatever was written."""
        with self._lock:
            self._wanting.add(name)

    def tidied(self, name: str) -> None:
        """Begin to count anew."""
        with self._lock:
            self._all[name] = self._writes[name] = self._rows[name] = 0
            self._small[name] = []
            self._wanting.discard(name)

    def due(self, held: Callable[[str], int]) -> list[str]:
        """Return the tables that want tidying; ``held`` counts a table's rows and is asked only where it matters."""
        with self._lock:
            counts = {n: (self._all[n], self._writes[n], self._rows[n]) for n in self._all}
            wanting = set(self._wanting)
        return sorted(wanting | {name for name, seen in counts.items() if _much(*seen, 0) and _much(*seen, held(name))})


def _much(all_writes: int, writes: int, rows: int, held: int) -> bool:
    return (
        writes >= max(LEAST_WRITES, isqrt(held) // 2)
        or rows >= max(LEAST_ROWS, held // 50)
        or all_writes >= max(LEAST_ROWS, 4 * isqrt(held))  # each leaves a version, which is to go
    )
