"""Brings a library of an older shape to the present one, a numbered step at a time; it never drops a note's words.

Each step may be cut short and run again: the version is written only after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import LibraryError
from . import notes
from .progress import Report, unasked
from .schema import EDGES, META, NOTES, PASSAGES, VERSION, schema_of
from .store import Store

LABEL = "notes of an older library"
_BATCH = 64


def migrate(store: Store) -> None:
    """Run the steps from the library's version to this release's.

    Raises LibraryError where it can't be written, or was written by a newer release.
    """
    found = _version(store)
    if found is None:
        _write_version(store, VERSION)
    if found == VERSION:
        _complete(store)
    if found is None or found == VERSION:
        return
    report = unasked()
    while True:
        with store.pen.hold([]):
            found = _version(store) or 0  # another process may have been quicker
            if found >= VERSION:
                return
            STEPS[found](store, report)
            _write_version(store, found + 1)


def _complete(store: Store) -> None:
    """Make anew what is gone and can be made of the notes; raises LibraryError where the notes themselves are gone."""
    lost = {NOTES, PASSAGES, EDGES} - set(store.names())
    if not lost or store.folder is None or store.pen.cut_short:
        return  # a first writing may be under way
    if NOTES not in lost and store.count(NOTES):
        with store.pen.hold([]):
            if lost & {PASSAGES, EDGES} - set(store.names()):  # another process may have been quicker
                _written_anew(store, unasked())
    elif NOTES in lost and len(lost) < 3 and store.has(PASSAGES) and store.count(PASSAGES):
        raise LibraryError(
            f"The library's notes are gone: {store.folder / NOTES}.lance is missing, while what was made of them is"
            " there. Restore the folder from a copy; nothing was changed."
        )


def _version(store: Store) -> int | None:
    """Return the library's version, or None for a new one."""
    known = store.names()
    held = store.rows(META, ["value"], "key = 'version'") if META in known else []
    if not held:
        return 0 if NOTES in known else None
    text = str(held[0]["value"])
    if not text.isdecimal():
        raise LibraryError(f"This library's version is written as {text!r}, which says nothing. It was left as it is.")
    if int(text) > VERSION:
        raise LibraryError(
            f"This library was written by a newer nephele_nb (shape {text}, this one knows {VERSION})."
            " Update nephele_nb or open another library."
        )
    return int(text)


def _write_version(store: Store, version: int) -> None:
    store.upsert(META, [{"key": "version", "value": str(version)}])


def _written_anew(store: Store, report: Report) -> None:
    """Write every note with its keys, passages and links as this release does; all but the notes can be made anew.

    Vectors stay with the passages that read as before.
    """
    import pyarrow as pa

    held = set(store.table(NOTES).schema.names)
    rows = store.rows(NOTES, [c for c in notes.ROW_COLUMNS if c in held])
    drafts = [notes.from_row(row) for row in rows]
    fresh = pa.Table.from_pylist([notes.note_row(d) for d in drafts], schema=schema_of(NOTES))
    store.replace(NOTES, fresh)
    store.drop(PASSAGES)
    store.drop(EDGES)
    for start in range(0, len(drafts), _BATCH):
        report(LABEL, start, len(drafts))
        notes.write(store, drafts[start : start + _BATCH])
    report(LABEL, len(drafts), len(drafts))


STEPS: Mapping[int, Callable[[Store, Report], None]] = {0: _written_anew, 1: _written_anew}
"""What takes a library from each version to the next.

0 had notes without search keys and names, and no version number; 1 kept traditional and simplified characters, and
letters with and without accents, apart.
"""
