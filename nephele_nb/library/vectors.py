"""The vectors of one embedder, kept beside the passages they stand for; no vector of another is ever read with them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from .embed import Embedder
from .nearby import Nearby, Wanted
from .notes import Unembedded
from .queries import Queries
from .schema import META, PASSAGES, VECTORS, digest, vectors_schema, vectors_table
from .store import Ask, Row, Store, any_of, literal

INDEX_FROM = 20_000
"""Below this many vectors an exact search is as quick as an index."""

WIDE = 300
"""How many of the closest the index is asked for: so many are compared exactly, and among them there mostly are
enough in other languages, so that these need no question of their own."""

REFINED_FAR = 100


class Vectors:
    """Reads and writes the vectors table of one embedder.

    The library remembers how many numbers each embedder's vectors have, so that an endpoint need not be asked to
    open it. Raises EmbedderError where that isn't known and the embedder doesn't answer.
    """

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self.embedder, self.queries = embedder, Queries(embedder)
        self._embedder_id = embedder.id
        self.dim = self._remembered() or embedder.dim
        self.name = vectors_table(embedder.id, self.dim)
        store.table(self.name, vectors_schema(self.dim))
        self._indexed = False
        self._nearby = Nearby(store, self.name)

    def _remembered(self) -> int:
        key = literal(f"dim:{digest(self._embedder_id)}")
        found = self._store.rows(META, ["value"], f"key = {key}")
        return int(found[0]["value"]) if found else 0

    def former(self) -> str:
        """Return the id of the embedder that made this library's newest vectors, where it is another one; else ""."""
        found = self._store.rows(META, ["value"], "key = 'embedder'")
        return found[0]["value"] if found and found[0]["value"] != self._embedder_id else ""

    def remember(self) -> None:
        """Note down which embedder makes this library's vectors from now on."""
        rows = [
            {"key": "embedder", "value": self._embedder_id},
            {"key": f"dim:{digest(self._embedder_id)}", "value": str(self.dim)},
        ]
        self._store.upsert(META, rows)

    def missing(self) -> list[Unembedded]:
        """Return the passages that have no vector yet, oldest first."""
        held = self._ids()
        wanted = self._store.rows(PASSAGES, ["id"], newest=True)
        ids = [row["id"] for row in wanted if row["id"] not in held]
        return [Unembedded(i, "", "", "") for i in reversed(ids)]

    def filled(self, batch: Sequence[Unembedded]) -> list[Unembedded]:
        """Return the batch with its text read from the library; a passage that is gone by now is left out."""
        empty = [p.id for p in batch if not p.content_id and not p.text]
        if not empty:
            return list(batch)
        columns = ["id", "content_id", "lang", "head", "text"]
        rows = self._store.rows(PASSAGES, columns, any_of("id", empty))
        read = [Unembedded(r["id"], r["content_id"], r["lang"], f"{r['head']}\n{r['text']}") for r in rows]
        return [p for p in batch if p.id not in empty] + read

    def known(self, ids: Iterable[str]) -> set[str]:
        """Return which of these passages have a vector."""
        return {row["id"] for row in self._store.rows(self.name, ["id"], any_of("id", ids))}

    def write(self, pairs: Sequence[tuple[Unembedded, list[float]]]) -> None:
        """Store vectors with the passage they stand for."""
        rows = [
            {"id": p.id, "content_id": p.content_id, "lang": p.lang, "embedder": self._embedder_id, "vector": vector}
            for p, vector in pairs
        ]
        self._store.upsert(self.name, rows, key="id")

    def nearest(self, vector: Sequence[float], where: str | None, limit: int) -> list[Row]:
        """Return ``id``, ``content_id``, ``lang`` and ``_distance`` (1 - cosine) of the closest, best first."""
        return self._store.ask(self._ask(vector, where, limit))[0]

    def near_and_far(
        self,
        vector: Sequence[float],
        lang: str,
        where: str | None,
        near: int,
        far: int,
        least: float = -1.0,
        enough: int | None = None,
    ) -> tuple[list[Row], list[Row]]:
        """Return the closest of all, and the closest of those in another language than ``lang``.

        ``least`` is the likeness (cosine) below which nobody wants those of other languages, and ``enough`` is how many
        of them will do where they came with the closest of all: each saves asking for them.
        """
        if not self._indexed and self._few():
            found = self._nearby.nearest(vector, [Wanted(near), Wanted(far, lang)], where)
            return found[0], found[1]
        self._nearby.forget()
        wide = self._store.ask(self._ask(vector, where, max(near, WIDE)))[0]
        away = [row for row in wide if row["lang"] not in (lang, "")][:far]
        all_are_in = len(wide) < max(near, WIDE) or 1 - wide[-1]["_distance"] < least
        others = f"lang NOT IN ({literal(lang)}, '')"
        wanted = far if enough is None else min(far, enough)
        if len(away) < wanted and not all_are_in and self._store.count(self.name, others) > len(away):
            both = f"{others} AND {where}" if where else others
            away = self._store.ask(replace(self._ask(vector, both, far), refined=REFINED_FAR))[0]
        return wide[:near], away

    def _few(self) -> bool:
        """Whether an exact search is as quick as an index; a copy in memory tells that without being asked."""
        return (self._nearby.size or self._store.count(self.name)) < INDEX_FROM

    def _ask(self, vector: Sequence[float], where: str | None, limit: int) -> Ask:
        return Ask(self.name, ("id", "content_id", "lang"), where, limit, vector=vector)

    def index(self) -> None:
        """Build the index once there are enough vectors for one; searches go on without it until it is there."""
        if not self._indexed and self._store.count(self.name) >= INDEX_FROM:
            self._store.index_vectors(self.name)
            self._indexed = True

    def share(self) -> float:
        """Return the share of passages that have a vector, 0 to 1; 1 for an empty library."""
        ids = {row["id"] for row in self._store.rows(PASSAGES, ["id"])}
        return len(ids & self._ids()) / len(ids) if ids else 1.0

    def sweep(self, unused_for: timedelta) -> None:
        """Delete the vectors of passages that are gone, and all of another embedder that wrote none for so long."""
        oldest = time.time() - unused_for.total_seconds()
        for name in self._store.names():
            if name.startswith(VECTORS) and name != self.name and self._store.written(name) < oldest:
                self._store.drop(name)
        gone = self._ids() - {row["id"] for row in self._store.rows(PASSAGES, ["id"])}
        if gone:
            self._store.delete(self.name, any_of("id", gone))

    def _ids(self) -> set[str]:
        return {row["id"] for row in self._store.rows(self.name, ["id"])}
