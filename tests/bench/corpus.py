"""Made passages and vectors of any number, the same for the same seed, and a library filled with them.

Text is made of random words and Chinese characters by a law like a language's (few frequent, many rare). Vectors lie
in clusters, and those of a language a little to one side, as a model's do: the closest are mostly of one's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from nephele_nb.library.notes import Draft, note_row
from nephele_nb.library.schema import NOTES, PASSAGES, vectors_schema
from nephele_nb.library.store import Store
from nephele_nb.library.vectors import Vectors
from nephele_nb.library.words import index_words, normal

DIM, BATCH = 384, 5_000
APART = 0.35
"""How far a language's vectors lie to their side, in lengths of a cluster's centre."""
_LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


class Corpus:
    """Passages by number: the even ones are Chinese, the odd ones English, so to speak."""

    def __init__(self, seed: int = 3) -> None:
        self._rng = np.random.default_rng(seed)
        sizes = self._rng.integers(3, 10, 20_000)
        self._words = np.array(["".join(self._rng.choice(_LETTERS, n)) for n in sizes])
        self._hanzi = np.array([chr(0x4E00 + i) for i in range(3_000)])
        self._centres = self._rng.standard_normal((500, DIM)).astype(np.float32)
        self._sides = self._rng.standard_normal((2, DIM)).astype(np.float32) * APART

    def text(self, n: int) -> str:
        """Return one passage of about 60 words, or of 160 Chinese characters with a comma here and there."""
        pool = self._words if n % 2 else self._hanzi
        at = np.minimum(self._rng.zipf(1.3, 60 if n % 2 else 160), len(pool)) - 1
        if n % 2:
            return " ".join(pool[at])
        return "，".join("".join(pool[at[i : i + 12]]) for i in range(0, len(at), 12))

    def vectors(self, many: range) -> np.ndarray:
        """Return the unit vectors of these passages."""
        out = self._centres[self._rng.integers(0, len(self._centres), len(many))]
        out = out + self._rng.standard_normal((len(many), DIM)).astype(np.float32)
        out += self._sides[np.arange(many.start, many.stop) % 2]
        return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)


class Given:
    """An embedder that gives each query the vector laid out for it."""

    id, dim, floor = "given", DIM, -1.0

    def __init__(self) -> None:
        self.vectors: dict[str, list[float]] = {}

    def passages(self, texts: list[str]) -> list[list[float]]:
        """Nothing is left to embed in a filled library."""
        raise AssertionError("all passages have their vectors already")

    def query(self, text: str) -> list[float]:
        """Return what was laid out."""
        return self.vectors[text]


class Filled(NamedTuple):
    """A library of one passage a note, and what went in."""

    folder: Path
    store: Store
    vectors: Vectors
    given: Given
    all_vectors: np.ndarray
    texts: list[str]


def filled(folder: Path, rows: int) -> Filled:
    """Open the library of so many passages in a folder, filling and indexing it first unless it is there."""
    ready = folder / "texts.npy"
    if not ready.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _fill(folder, rows)
    store, given = Store(str(folder / "library")), Given()
    texts, vectors = np.load(ready, allow_pickle=True).tolist(), Vectors(store, given)
    vectors.index()  # as an open library does before anything else
    return Filled(folder / "library", store, vectors, given, np.load(folder / "vectors.npy"), texts)


def _fill(folder: Path, rows: int) -> None:
    store, corpus = Store(str(folder / "library")), Corpus()
    vectors = Vectors(store, Given())
    texts: list[str] = []
    blocks = []
    for start in range(0, rows, BATCH):
        many = range(start, min(start + BATCH, rows))
        fresh = [corpus.text(n) for n in many]
        blocks.append(corpus.vectors(many))
        texts += fresh
        _write(store, vectors.name, many, fresh, blocks[-1])
    store.files.tidy()
    vectors.index()
    np.save(folder / "vectors.npy", np.concatenate(blocks))
    np.save(folder / "texts.npy", np.array(texts, object), allow_pickle=True)


def _write(store: Store, name: str, many: range, texts: Sequence[str], block: np.ndarray) -> None:
    notes, passages, rows = [], [], []
    for n, text in zip(many, texts, strict=True):
        note = note_row(Draft(f"n/{n}", f"note {n}", text, created=float(n), updated=float(n)))
        head = {"id": f"p{n}", "n": 0, "head": note["title"], "start": 0, "end": len(text)}
        shared = {c: note[c] for c in ("content_id", "title", "text", "updated")} | {"lang": "en" if n % 2 else "zh"}
        passages.append({**shared, **head, "words": index_words(f"{note['title']}\n{text}"), "plain": normal(text)})
        notes.append(note)
        rows.append({"id": f"p{n}", "content_id": f"n/{n}", "lang": shared["lang"], "embedder": "given"})
    store.table(NOTES).add(pa.Table.from_pylist(notes, schema=store.table(NOTES).schema))
    store.table(PASSAGES).add(pa.Table.from_pylist(passages, schema=store.table(PASSAGES).schema))
    table = pa.Table.from_pylist(rows, schema=pa.schema([f for f in vectors_schema(DIM) if f.name != "vector"]))
    column = pa.FixedSizeListArray.from_arrays(pa.array(block.ravel()), DIM)
    store.table(name).add(table.append_column("vector", column))
