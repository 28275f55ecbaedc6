"""Takes files and folders into the library and notices what changed, moved or went; it never changes a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from threading import Event

from ..errors import LibraryError
from ..types import AddReport, Skipped
from . import formats, left_out, notes, table_files, tables
from .documents import Unreadable
from .draft import Draft
from .left_out import LeftOut
from .progress import Report
from .schema import META, NOTES, digest
from .store import Row, Store, any_of

READER_VERSION = "3"
"""Part of every file's hash: a better reader makes all files worth reading again."""

_BATCH = 64
_PASSED_OVER = frozenset(("node_modules", "__pycache__", "site-packages"))
Known = dict[str, list[Row]]


@dataclass
class Outcome:
    """What one run has done so far."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)

    def report(self) -> AddReport:
        """Return the value the caller sees."""
        return AddReport(
            tuple(self.added), tuple(self.updated), tuple(self.unchanged), tuple(self.removed), tuple(self.skipped),
            tuple(self.moved),
        )  # fmt: skip


class Intake:
    """One run over a file or a folder. ``wrote`` hears of the passages that are in; ``stop`` ends the run early.

    What is in when it ends early is whole, and the next run goes on from there.
    """

    def __init__(
        self, store: Store, target: Path, report: Report, wrote: Callable[[list[notes.Unembedded]], None], stop: Event
    ) -> None:
        self._store, self._target, self._report, self._wrote, self._stop = store, target, report, wrote, stop
        self._root = target if target.is_dir() else target.parent
        self._known = _known(store)
        self._left_out = LeftOut(store)
        self._batch: list[Draft] = []
        self.done = Outcome()

    def run(self) -> AddReport:
        """Take in what is new or changed, and take out what is gone; a file that can't be read is reported."""
        whole = self._target.is_dir()
        files = list(self._files()) if whole else [self._target]
        for n, file in enumerate(files):
            if self._stop.is_set():
                break
            self._report(printable(file.name), n, len(files))
            try:
                self._take(file)
            except (Unreadable, LibraryError, OSError) as error:
                self._skip(file, str(error))
            except Exception as error:  # a parser of someone else's may raise anything over a broken file
                self._skip(file, f"can't be read: {type(error).__name__}: {error}")
            if len(self._batch) >= _BATCH:
                self._flush()
        self._flush()
        if not self._stop.is_set():
            if whole:
                self._forget({str(f) for f in files})
            self._report(self._target.name, len(files), len(files))
        return self.done.report()

    def _skip(self, file: Path, reason: str) -> None:
        self.done.skipped.append(Skipped(printable(str(file)), printable(reason)))

    def _files(self) -> Iterator[Path]:
        def unreadable(error: OSError) -> None:
            self._skip(Path(os.fsdecode(error.filename)), str(error))

        for at, folders, names in os.walk(self._target, onerror=unreadable):
            folders[:] = sorted(f for f in folders if self._wanted(Path(at, f)))
            yield from (Path(at, name) for name in sorted(names) if not name.startswith("."))

    def _wanted(self, folder: Path) -> bool:
        if folder.name.startswith(".") or folder.name in _PASSED_OVER:
            return False
        if folder.is_symlink():
            if not self._target.resolve().is_relative_to(folder.resolve()):  # a loop leads to nothing new
                self._skip(folder, "a link to another folder isn't followed; add that folder itself")
            return False
        return not (is_library(folder) or (folder / "pyvenv.cfg").exists())

    def _flush(self) -> None:
        if self._batch:
            self._wrote(notes.put(self._store, self._batch))
            self._batch = []

    def _take(self, file: Path) -> None:
        suffix = file.suffix.casefold()
        if suffix not in formats.READERS and suffix not in table_files.READERS:
            raise Unreadable(f"files of type {suffix or '(none)'} are not read")
        if printable(str(file)) != str(file):
            raise Unreadable("its name isn't UTF-8; rename it")
        if not file.is_file():
            raise Unreadable("not a file with contents, or a link to nothing")
        held = list(self._known.get(str(file), ()))
        mark = _hash(file)
        if held and all(row["hash"] == mark for row in held):
            self.done.unchanged += [row["content_id"] for row in held]
            return
        if not held and self._left_out.has(str(file), mark) and file != self._target:
            raise Unreadable("taken out of the library, and unchanged since; add the file itself to take it in again")
        if not held and self._move(file, mark):
            return
        found = self._tables(file, mark) if suffix in table_files.READERS else [self._note(file, mark, held)]
        before = {row["content_id"] for row in held}
        for content_id in found:
            (self.done.updated if content_id in before else self.done.added).append(content_id)
        self._drop([row for row in held if row["content_id"] not in found])
        if self._left_out.knows(str(file)):
            left_out.forget(self._store, [str(file)])

    def _move(self, file: Path, mark: str) -> bool:
        """Let a file that is elsewhere now keep its ids, and so its vectors and what cites it."""
        for path, rows in self._known.items():
            if any(row["hash"] != mark for row in rows) or Path(path).exists() or not rows:
                continue
            if rows[0]["kind"] == "table" and Path(path).stem != file.stem:
                continue
            ids = [row["content_id"] for row in rows]
            for row in self._store.rows(NOTES, notes.ROW_COLUMNS, any_of("content_id", ids)):
                draft = replace(notes.from_row(row), path=str(file), root=str(self._root))
                if draft.kind == "note" and draft.title == Path(path).stem:
                    draft = replace(draft, title=file.stem)
                self._batch.append(draft)
            self._known[str(file)] = self._known.pop(path)
            self.done.moved += ids
            return True
        return False

    def _note(self, file: Path, mark: str, held: list[Row]) -> str:
        document = formats.read_document(file)
        changed = file.stat().st_mtime
        content_id = held[0]["content_id"] if held else _free_id(self._store, file, self._root)
        created = document.created or (held[0]["created"] if held else 0.0) or changed
        self._batch.append(
            Draft(
                content_id, document.title, document.text, document.tags, "note", str(file), str(self._root), mark,
                created, document.updated or max(changed, created),
            )
        )  # fmt: skip
        return content_id

    def _tables(self, file: Path, mark: str) -> list[str]:
        rows = self._store.rows(NOTES, ["content_id", "path"], "kind = 'table'")
        taken = {row["content_id"]: row["path"] for row in rows}
        out = []
        for name, table in table_files.read_tables(file):
            if taken.get(f"table:{name}", str(file)) != str(file):
                name = f"{file.parent.name}_{name}"
            if taken.get(f"table:{name}", str(file)) != str(file):
                name = f"{name}_{digest(str(file), size=3)}"
            added = tables.add(self._store, name, table, str(file), str(self._root), mark)
            self._wrote(added.passages)
            out.append(added.draft.content_id)
            row = {"content_id": out[-1], "hash": mark, "kind": "table", "root": str(self._root), "created": 0.0}
            self._known.setdefault(str(file), []).append(row)
        return out

    def _forget(self, present: set[str]) -> None:
        inside = str(self._root) + os.sep
        for path, rows in list(self._known.items()):
            if path.startswith(inside) and path not in present and not Path(path).exists():
                self._drop(rows)

    def _drop(self, rows: list[Row]) -> None:
        tables.remove(self._store, [row["content_id"] for row in rows if row["kind"] == "table"])
        notes.remove(self._store, [row["content_id"] for row in rows if row["kind"] != "table"])
        self.done.removed += [row["content_id"] for row in rows]


def _known(store: Store) -> Known:
    """The rows of the library by the file they came from; a workbook has several."""
    out: Known = {}
    columns = ["content_id", "path", "root", "hash", "kind", "created"]
    for row in store.rows(NOTES, columns, "path != ''"):
        out.setdefault(row["path"], []).append(row)
    return out


def _free_id(store: Store, file: Path, root: Path) -> str:
    """The file's path from the added folder on, which reads well in an answer; another file's id is left to it."""
    content_id = Path(root.name, file.relative_to(root)).as_posix()
    held = notes.find(store, content_id)
    return content_id if held is None or held["path"] == str(file) else f"{content_id}~{digest(str(file), size=3)}"


def is_library(folder: Path) -> bool:
    """Say whether a folder is a library's: what is in it is known there, and none of it is a note."""
    return any((folder / f"{table}.lance").is_dir() for table in (META, NOTES))


def printable(text: str) -> str:
    """Return a file's name as it can be shown where it isn't UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _hash(file: Path) -> str:
    h = blake2b(READER_VERSION.encode(), digest_size=16)
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            h.update(block)
    return h.hexdigest()
