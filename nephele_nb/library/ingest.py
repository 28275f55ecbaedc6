"""Takes files and folders into the library and notices what changed or went; it never changes a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from ..errors import LibraryError
from ..types import AddReport, Skipped
from . import documents, notes, table_files, tables
from .documents import Unreadable
from .schema import NOTES, digest
from .store import Row, Store

READER_VERSION = "1"
"""Part of every file's hash: a better reader makes all files worth reading again."""

Report = Callable[[str, int, int], None]
_BATCH = 64
_PASSED_OVER = frozenset(("node_modules", "__pycache__", "site-packages"))


@dataclass
class Outcome:
    """What one run has done so far."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    passages: list[notes.Unembedded] = field(default_factory=list)

    def report(self) -> AddReport:
        """Return the value the caller sees."""
        return AddReport(
            tuple(self.added), tuple(self.updated), tuple(self.unchanged), tuple(self.removed), tuple(self.skipped)
        )


def add(store: Store, path: str | os.PathLike[str], report: Report) -> Outcome:
    """Take in a file, or a folder with all below it; a file whose bytes are known is left alone.

    Raises LibraryError where there is no such path; a file that can't be read is skipped with its reason.
    """
    target = Path(path).expanduser().absolute()
    if not target.exists():
        raise LibraryError(f"There is no file or folder {str(path)!r}. Check the path.")
    root = target if target.is_dir() else target.parent
    files = list(_files(target, store.folder)) if target.is_dir() else [target]
    known = _known(store)
    done = Outcome()
    batch: list[notes.Draft] = []
    for n, file in enumerate(files):
        report(file.name, n, len(files))
        try:
            batch += _taken(store, file, root, known, done)
        except (Unreadable, LibraryError, OSError) as error:
            done.skipped.append(Skipped(str(file), str(error)))
        if len(batch) >= _BATCH:
            done.passages += notes.put(store, batch)
            batch = []
    if batch:
        done.passages += notes.put(store, batch)
    if target.is_dir():
        _forget(store, root, {str(f) for f in files}, known, done)
    report(target.name, len(files), len(files))
    return done


def to_terminal(label: str, done: int, total: int) -> None:
    """Show progress on one line of a terminal; a notebook or a log gets nothing."""
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r\x1b[K{done}/{total} {label}{end}")
        sys.stderr.flush()


def _files(folder: Path, library: Path | None) -> Iterator[Path]:
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(
            f for f in folders if not f.startswith(".") and f not in _PASSED_OVER and Path(at, f).resolve() != library
        )
        yield from (Path(at, name) for name in sorted(names) if not name.startswith("."))


def _known(store: Store) -> dict[str, list[Row]]:
    """The rows of the library by the file they came from; a workbook has several."""
    out: dict[str, list[Row]] = {}
    columns = ["content_id", "path", "root", "hash", "kind", "created"]
    for row in store.rows(NOTES, columns, "path != ''"):
        out.setdefault(row["path"], []).append(row)
    return out


def _taken(store: Store, file: Path, root: Path, known: dict[str, list[Row]], done: Outcome) -> list[notes.Draft]:
    suffix = file.suffix.casefold()
    if suffix not in documents.READERS and suffix not in table_files.READERS:
        raise Unreadable(f"files of type {suffix or '(none)'} are not read")
    held = list(known.get(str(file), ()))
    mark = _hash(file)
    if held and all(row["hash"] == mark for row in held):
        done.unchanged += [row["content_id"] for row in held]
        return []
    if suffix in table_files.READERS:
        drafts = _tables(store, file, root, mark, known)
    else:
        drafts = [_note(store, file, root, mark, held)]
    before = {row["content_id"] for row in held}
    for draft in drafts:
        (done.updated if draft.content_id in before else done.added).append(draft.content_id)
    gone = [row for row in held if row["content_id"] not in {d.content_id for d in drafts}]
    _drop(store, gone)
    done.removed += [row["content_id"] for row in gone]
    return drafts


def _note(store: Store, file: Path, root: Path, mark: str, held: list[Row]) -> notes.Draft:
    document = documents.read_document(file)
    changed = file.stat().st_mtime
    content_id = held[0]["content_id"] if held else _free_id(store, file, root)
    created = document.created or (held[0]["created"] if held else 0.0) or changed
    return notes.Draft(
        content_id, document.title, document.text, document.tags, "note", str(file), str(root), mark,
        created, document.updated or max(changed, created),
    )  # fmt: skip


def _tables(store: Store, file: Path, root: Path, mark: str, known: dict[str, list[Row]]) -> list[notes.Draft]:
    taken = {row["content_id"]: path for path, rows in known.items() for row in rows}
    drafts = []
    for name, table in table_files.read_tables(file):
        if taken.get(f"table:{name}", str(file)) != str(file):
            name = f"{file.parent.name}_{name}"
        if taken.get(f"table:{name}", str(file)) != str(file):
            name = f"{name}_{digest(str(file), size=3)}"
        drafts.append(tables.add(store, name, table, str(file), str(root), mark))
        known.setdefault(str(file), []).append(
            {"content_id": f"table:{name}", "hash": mark, "kind": "table", "root": str(root), "created": 0.0}
        )
    return drafts


def _free_id(store: Store, file: Path, root: Path) -> str:
    """The file's path from the added folder on, which reads well in an answer; another file's id is left to it."""
    content_id = Path(root.name, file.relative_to(root)).as_posix()
    held = notes.find(store, content_id)
    return content_id if held is None else f"{content_id}~{digest(str(file), size=3)}"


def _hash(file: Path) -> str:
    h = blake2b(READER_VERSION.encode(), digest_size=16)
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            h.update(block)
    return h.hexdigest()


def _forget(store: Store, root: Path, present: set[str], known: dict[str, list[Row]], done: Outcome) -> None:
    inside = str(root) + os.sep
    gone = [
        row
        for path, rows in known.items()
        if path.startswith(inside) and path not in present and not Path(path).exists()
        for row in rows
    ]
    _drop(store, gone)
    done.removed += [row["content_id"] for row in gone]


def _drop(store: Store, rows: list[Row]) -> None:
    tables.remove(store, [row["content_id"] for row in rows if row["kind"] == "table"])
    notes.remove(store, [row["content_id"] for row in rows])
