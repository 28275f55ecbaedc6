"""Brings a note or table whose writing was cut short back to one state, old or new; it never loses a committed one."""

from __future__ import annotations

from collections.abc import Sequence

from . import notes, tables
from .literals import half_character
from .schema import NOTES, TABLES
from .store import Store, any_of


def mend(store: Store, content_ids: Sequence[str]) -> None:
    """Write the passages and links of these ids anew from what is committed; what never was is taken out."""
    content_ids = [i for i in content_ids if not half_character(i)]  # such an id was never written
    wanted = any_of("content_id", content_ids)
    rows = {row["content_id"]: row for row in store.rows(NOTES, notes.ROW_COLUMNS, wanted)}
    described = {row["content_id"]: row for row in store.rows(TABLES, ["content_id", "name", "data"], wanted)}
    drafts = []
    gone = []
    for content_id in content_ids:
        row = rows.get(content_id)
        if content_id in described:
            drafts.append(tables.described(store, described[content_id], row))
        elif row is None or row["kind"] == "table":
            gone.append(content_id)
        else:
            drafts.append(notes.from_row(row))
    notes.erase(store, gone)
    notes.write(store, drafts)
