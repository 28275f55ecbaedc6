"""Brings a library of an older shape to the present one, a numbered step at a time; it never drops a note's words.

Each step may be cut short and run again: the version is written only after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import LibraryError
from . import notes
from .schema import EDGES, META, NOTES, PASSAGES, VERSION, schema_of
from .store import Store

_BATCH = 64


def migrate(store: Store) -> None:
    """Run the steps from the library's version to this release's.

    Raises LibraryError where it can't be written, or was written by a newer release.
    """
    known = store.names()
    held = store.rows(META, ["value"], "key = 'version'") if META in known else []
    found = int(held[0]["value"]) if held else 0 if NOTES in known else None
    if found is None:
        store.upsert(META, [{"key": "version", "value": str(VERSION)}])
        return
    if found > VERSION:
        raise LibraryError(
            f"This library was written by a newer nephele_nb (shape {found}, this one knows {VERSION})."
            " Update nephele_nb or open another library."
        )
    for version in range(found, VERSION):
        with store.pen.hold([]):
            STEPS[version](store)
            store.upsert(META, [{"key": "version", "value": str(version + 1)}])


def _from_0(store: Store) -> None:
    """Version 0 had notes without search keys and names, and no version number; all but its notes can be made anew."""
    import pyarrow as pa

    held = set(store.table(NOTES).schema.names)
    rows = store.rows(NOTES, [c for c in notes.ROW_COLUMNS if c in held])
    drafts = [notes.from_row(row) for row in rows]
    fresh = pa.Table.from_pylist([notes.note_row(d) for d in drafts], schema=schema_of(NOTES))
    store.replace(NOTES, fresh)
    store.drop(PASSAGES)
    store.drop(EDGES)
    for start in range(0, len(drafts), _BATCH):
        notes.write(store, drafts[start : start + _BATCH])


STEPS: Mapping[int, Callable[[Store], None]] = {0: _from_0}
"""What takes a library from each version to the next."""
