"""Changes or removes one note or table and says, as data, how to take that back; it never overwrites a newer change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import LibraryError, StaleError
from ..types import Inverse
from . import left_out, notes, tables
from .draft import Draft
from .schema import NOTES
from .store import Row, Store, any_of, literal

if TYPE_CHECKING:
    import pyarrow as pa


class Change(NamedTuple):
    """What was done: the passages that are new, and the inverse."""

    passages: list[notes.Unembedded]
    inverse: Inverse


def created(content_id: str, text: str) -> Inverse:
    """Return the inverse of a new note: it goes again, if it still reads as it did."""
    return Inverse("remove_note", {"content_id": content_id, "text": text})


def update(
    store: Store,
    name: str,
    text: str,
    expected: str | float | None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
) -> Change:
    """Give a note a new text; raises StaleError where it isn't as expected (its text, or its ``updated`` time)."""
    content_id = notes.resolve(store, name, ["content_id"])["content_id"]
    with store.pen.hold([content_id]):
        row = _row(store, content_id)
        if row["kind"] != "note":
            raise LibraryError(f"{row['title']!r} is a table; write it anew with add_table.")
        _fresh(row, expected)
        old = notes.from_row(row)
        new = replace(
            old,
            text=text,
            title=old.title if title is None else title,
            tags=old.tags if tags is None else tuple(tags),
            updated=max(time.time(), old.updated),
        )
        passages = notes.write(store, [new])
    return Change(passages, Inverse("restore_note", {"note": row, "text": text}))


def remove(store: Store, name: str) -> Change:
    """Take a note out, or a table with its description, or all that came from a file or folder of this path.

    A table's data can be put back until ``compact``.
    """
    try:
        ids = [notes.resolve(store, name, ["content_id"])["content_id"]]
    except LibraryError:
        if not (ids := _from_path(store, name)):
            raise
    return _remove(store, ids)


def _from_path(store: Store, name: str) -> list[str]:
    path = str(Path(name).expanduser().absolute())
    where = f"path = {literal(path)} OR starts_with(path, {literal(path + os.sep)})"
    return [row["content_id"] for row in store.rows(NOTES, ["content_id"], where)]


def _remove(store: Store, ids: Sequence[str]) -> Change:
    with store.pen.hold(ids):
        rows = store.rows(NOTES, notes.ROW_COLUMNS, any_of("content_id", ids))
        if not rows:
            raise LibraryError(f"Nothing in the library has the content id {ids[0]!r} any more.")
        inverses = [_inverse(store, row) for row in rows]
        left_out.remember(store, rows)
        tables.remove(store, [row["content_id"] for row in rows if row["kind"] == "table"])
        notes.erase(store, [row["content_id"] for row in rows if row["kind"] != "table"])
    if len(inverses) == 1:
        return Change([], inverses[0])
    return Change([], Inverse("put_back_all", {"removed": [{"op": i.op, "arguments": i.arguments} for i in inverses]}))


def _inverse(store: Store, row: Row) -> Inverse:
    """Return what puts a note or table back that is about to go."""
    if row["kind"] != "table":
        return Inverse("put_back_note", {"note": row})
    stood = tables.standing(store, row["content_id"])
    return Inverse("put_back_table", stood or {"note": row, "table": {"data": ""}, "version": 0})


def put_table(store: Store, name: str, table: pa.Table) -> Change:
    """Store a table under a name; one that had the name keeps its former version, to which the inverse goes back."""
    content_id = f"table:{name}"
    with store.pen.hold([content_id]):
        before = tables.standing(store, content_id)
        added = tables.add(store, name, table)
        now = {"content_id": content_id, "updated": added.draft.updated}
    inverse = Inverse("restore_table", before | now) if before else Inverse("remove_table", now)
    return Change(added.passages, inverse)


def take_back(store: Store, inverse: Inverse) -> Change:
    """Apply an inverse and return how to take that back; raises StaleError where something newer stands there."""
    if inverse.op not in _INVERSES:
        raise LibraryError(f"The library knows no operation {inverse.op!r}; it can take back {', '.join(_INVERSES)}.")
    return _INVERSES[inverse.op](store, inverse.arguments)


