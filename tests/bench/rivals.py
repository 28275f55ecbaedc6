"""Other engines that do one half of a fused search: the nearest vectors, or the full text; each optional.

Their wheels are asked for by nobody but this: ``pip install faiss-cpu tantivy``. One that isn't there is left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from nephele_nb.library.query import parse
from nephele_nb.library.words import index_words

MOST_IN_GRAPH = 200_000
"""Building FAISS's graph takes minutes beyond these."""

Asked = tuple[str, Callable[[int], Any]]


def rivals(
    all_vectors: np.ndarray, texts: Sequence[str], queries: np.ndarray, asked: Sequence[str], limit: int
) -> Iterator[Asked]:
    """Yield each engine's name and how to ask it the n-th query for ``limit`` results; one at a time is in memory."""
    yield "numpy, exact", lambda n: np.argpartition(-(all_vectors @ queries[n]), limit)[:limit]
    if find_spec("faiss"):
        yield from _faiss(all_vectors, queries, limit)
    yield "SQLite FTS5 trigram", _sqlite(texts, asked, limit)
    if find_spec("tantivy"):
        yield "tantivy", _tantivy(texts, asked, limit)


def _faiss(all_vectors: np.ndarray, queries: np.ndarray, limit: int) -> Iterator[Asked]:
    import faiss

    faiss.omp_set_num_threads(2)
    dim = all_vectors.shape[1]
    kinds = {"FAISS flat, exact": faiss.IndexFlatIP(dim)}
    if len(all_vectors) <= MOST_IN_GRAPH:
        graph = kinds["FAISS HNSW"] = faiss.IndexHNSWFlat(dim, 32, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction, graph.hnsw.efSearch = 80, 128
    for name, index in kinds.items():
        index.add(all_vectors)
        yield name, lambda n, index=index: index.search(queries[n : n + 1], limit)  # type: ignore[misc]
        index.reset()


def _sqlite(texts: Sequence[str], asked: Sequence[str], limit: int) -> Callable[[int], Any]:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table t using fts5(text, tokenize='trigram')")
    db.executemany("insert into t values (?)", ((t,) for t in texts))
    match = [" OR ".join(f'"{w}"' for w in (q.split() if q.isascii() else [q[:3], q[3:]])) for q in asked]
    ask = "select rowid from t where t match ? order by rank limit ?"
    return lambda n: db.execute(ask, (match[n], limit)).fetchall()


def _tantivy(texts: Sequence[str], asked: Sequence[str], limit: int) -> Callable[[int], Any]:
    import tantivy

    shape = tantivy.SchemaBuilder().add_text_field("words", tokenizer_name="whitespace").build()
    index = tantivy.Index(shape)
    writer = index.writer()
    for text in texts:
        writer.add_document(tantivy.Document(words=[index_words(text)]))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    queries = [index.parse_query(" ".join(parse(q).words), ["words"]) for q in asked]
    return lambda n: searcher.search(queries[n], limit)
