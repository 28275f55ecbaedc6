"""A copy in memory of a small library's vectors: below some ten thousand an exact product beats any database call."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

Row = dict[str, Any]


class _Copy(NamedTuple):
    version: int
    vectors: np.ndarray[Any, Any]
    langs: np.ndarray[Any, Any]
    rows: list[tuple[str, str, str]]


class Nearby:
    """The copy, read anew whenever the table has a newer version; safe from several threads."""

    def __init__(self) -> None:
        self._held: _Copy | None = None
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Give the memory back."""
        self._held = None

    def nearest(self, table: Any, vector: Sequence[float], asks: Sequence[tuple[str | None, int]]) -> list[list[Row]]:
        """Return ``id``, ``content_id``, ``lang`` and ``_distance`` (cosine) of the closest, once for each ask.

        An ask is a language to leave out (passages without one too), or None for all, and how many rows to return.
        """
        import numpy as np

        held = self._copy(table)
        query = np.asarray(vector, np.float32)
        likeness = held.vectors @ (query / np.linalg.norm(query))
        out = []
        for without, limit in asks:
            score = likeness
            if without is not None:
                score = np.where((held.langs != without) & (held.langs != ""), likeness, -np.inf)
            top = np.argsort(-score, kind="stable")[:limit]
            out.append([_row(held.rows[i], 1.0 - float(score[i])) for i in top if score[i] > -np.inf])
        return out

    def _copy(self, table: Any) -> _Copy:
        with self._lock:
            version = int(table.version)
            if self._held is None or self._held.version != version:
                self._held = _read(version, table.search().select(["id", "content_id", "lang", "vector"]).to_arrow())
            return self._held


def _row(row: tuple[str, str, str], distance: float) -> Row:
    return {"id": row[0], "content_id": row[1], "lang": row[2], "_distance": distance}


def _read(version: int, found: pa.Table) -> _Copy:
    import numpy as np

    column = found.column("vector").combine_chunks()
    vectors = (
        column.flatten().to_numpy(zero_copy_only=False).reshape(len(found), column.type.list_size).astype(np.float32)
    )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    names = list(zip(*(found.column(c).to_pylist() for c in ("id", "content_id", "lang")), strict=True))
    langs = np.array([lang for _, _, lang in names], dtype="U3")
    return _Copy(version, vectors / np.maximum(lengths, 1e-12), langs, names)
