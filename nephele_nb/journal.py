"""The append-only record of a conversation, one file each; it never decides what to do with what it reads.

A line is one JSON object: ``{"started": …}`` once, then ``{"event": …}``, ``{"message": …}``, ``{"operation": …}``,
and ``{"undone": …}``, ``{"cleared": …}`` or ``{"aside": …}`` for what happened to them.
Lines reach the operating system before a batch of events is shown; at approvals, ToolFinish and LoopDone they are sent
on to the disk, beside what goes on.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Any
from uuid import uuid4
from weakref import finalize

from filelock import FileLock, Timeout

from .errors import NepheleError
from .events import ApprovalRequest, ApprovalResolved, Event, LoopDone, ToolFinish, plain
from .record import Operation, read
from .types import Message, Why

__all__ = ["Journal", "Operation", "name_for_notebook"]

encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
DURABLE = (ApprovalRequest, ApprovalResolved, ToolFinish, LoopDone)


class Journal:
    """One conversation's file, held by one agent at a time."""

    def __init__(self, folder: Path, conversation: str) -> None:
        """Open ``conversation``; where another agent holds it, its next free number (``name-2``).

        Raises NepheleError where the folder can't be written. A later failure to write is kept in ``fault``, and the
        conversation goes on unsaved.
        """
        self.fault = ""
        # What the user takes back or changes by hand is written from their own thread.
        self._pen = threading.RLock()
        self.undoing = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.conversation, self._lock = _claim(folder, conversation)
        except OSError as error:
            raise NepheleError(
                f"{folder} can't be written ({error}). Name another home: NEPHELE_HOME or home=…"
            ) from error
        self.path = folder / f"{self.conversation}.jsonl"
        self.record = read(self.path)
        self._file: IO[str] | None = None
        self.started = self.record.started or time.time()

    def event(self, event: Event) -> None:
        """Record an event; to the disk at once where it must survive a crash."""
        self.record.events.append(event)
        self._write({"event": event.to_dict()})
        if isinstance(event, DURABLE):
            self.flush(durable=True)

    def message(self, message: Message, replaces: int = 0) -> None:
        """Record one message of the history, in place of the last but ``replaces - 1`` where that is not 0."""
        self._write({"message": plain(message)} | ({"replaces": replaces} if replaces else {}))

    def operation(self, operation: Operation) -> None:
        """Record an operation with its inverse."""
        self.record.operations.append(operation)
        self._write({"operation": plain(operation)})
        self.flush(durable=True)

    def set_aside(self, rounds: Mapping[str, Why | None]) -> None:
        """Record which rounds have left the model's context and why; None for one that is back in it."""
        self.record.mark_aside(rounds)
        self._write({"aside": rounds})
        self.flush(durable=True)

    def cleared(self) -> None:
        """Record that the conversation begins anew: its messages so far are history, its events stay."""
        self._write({"cleared": time.time()})
        self.flush(durable=True)

    @property
    def undone(self) -> set[str]:
        """The rounds that were taken back, as far as that could be, and have done nothing since."""
        done = Counter(o.round_id for o in self.record.operations)
        return {r for r, seen in self.record.undone.items() if seen >= done[r]}

    def mark_undone(self, round_id: str, taken: Collection[int], seen: int) -> None:
        """Record that a round of ``seen`` operations was taken back, as far as ``taken``, their places, says."""
        self.record.mark_undone(round_id, taken, seen)
        self._write({"undone": round_id, "taken": sorted(taken), "seen": seen})
        self.flush(durable=True)

    def untaken(self, round_id: str) -> dict[int, Operation]:
        """Return the operations of one round that were not taken back, by their place in it."""
        taken = self.record.taken.get(round_id, ())
        return {place: o for place, o in enumerate(self.operations(round_id)) if place not in taken}

    def rounds(self) -> list[str]:
        """Return the round ids that have operations or events, oldest first."""
        seen = dict.fromkeys(e.round_id for e in self.record.events)
        return list(seen | dict.fromkeys(o.round_id for o in self.record.operations))

    def worked(self) -> list[str]:
        """Return the ids of rounds that have operations, by their last one."""
        latest = dict.fromkeys(o.round_id for o in reversed(self.record.operations))
        return list(reversed(latest))

    def operations(self, round_id: str) -> list[Operation]:
        """Return the operations of one round, in order."""
        return [o for o in self.record.operations if o.round_id == round_id]

    def flush(self, durable: bool = False) -> None:
        """Hand what is buffered to the operating system, and to the disk where ``durable``."""
        with self._pen:
            if self._file is None or self.fault:
                return
            try:
                self._file.flush()
                if durable:
                    self._to_disk(self._file.fileno())
            except OSError as error:
                self.fault = str(error)

    def _to_disk(self, handle: int) -> None:
        """Have what was handed over written to the disk: at once, or beside an event loop that it would hold up."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            os.fsync(handle)
        else:
            loop.run_in_executor(None, self._sync, os.dup(handle))

    def _sync(self, handle: int) -> None:
        try:
            os.fsync(handle)
        except OSError as error:
            self.fault = str(error)
        finally:
            os.close(handle)

    def close(self) -> None:
        """Close the file and let another agent have the conversation."""
        if self._file is not None:
            _close(self._file)
            self._file = None
        self._lock.release()

    def _write(self, line: dict[str, Any]) -> None:
        with self._pen:
            if self.fault:
                return
            try:
                file = self._file or self._open()
                file.write(encode(line) + "\n")
            except OSError as error:
                self.fault = str(error)

    def _open(self) -> IO[str]:
        self._file = file = self.path.open("a", encoding="utf-8", errors="replace")
        finalize(self, _close, file)
        if _ends_mid_line(self.path):
            file.write("\n")
        if self.record.started is None:
            self.record.started = self.started
            self._write({"started": self.started})
        return file


def _close(file: IO[str]) -> None:
    with suppress(OSError):
        file.close()


def name_for_notebook(session: str | None) -> str:
    """Return the conversation name of a notebook (its path, as JPY_SESSION_NAME has it), or a new one."""
    if not session:
        return f"chat-{time.strftime('%Y%m%d-%H%M%S')}-{uuid4().hex[:6]}"
    stem = Path(session).stem
    tail = hash_text(session)
    return f"{''.join(c if c.isalnum() or c in '-_' else '-' for c in stem)[:60]}-{tail}"


def hash_text(text: str) -> str:
    """Return eight hex digits that stand for a text."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def _ends_mid_line(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"


def _claim(folder: Path, conversation: str) -> tuple[str, FileLock]:
    number = 1
    while True:
        name = conversation if number == 1 else f"{conversation}-{number}"
        lock = FileLock(folder / f"{name}.lock")
        try:
            lock.acquire(blocking=False)
        except Timeout:
            number += 1
        else:
            return name, lock
