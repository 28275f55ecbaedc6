"""The vectors of one embedder, kept beside the passages they stand for; no vector of another is ever read with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .embed import Embedder
from .notes import Unembedded
from .schema import PASSAGES, vectors_schema, vectors_table
from .store import Row, Store, any_of


class Vectors:
    """Reads and writes the vectors table of one embedder."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store = store
        self.embedder = embedder
        self._embedder_id = embedder.id
        self._name = vectors_table(embedder.id, embedder.dim)
        store.table(self._name, vectors_schema(embedder.dim))

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
        return {row["id"] for row in self._store.rows(self._name, ["id"], any_of("id", ids))}

    def write(self, pairs: Sequence[tuple[Unembedded, list[float]]]) -> None:
        """Store vectors with the passage they stand for."""
        rows = [
            {"id": p.id, "content_id": p.content_id, "lang": p.lang, "embedder": self._embedder_id, "vector": vector}
            for p, vector in pairs
        ]
        self._store.upsert(self._name, rows, key="id")

    def nearest(self, vector: Sequence[float], where: str | None, limit: int) -> list[Row]:
        """Return the closest passages' ids with ``similarity``, best first."""
        rows = self._store.nearest(self._name, vector, where, limit)
        return [{**row, "similarity": 1.0 - row["_distance"]} for row in rows]

    def share(self) -> float:
        """Return the share of passages that have a vector, 0 to 1; 1 for an empty library."""
        ids = {row["id"] for row in self._store.rows(PASSAGES, ["id"])}
        return len(ids & self._ids()) / len(ids) if ids else 1.0

    def sweep(self) -> None:
        """Delete the vectors of passages that are gone."""
        gone = self._ids() - {row["id"] for row in self._store.rows(PASSAGES, ["id"])}
        if gone:
            self._store.delete(self._name, any_of("id", gone))

    def _ids(self) -> set[str]:
        return {row["id"] for row in self._store.rows(self._name, ["id"])}
