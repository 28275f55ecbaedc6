"""A copy in memory of a small library's vectors: below some ten thousand an exact product beats any database call."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .literals import any_of
from .store import Row, Store

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

MOST_ADDED = 2_000
"""With more new vectors than these the whole table is read anew."""


class Wanted(NamedTuple):
    """How many of the closest are wanted, and a language to leave out (with it passages that have none), if any."""

    limit: int
    without: str | None = None


class _Copy(NamedTuple):
    version: int
    vectors: Array
    langs: Array
    rows: list[tuple[str, str, str]]
    places: dict[str, int]


class Nearby:
    """The copy of one table, brought up to date whenever the table has a newer version; safe from several threads."""

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name
        self._held: _Copy | None = None
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """How many vectors the copy holds; 0 where there is none."""
        held = self._held
        return len(held.rows) if held is not None else 0

    def forget(self) -> None:
        """Give the memory back."""
        self._held = None

    def nearest(self, vector: Sequence[float], asks: Sequence[Wanted], where: str | None) -> list[list[Row]]:
        """Return ``id``, ``content_id``, ``lang`` and ``_distance`` (1 - cosine) of the closest, once for each ask.

        ``where`` is a Lance filter; what it lets through is asked of the table.
        """
        import numpy as np

        held = self._copy()
        query = np.asarray(vector, np.float32)
        likeness = held.vectors @ (query / np.linalg.norm(query))
        if where is not None:
            passed = self._store.columns(self._name, ["id"], where).column("id").to_pylist()
            kept = [held.places[i] for i in passed if i in held.places]
            likeness = _only(likeness, kept)
        out = []
        for ask in asks:
            score = likeness
            if ask.without is not None:
                score = np.where((held.langs != ask.without) & (held.langs != ""), likeness, -np.inf)
            top = _largest(score, ask.limit)
            out.append([_row(held.rows[i], 1.0 - float(score[i])) for i in top if score[i] > -np.inf])
        return out

    def _copy(self) -> _Copy:
        with self._lock:
            version = self._store.version(self._name)
            if self._held is None or self._held.version != version:
                self._held = self._newer(self._held, version)
            return self._held

    def _newer(self, held: _Copy | None, version: int) -> _Copy:
        """Read what is new; a vector never changes, because its id changes with the passage's words."""
        named = ["id", "content_id", "lang"]
        if held is not None:
            found = self._store.columns(self._name, named)
            new = [i for i in found.column("id").to_pylist() if i not in held.places]
            if len(new) <= MOST_ADDED:
                fresh = self._store.columns(self._name, ["id", "vector"], any_of("id", new))
                return _joined(version, found, held, fresh)
        found = self._store.columns(self._name, [*named, "vector"])
        return _named(version, found, _vectors(found))


def _joined(version: int, found: pa.Table, held: _Copy, fresh: pa.Table) -> _Copy:
    import numpy as np

    places = held.places | {i: len(held.places) + n for n, i in enumerate(fresh.column("id").to_pylist())}
    ids = found.column("id").to_pylist()
    known = [n for n, i in enumerate(ids) if i in places]  # one written between the two reads comes next time
    vectors = np.concatenate([held.vectors, _vectors(fresh)]) if len(fresh) else held.vectors
    return _named(version, found.take(known), vectors[[places[ids[n]] for n in known]])


def _named(version: int, found: pa.Table, vectors: Array) -> _Copy:
    import numpy as np

    rows = list(zip(*(found.column(c).to_pylist() for c in ("id", "content_id", "lang")), strict=True))
    langs = np.array([lang for _, _, lang in rows], dtype="U8")
    return _Copy(version, vectors, langs, rows, {row[0]: n for n, row in enumerate(rows)})


def _vectors(found: pa.Table) -> Array:
    """Return the vectors as rows of length 1."""
    import numpy as np

    column = found.column("vector").combine_chunks()
    numbers = column.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    vectors = numbers.reshape(len(found), column.type.list_size)
    out: Array = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return out


def _only(score: Array, kept: Iterable[int]) -> Array:
    import numpy as np

    out = np.full_like(score, -np.inf)
    places = list(kept)
    out[places] = score[places]
    return out


def _largest(score: Array, limit: int) -> Array:
    """Return the places of the largest, largest first; of equal ones the earlier first."""
    import numpy as np

    if 0 < limit < len(score):
        least = np.partition(score, len(score) - limit)[len(score) - limit]
        among = np.flatnonzero(score >= least)
    else:
        among = np.arange(len(score))
    out: Array = among[np.argsort(-score[among], kind="stable")][:limit]
    return out


def _row(row: tuple[str, str, str], distance: float) -> Row:
    return {"id": row[0], "content_id": row[1], "lang": row[2], "_distance": distance}
