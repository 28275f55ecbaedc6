"""Writes and reads whole notes: one call keeps note, passages and links in step; it knows no files and no vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, NamedTuple

from ..errors import LibraryError, nearest
from ..types import Note
from . import graph
from .chunk import Passage, chunk
from .draft import Draft
from .schema import EDGES, NOTES, PASSAGES, digest
from .store import Row, Store, any_of, literal
from .words import count_words, index_words, language, normal

NOTE_COLUMNS = ("content_id", "title", "text", "tags", "created", "updated", "path")

ROW_COLUMNS = (*NOTE_COLUMNS, "kind", "root", "hash")

_LISTED = 20


class Unembedded(NamedTuple):
    """A passage that still wants a vector; ``text`` includes its heading line."""

    id: str
    content_id: str
    lang: str
    text: str


def put(store: Store, drafts: Sequence[Draft]) -> list[Unembedded]:
    """Write notes with their passages and links, with nobody else writing, and return the passages."""
    with store.pen.hold(d.content_id for d in drafts):
        return write(store, drafts)


def write(store: Store, drafts: Sequence[Draft]) -> list[Unembedded]:
    """Do the work of ``put`` for a caller who holds the pen; the note's row goes last.

    A crash before that leaves the old note (or none), so a file counts as added only when all of it is in.
    """
    if not drafts:
        return []
    store.files.fold()
    passages = [row for draft in drafts for row in _passage_rows(draft)]
    links = graph.survey(store, drafts)
    new = not links.held
    if new:
        store.upsert(PASSAGES, passages, new=True)
    else:
        ids = any_of("content_id", links.held)
        gone = {row["id"] for row in store.rows(PASSAGES, ["id"], ids)} - {row["id"] for row in passages}
        store.upsert(PASSAGES, passages)
        if gone:
            store.delete(PASSAGES, any_of("id", gone))
    graph.relink(store, links)
    store.upsert(NOTES, [note_row(d) for d in drafts], new=new)
    return [Unembedded(r["id"], r["content_id"], r["lang"], f"{r['head']}\n{r['text']}") for r in passages]


def remove(store: Store, content_ids: Iterable[str]) -> None:
    """Delete notes with their passages and links; links of others to them stay as words without a target."""
    ids = list(content_ids)
    if ids:
        with store.pen.hold(ids):
            erase(store, ids)


def erase(store: Store, ids: Sequence[str]) -> None:
    """Do the work of ``remove`` for a caller who holds the pen."""
    if ids:
        store.delete(EDGES, any_of("source", ids))
        store.delete(PASSAGES, any_of("content_id", ids))
        store.delete(NOTES, any_of("content_id", ids))


def find(store: Store, content_id: str, columns: Sequence[str] = NOTE_COLUMNS) -> Row | None:
    """Return the row with this content id, or None."""
    found = store.rows(NOTES, columns, f"content_id = {literal(content_id)}", 1)
    return found[0] if found else None


def resolve(store: Store, name: str, columns: Sequence[str] = NOTE_COLUMNS) -> Row:
    """Return the row with this content id, else the one of this title; raises LibraryError naming the nearest.

    A title that several have names none of them: the error lists their ids.
    """
    row = find(store, name, columns)
    if row is not None:
        return row
    found = store.rows(NOTES, columns, f"title = {literal(name)}", _LISTED) or store.rows(
        NOTES, columns, f"title_key = {literal(normal(name))}", _LISTED
    )
    if len(found) > 1:
        listed = ", ".join(sorted(repr(row["content_id"]) for row in found))
        raise LibraryError(f"Several in the library have the title {name!r}; give a content id: {listed}.")
    if found:
        return found[0]
    known = [n for r in store.rows(NOTES, ["content_id", "title"]) for n in (r["content_id"], r["title"]) if n]
    hint = nearest(name, known)
    raise LibraryError(f"Nothing in the library has the content id or title {name!r}{hint}. Search for it first.")


def to_note(row: Row) -> Note:
    """Return a row of the notes table as the value everyone else sees."""
    return Note(
        row["content_id"], row["title"], row["text"], tuple(row["tags"] or ()),
        row["created"], row["updated"], row["path"] or None,
    )  # fmt: skip


def from_row(row: Row) -> Draft:
    """Return a row of the notes table as a draft, to be written anew; what an older shape lacks is left empty."""
    return Draft(
        row["content_id"], row["title"] or "", row["text"] or "", tuple(row["tags"] or ()), row.get("kind") or "note",
        row.get("path") or "", row.get("root") or "", row.get("hash") or "", row.get("created") or 0.0,
        row.get("updated") or 0.0,
    )  # fmt: skip


def note_row(draft: Draft) -> dict[str, Any]:
    """Return a draft as a row of the notes table."""
    return {
        "content_id": draft.content_id, "kind": draft.kind, "title": draft.title, "title_key": normal(draft.title),
        "text": draft.text, "tags": list(draft.tags), "tag_keys": [normal(t) for t in draft.tags],
        "names": draft.names, "path": draft.path, "root": draft.root, "hash": draft.hash,
        "lang": language(draft.text), "words": count_words(normal(draft.text)),
        "created": draft.created, "updated": draft.updated,
    }  # fmt: skip


def _passage_rows(draft: Draft) -> list[dict[str, Any]]:
    seen: dict[str, int] = {}
    rows = []
    lang = language(draft.text or draft.title)  # a list of names in a Chinese note isn't English
    # a note without text still has a title to be found by
    for n, piece in enumerate(chunk(draft.text) or [Passage(0, 0, "", "")]):
        head = _head(draft, piece.section)
        key = digest(draft.content_id, head, piece.text)
        seen[key] = seen.get(key, 0) + 1
        rows.append(
            {
                "id": f"{key}-{seen[key]}", "content_id": draft.content_id, "n": n, "title": draft.title, "head": head,
                "text": piece.text, "start": piece.start, "end": piece.end,
                "words": index_words(f"{head}\n{piece.text}"), "plain": normal(piece.text),
                "lang": lang, "updated": draft.updated,
            }
        )  # fmt: skip
    return rows


def _head(draft: Draft, section: str) -> str:
    """The line that says where a passage is from; measured to help both full text and vectors."""
    where = f"{draft.title} > {section}" if section and section != draft.title else draft.title
    try:
        day = datetime.fromtimestamp(draft.created, UTC).date().isoformat() if draft.created else ""
    except (ValueError, OverflowError, OSError):  # a file's clock may say the year 50000
        day = ""
    return " | ".join(part for part in (where, day, PurePath(draft.path).name) if part)
