"""The folder of memory cards: lists, reads, writes, deletes and takes back; it never leaves the folder.

A card is reached by the name of a file that is there, never by a path made of an id. Writers of several kernels wait
for one another, and a file is replaced whole. A file that can't be read as a card hides no other: it is listed with a
warning, or named in ``problems``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from ..errors import NepheleError, nearest
from ..types import Inverse
from . import inverses
from .card import TYPES, Card, Held, changed, checked, new, read, unread
from .naming import folded, stem

LOCK = ".writing.lock"
WAIT_S = 10.0
Cards = list[Card]
LONGEST = 1_000_000
"""Bytes of a card that are read."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a change did: the card's id and title, and how to take it back; no inverse where nothing changed."""

    id: str
    title: str
    inverse: Inverse | None


class Memory:
    """The cards of one home. Safe from several threads and kernels."""

    def __init__(self, folder: Path, on_change: Callable[[str, str, Inverse | None], None] | None = None) -> None:
        """``on_change`` hears of each ``write`` and ``delete`` (``save`` and ``remove`` leave that to their caller)."""
        self.folder = folder
        self._on_change = on_change or (lambda what, title, inverse: None)
        self._seen: dict[Path, tuple[tuple[int, int], Held]] = {}

    def __repr__(self) -> str:
        return f"Memory({len(self._files()[0])} cards in {self.folder})"

    def list(self) -> Cards:
        """Return all cards by type, the newest of each type first."""
        held = sorted(self._all(), key=lambda h: h.when, reverse=True)
        return [h.card for kind in TYPES for h in held if h.card.type == kind]

    def read(self, id: str) -> Card:
        """Return one card; raises NepheleError where there is none of this id."""
        return self._held(id).card

    def write(self, title: str, summary: str, type: str, body: str, id: str | None = None) -> str:
        """Write a new card, or change the one with ``id``, and return its id; raises NepheleError.

        A card that is the same as before keeps every byte.
        """
        written = self.save(title, summary, type, body, id)
        if written.inverse is not None:
            self._on_change("memory.write", written.title, written.inverse)
        return written.id

    def delete(self, id: str) -> None:
        """Delete one card; raises NepheleError where there is none of this id."""
        removed = self.remove(id)
        self._on_change("memory.delete", removed.title, removed.inverse)

    def problems(self) -> tuple[str, ...]:
        """Return what is odd about the files of this folder, each with its file and, where it is known, its line."""
        return (*self._files()[1], *(warning for held in self._all() for warning in held.card.warnings))

    def save(
        self, title: str, summary: str, type: str, body: str, id: str | None = None, expected: str | None = None
    ) -> Written:
        """Write as ``write`` does and return how to take that back.

        Refuses to change a card whose ``version`` is not the ``expected`` one.
        """
        title, summary = checked(title, summary, type, body)
        now = datetime.now(UTC)
        with self._alone():
            if id is None:
                name = f"{stem(title, self._stems())}.md"
                data = new(title, summary, type, body, now)
                self._put(self.folder / name, data)
                return Written(name.removesuffix(".md"), title, inverses.deletion(name, data))
            held = self._held(id)
            if expected is not None and inverses.digest(held.data) != expected:
                raise NepheleError(f"The card {id!r} has changed meanwhile and was left as it is; read it again.")
            data = changed(held, title, summary, type, body, now)
            if data == held.data:
                return Written(id, title, None)
            self._put(held.card.path, data)
            return Written(id, title, inverses.restoration(held.card.path.name, held.data, data))

    def check(self, title: str, summary: str, type: str, body: str) -> None:
        """Raise NepheleError for what can't be a card."""
        checked(title, summary, type, body)

    def version(self, id: str) -> str:
        """Return a word that changes whenever the card's file does."""
        return inverses.digest(self._held(id).data)

    def remove(self, id: str) -> Written:
        """Delete a card and return how to take that back."""
        with self._alone():
            held = self._held(id)
            path = held.card.path
            with _said(path):
                path.unlink()
            inverse = inverses.restoration(path.name, held.data, None) if held.whole else None
            return Written(id, held.card.title, inverse)

    def take_back(self, inverse: Inverse) -> Inverse:
        """Apply the inverse of a change and return that of doing so; raises NepheleError where a file changed since."""
        name = inverses.name_of(inverse)
        path = self.folder / name
        with self._alone():
            with _said(path):
                present = path.read_bytes() if path.is_file() else None
            inverses.check(inverse, present)
            before = inverses.former(inverse)
            if before is None:
                with _said(path):
                    path.unlink()
            else:
                self._put(path, before)
            return inverses.reverse(name, present, before)

    def _held(self, id: str) -> Held:
        files, _ = self._files()
        path = files.get(id) or next((p for known, p in files.items() if folded(known) == folded(str(id))), None)
        held = self._load(id, path) if path is not None else None
        if held is None:
            known = ", ".join([*files][:20]) or "none"
            raise NepheleError(f"There is no memory card {id!r}{nearest(str(id), files)}. The cards are: {known}.")
        return held

    def _all(self) -> Iterator[Held]:
        loaded = (self._load(id, path) for id, path in self._files()[0].items())
        yield from (held for held in loaded if held is not None)

    def _files(self) -> tuple[dict[str, Path], tuple[str, ...]]:
        """Return the card files by id, and what is odd about the others."""
        found: dict[str, Path] = {}
        problems: tuple[str, ...] = ()
        try:
            with os.scandir(self.folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except FileNotFoundError:
            return {}, ()
        except OSError as error:
            return {}, (f"{self.folder} can't be read: {error.strerror}",)
        for entry in inside:
            name = entry.name
            if name.startswith(".") or not name.lower().endswith(".md"):
                continue
            path = self.folder / name
            if entry.is_symlink() and not path.resolve().is_relative_to(self.folder.resolve()):
                problems += (f"{name}: a link that leads out of the folder; it was not read",)
            elif not entry.is_file():
                problems += (f"{name}: not a file; it was not read",)
            else:
                found[name[:-3] if name[:-3] not in found else name] = path
        return found, problems

    def _load(self, id: str, path: Path) -> Held | None:
        """Return the card of a file as it is now; None where the file is gone."""
        try:
            facts = path.stat()
            signature = (facts.st_mtime_ns, facts.st_size)
            seen = self._seen.get(path)
            if seen is None or seen[0] != signature:
                with path.open("rb") as file:
                    data = file.read(LONGEST)
                held = read(id, path, data, facts.st_mtime, max(0, facts.st_size - len(data)))
                self._seen[path] = seen = (signature, held)
        except FileNotFoundError:
            return None
        except OSError as error:
            return unread(id, path, f"it can't be read ({error.strerror})")
        return seen[1]

    def _stems(self) -> tuple[str, ...]:
        with suppress(FileNotFoundError):
            return tuple(path.stem for path in self.folder.iterdir())
        return ()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold off the writers of other kernels; raises NepheleError where the folder can't be written."""
        try:
            with _said(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / LOCK, timeout=WAIT_S)
            with _said(self.folder):
                lock.acquire()
        except Timeout as error:
            raise NepheleError(
                f"Another program has been writing to {self.folder} for {WAIT_S:g} s; try again."
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _put(self, path: Path, data: bytes) -> None:
        """Replace a file whole, or not at all."""
        path = path.resolve()
        draft = path.with_name(f".{uuid4().hex}.tmp")
        with _said(path):
            try:
                with draft.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                if path.exists():
                    shutil.copymode(path, draft)
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
        self._seen.pop(path, None)


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """Turn what the operating system refuses into words."""
    try:
        yield
    except Timeout:
        raise
    except OSError as error:
        raise NepheleError(f"{path} can't be written: {error.strerror or error}. Nothing was changed.") from error