def _remove_note(store: Store, arguments: Mapping[str, Any]) -> Change:
    with store.pen.hold([arguments["content_id"]]):
        row = _row(store, arguments["content_id"])
        _fresh(row, arguments["text"])
        notes.erase(store, [arguments["content_id"]])
    return Change([], Inverse("put_back_note", {"note": row}))


def _restore_note(store: Store, arguments: Mapping[str, Any]) -> Change:
    old = notes.from_row(dict(arguments["note"]))
    with store.pen.hold([old.content_id]):
        row = _row(store, old.content_id)
        _fresh(row, arguments["text"])
        return Change(notes.write(store, [old]), Inverse("restore_note", {"note": row, "text": old.text}))


def _put_back_note(store: Store, arguments: Mapping[str, Any]) -> Change:
    old = notes.from_row(dict(arguments["note"]))
    with store.pen.hold([old.content_id]):
        _absent(store, old)
        left_out.forget(store, [old.path])
        return Change(notes.write(store, [old]), created(old.content_id, old.text))


def _put_back_table(store: Store, arguments: Mapping[str, Any]) -> Change:
    old = notes.from_row(dict(arguments["note"]))
    with store.pen.hold([old.content_id]):
        _absent(store, old)
        left_out.forget(store, [old.path])
        passages = tables.restore(store, arguments)
    return Change(passages, Inverse("remove_table", _as_restored(arguments)))


def _put_back_all(store: Store, arguments: Mapping[str, Any]) -> Change:
    removed = [Inverse(one["op"], one["arguments"]) for one in arguments["removed"]]
    old = [notes.from_row(dict(one.arguments["note"])) for one in removed]
    with store.pen.hold([draft.content_id for draft in old]):
        for draft in old:
            _absent(store, draft)
        changes = [_INVERSES[one.op](store, one.arguments) for one in removed]
    passages = [passage for change in changes for passage in change.passages]
    return Change(passages, Inverse("remove_all", {"content_ids": [draft.content_id for draft in old]}))


def _remove_all(store: Store, arguments: Mapping[str, Any]) -> Change:
    return _remove(store, arguments["content_ids"])


def _remove_table(store: Store, arguments: Mapping[str, Any]) -> Change:
    with store.pen.hold([arguments["content_id"]]):
        stood = _same_table(store, arguments)
        tables.remove(store, [arguments["content_id"]])
    return Change([], Inverse("put_back_table", stood))


def _restore_table(store: Store, arguments: Mapping[str, Any]) -> Change:
    with store.pen.hold([arguments["content_id"]]):
        stood = _same_table(store, arguments)
        passages = tables.restore(store, arguments)
    return Change(passages, Inverse("restore_table", stood | _as_restored(arguments)))


def _as_restored(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what tells whether a table still is as it was put back."""
    return {"content_id": arguments["note"]["content_id"], "updated": arguments["table"]["updated"]}


def _same_table(store: Store, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a table stands; raises StaleError where it isn't the one that is meant."""
    stands = tables.standing(store, arguments["content_id"])
    if stands is None:
        raise LibraryError(f"Nothing in the library has the content id {arguments['content_id']!r} any more.")
    if stands["table"]["updated"] != arguments["updated"]:
        raise StaleError(f"Table {stands['table']['name']!r} was written anew since; it was left as it is.")
    return stands


_INVERSES: Mapping[str, Callable[[Store, Mapping[str, Any]], Change]] = {
    "remove_note": _remove_note,
    "restore_note": _restore_note,
    "put_back_note": _put_back_note,
    "put_back_table": _put_back_table,
    "put_back_all": _put_back_all,
    "remove_all": _remove_all,
    "remove_table": _remove_table,
    "restore_table": _restore_table,
}


def _row(store: Store, content_id: str) -> Row:
    row = notes.find(store, content_id, notes.ROW_COLUMNS)
    if row is None:
        raise LibraryError(f"Nothing in the library has the content id {content_id!r} any more.")
    return row


def _fresh(row: Row, expected: str | float | None) -> None:
    held = row["text"] if isinstance(expected, str) else row["updated"]
    if expected is not None and held != expected:
        raise StaleError(f"{row['title']!r} has changed since it was read; read it again and redo the change.")


def _absent(store: Store, old: Draft) -> None:
    if notes.find(store, old.content_id) is not None:
        raise StaleError(f"{old.title!r} is in the library again; it was left as it is.")
