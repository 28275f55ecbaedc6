"""Lets one process write at a time, and remembers what a writing cut short had begun; it knows no table.

A note is several rows in several tables, so a writer first says which content ids it is about to touch, in a file
beside the tables. A process that finds that file after its writer is gone mends those ids before it writes itself.
A library that isn't a local folder has no such file: there the tables' own commits are all that keeps writers apart.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ..errors import LibraryError, StaleError
from .literals import half_character

LOCK = "writing.lock"
BEGUN = "writing.json"
WAIT_S = 120.0
_POLL_S = 0.01

Mend = Callable[[list[str]], None]


class Pen:
    """What a writer holds. Safe from several threads and processes; a holder may take it again."""

    def __init__(self, folder: Path | None) -> None:
        self._begun = folder / BEGUN if folder is not None else None
        self._mine = threading.RLock()
        self._depth = 0
        self._holder = 0
        self._file: FileLock | None = None
        if folder is not None:
            self._file = FileLock(folder / LOCK, timeout=WAIT_S, thread_local=False, poll_interval=_POLL_S)
        self.mend: Mend | None = None

    @contextmanager
    def hold(self, content_ids: Iterable[str]) -> Iterator[None]:
        """Write these content ids with nobody else writing; raises LibraryError where the folder can't be written.

        Where the body fails, what it had begun is mended by whoever writes next. A StaleError is a refusal to begin.
        """
        with self._mine, self._alone():
            self._depth += 1
            self._holder = threading.get_ident()
            try:
                ids = list(content_ids)
                if self._depth == 1:
                    self._mend()
                    self._note(ids)
                yield
                self._end(changed=bool(ids))
            except StaleError:
                self._end(changed=False)
                raise
            finally:
                self._depth -= 1

    def _end(self, *, changed: bool) -> None:
        if self._depth == 1 and self._begun is not None:
            self._begun.unlink(missing_ok=True)
            if changed:
                os.utime(self._begun.with_name(LOCK))

    @property
    def mine(self) -> bool:
        """Whether this thread holds the pen and no other process can write meanwhile."""
        return self._file is not None and self._depth > 0 and self._holder == threading.get_ident()

    @property
    def cut_short(self) -> bool:
        """Whether a writing has begun and not ended; another process may still be at it."""
        return self._begun is not None and self._begun.exists()

    @property
    def changed(self) -> float:
        """When this library was last written, in Unix seconds; 0 where nobody noted it."""
        lock = self._begun.with_name(LOCK) if self._begun is not None else None
        return lock.stat().st_mtime if lock is not None and lock.exists() else 0.0

    def _alone(self) -> Any:
        if self._file is None:
            return nullcontext()
        try:
            return self._file.acquire()
        except Timeout as error:
            raise LibraryError(
                f"Another process has been writing this library for {WAIT_S:.0f} s. Close it, or try again later."
            ) from error
        except OSError as error:
            raise LibraryError(f"The library can't be written: {error}. Check the folder's permissions.") from error

    def _mend(self) -> None:
        if not self.cut_short or self.mend is None or self._begun is None:
            return
        try:
            ids = [str(i) for i in json.loads(self._begun.read_text("utf-8"))]
        except (ValueError, TypeError):
            ids = []  # cut while it was written itself, so that nothing had begun
        except OSError as error:
            raise LibraryError(f"The library can't be written: {error}. Nothing was changed.") from error
        self.mend(ids)

    def _note(self, content_ids: list[str]) -> None:
        if fault := next(filter(None, map(half_character, content_ids)), ""):
            raise LibraryError(f"A content id {fault} Nothing was changed.")
        if self._begun is None:
            return
        try:
            self._begun.write_text(json.dumps(content_ids), "utf-8")
        except OSError as error:
            raise LibraryError(f"The library can't be written: {error}. Nothing was changed.") from error
