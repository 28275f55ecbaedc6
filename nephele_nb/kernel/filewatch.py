"""Sees what a run does to files, the network and processes, and keeps what files held before; it never forbids.

Python tells audit hooks of these before they happen. A hook can't be taken out again, so there is one for the whole
process, and it does nothing outside of a watched run.
"""

from __future__ import annotations

import os
import sys
import threading
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .interrupt import CURRENT, Run

KEEP_BYTES = 48 << 20
"""What the former contents of the files of one run may take."""
_MOST_IN_TREE = 2000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOT_THEIRS = ("/dev/", "/proc/", "/sys/")
_CACHES = ("__pycache__", ".pyc", *(f"{os.sep}.{name}{os.sep}" for name in ("cache", "ipython", "matplotlib")))
ABSENT, FILE, FOLDER = "absent", "file", "folder"


@dataclass(frozen=True, slots=True)
class State:
    """How a path was: ``content`` is None where it was not kept."""

    kind: str
    content: bytes | None = None
    mode: int = 0
    size: int = 0
    modified: int = 0
    digest: int = 0

    def same(self, other: State) -> bool:
        """Tell whether both hold the same, whenever they were written."""
        if self.kind != FILE or other.kind != FILE:
            return self.kind == other.kind
        return (self.size, self.digest, self.mode) == (other.size, other.digest, other.mode)


def look(path: str, room: int) -> State:
    """Return how a path is, with its content if that takes no more than ``room`` bytes."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return State(ABSENT)
    if Path(path).is_dir():
        return State(FOLDER, mode=status.st_mode & 0o7777)
    content, digest = None, -status.st_mtime_ns
    if status.st_size <= room and Path(path).is_file():
        with suppress(OSError):
            content = Path(path).read_bytes()
            digest = zlib.crc32(content)
    return State(FILE, content, status.st_mode & 0o7777, status.st_size, status.st_mtime_ns, digest)


@dataclass(slots=True)
class Watch:
    """What one run has been seen to do. ``before`` holds each path as it was when first touched."""

    before: dict[str, State] = field(default_factory=dict)
    moved_folders: list[tuple[str, str]] = field(default_factory=list)
    sent: dict[str, None] = field(default_factory=dict)
    started: dict[str, None] = field(default_factory=dict)
    _room: int = KEEP_BYTES
    _busy: set[int] = field(default_factory=set)

    def note(self, path: Any) -> None:
        """Keep how a path is now, unless it is known already."""
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str | os.PathLike):
            return
        full = os.path.abspath(path)  # noqa: PTH100 - resolving would follow the link that is about to be replaced
        if full in self.before or full.startswith(_NOT_THEIRS) or any(part in full for part in _CACHES):
            return
        self.before[full] = state = look(full, self._room)
        self._room -= len(state.content or b"")

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """Take one audit event of the run."""
        me = threading.get_ident()
        handle = _EVENTS.get(event)
        if handle is None or me in self._busy:
            return
        self._busy.add(me)
        try:
            handle(self, args)
        except (OSError, ValueError, TypeError, IndexError):
            self.started[f"{event} (which could not be followed)"] = None
        finally:
            self._busy.discard(me)

    def tree(self, path: Any) -> None:
        """Keep all of a folder that is about to go."""
        for folder, _, names in os.walk(path):
            self.note(folder)
            for name in names:
                if len(self.before) < _MOST_IN_TREE:
                    self.note(os.path.join(folder, name))  # noqa: PTH118


def _opened(watch: Watch, args: tuple[Any, ...]) -> None:
    path, _, flags = args
    if not isinstance(path, int) and isinstance(flags, int) and flags & _WRITING:
        watch.note(path)


def _first(watch: Watch, args: tuple[Any, ...]) -> None:
    if len(args) < 2 or args[-1] in (-1, None) or not isinstance(args[-1], int):
        watch.note(args[0])


def _both(watch: Watch, args: tuple[Any, ...]) -> None:
    source, target = args[0], args[1]
    if not isinstance(source, int) and Path(os.fsdecode(source)).is_dir():
        watch.moved_folders.append((os.path.abspath(source), os.path.abspath(target)))  # noqa: PTH100
        return
    watch.note(source)
    watch.note(target)


def _chmod(watch: Watch, args: tuple[Any, ...]) -> None:
    watch.note(args[0])


def _tree(watch: Watch, args: tuple[Any, ...]) -> None:
    watch.tree(args[0])


def _database(watch: Watch, args: tuple[Any, ...]) -> None:
    path = os.fsdecode(args[0])
    if path and path != ":memory:" and not path.startswith("file:"):
        watch.note(path)


def _sent(watch: Watch, args: tuple[Any, ...]) -> None:
    where = args[1] if len(args) > 1 and not isinstance(args[0], str) else args[0]
    if isinstance(where, str) and where.startswith("/"):
        return
    watch.sent[":".join(map(str, where[:2])) if isinstance(where, tuple) else str(where)[:200]] = None


def _started(watch: Watch, args: tuple[Any, ...]) -> None:
    command = args[1] if len(args) > 1 and isinstance(args[1], list | tuple) else args[:1]
    watch.started[" ".join(os.fsdecode(p) if isinstance(p, bytes) else str(p) for p in command)[:200]] = None


_EVENTS: dict[str, Callable[[Watch, tuple[Any, ...]], None]] = {
    "open": _opened,
    "os.remove": _first,
    "os.rmdir": _first,
    "os.mkdir": _first,
    "os.truncate": _chmod,
    "os.chmod": _chmod,
    "os.rename": _both,
    "os.link": _both,
    "os.symlink": _both,
    "shutil.rmtree": _tree,
    "sqlite3.connect": _database,
    "socket.connect": _sent,
    "socket.sendto": _sent,
    "urllib.Request": _sent,
    "subprocess.Popen": _started,
    "os.system": _started,
    "os.posix_spawn": _started,
    "os.spawn": _started,
    "os.exec": _started,
}
_watched: dict[Run, Watch] = {}
_hooked = False


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if not _watched or event not in _EVENTS:
        return
    run = CURRENT.get()
    watch = _watched.get(run) if run is not None else None
    if watch is not None:
        watch.hear(event, args)


def begin(run: Run, watch: Watch, expected: Iterable[str]) -> None:
    """Watch a run from now on; ``expected`` are paths that it may write where Python sees nothing of it."""
    global _hooked  # noqa: PLW0603 - a hook belongs to the process
    for path in expected:
        watch.note(path)
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    _watched[run] = watch


def end(run: Run) -> None:
    """Watch it no more."""
    _watched.pop(run, None)
