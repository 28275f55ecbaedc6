"""How quick a fused search is beside what it stands on, and beside other engines on the same rows, in one run.

Run ``python -m tests.bench.speed --rows 10000 100000 1000000``. Passages and vectors are made (corpus.py) and kept in
the cache that documents.py names; queries are embedded at once, so what is timed is the search alone. Each query is
put to the two bare queries of LanceDB and to the fused search in turn, so that other work on the machine slows all of
them alike. A million passages take about half an hour to make, and 10 GB of memory beside the rivals.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from nephele_nb.library.query import parse
from nephele_nb.library.reader import PROBES, REFINED
from nephele_nb.library.schema import PASSAGES
from nephele_nb.library.search import search
from nephele_nb.library.vectors import INDEX_FROM

from .corpus import Corpus, Filled, filled
from .documents import cache
from .rivals import rivals

K, POOL, QUERIES, ROUNDS = 8, 50, 100, 3
FEW = 20
"""How often a rival is asked where one question may take seconds."""
FUSED, TEXT, VECTOR = "fused search", "LanceDB full text", "LanceDB vector"


def questions(library: Filled) -> list[str]:
    """Return queries out of passages: three long words, or six characters; each has a vector near its passage's."""
    corpus = Corpus(seed=5)
    out = []
    for n in np.random.default_rng(5).choice(len(library.texts), QUERIES, replace=False).tolist():
        pieces = library.texts[n].split(" " if n % 2 else "，")
        query = " ".join(sorted(set(pieces), key=lambda w: (len(w), w))[-3:]) if n % 2 else max(pieces, key=len)[:6]
        library.given.vectors[query] = (library.all_vectors[n] + corpus.vectors(range(n, n + 1))[0] * 0.3).tolist()
        out.append(query)
    return out


def turns(asks: Mapping[str, Callable[[int], Any]], count: int, rounds: int = ROUNDS) -> dict[str, np.ndarray]:
    """Return the milliseconds of each query, put to each of ``asks`` in turn, after three to warm up."""
    for n in range(3):
        for ask in asks.values():
            ask(n)
    out: dict[str, list[float]] = {name: [] for name in asks}
    for at in range(rounds * count):
        for name in list(asks)[at % len(asks) :] + list(asks)[: at % len(asks)]:
            started = time.perf_counter()
            asks[name](at % count)
            out[name].append((time.perf_counter() - started) * 1000)
    return {name: np.array(ms) for name, ms in out.items()}


def bare(library: Filled, asked: Sequence[str]) -> dict[str, Callable[[int], Any]]:
    """Return the two queries of LanceDB alone, as anyone would write them, as exact as ours."""
    import lancedb
    from lancedb.query import MatchQuery

    db = lancedb.connect(library.folder)
    passages, near = db.open_table(PASSAGES), db.open_table(library.vectors.name)
    words = [" ".join(parse(q).words) for q in asked]
    indexed = len(library.texts) >= INDEX_FROM

    def text(n: int) -> None:
        query = passages.search(MatchQuery(words[n], "words"), query_type="fts").limit(POOL)
        query.select(["id", "content_id", "title", "text", "_score"]).to_arrow()

    def vector(n: int) -> None:
        query = near.search(library.given.vectors[asked[n]], vector_column_name="vector").distance_type("cosine")
        if indexed:
            query = query.nprobes(PROBES).refine_factor(REFINED // POOL)
        query.limit(POOL).select(["id", "content_id", "_distance"]).to_arrow()

    return {TEXT: text, VECTOR: vector}


def recall(library: Filled, asked: Sequence[str]) -> float:
    """Return the share of the ten truly nearest that the library's own vector query finds."""
    found = 0
    for q in asked:
        query = library.given.vectors[q]
        true = np.argsort(-(library.all_vectors @ np.array(query, np.float32)))[:10]
        near, _ = library.vectors.near_and_far(query, parse(q).lang, None, POOL, 10)
        found += len({f"p{n}" for n in true} & {row["id"] for row in near[:10]})
    return found / (10 * len(asked))


@contextmanager
def counted(library: Filled) -> Iterator[list[int]]:
    """Count how many questions the searches inside put to LanceDB."""
    start, seen = library.store.start, []

    def counting(asks: Any) -> Any:
        seen.append(len(asks))
        return start(asks)

    library.store.start = counting  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        library.store.start = start  # type: ignore[method-assign]


def measure(rows: int, alone: bool) -> None:
    """Fill one library, or take the one that is kept, and print one table."""
    library = filled(cache() / f"speed-{rows}", rows)
    asked = questions(library)
    print(f"\n## {rows:,} passages; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n", flush=True)

    def fused(n: int) -> None:
        assert search(library.store, library.vectors, asked[n], K, None)

    timings = turns({**bare(library, asked), FUSED: fused}, len(asked))
    timings["the two, one after the other"] = timings[TEXT] + timings[VECTOR]
    with counted(library) as seen:
        for n in range(len(asked)):
            fused(n)
    print("| what | p50 ms | p95 ms |\n|---|---|---|")
    for name, ms in timings.items():
        line(name, ms)
    queries = np.array([library.given.vectors[q] for q in asked], np.float32)
    others = () if alone else rivals(library.all_vectors, library.texts, queries, asked, POOL)
    for name, ask in others:
        line(name, turns({name: ask}, len(asked) if rows <= 200_000 else FEW, 1)[name])
        gc.collect()
    both, ours = timings["the two, one after the other"], timings[FUSED]
    print(f"\nfused / the two bare queries: {np.median(ours) / np.median(both):.2f} (p50),", end=" ")
    print(f"{np.percentile(ours, 95) / np.percentile(both, 95):.2f} (p95)")
    print(f"recall@10 of the vector query against exact: {recall(library, asked):.3f}")
    print(f"questions put to LanceDB by a search: {sum(seen) / len(asked):.2f}, in {len(seen) / len(asked):.2f} turns")
    size = sum(f.stat().st_size for f in library.folder.rglob("*") if f.is_file())
    print(f"on disk: {size / 1e6:,.0f} MB, {size / rows:,.0f} bytes a passage", flush=True)


def line(name: str, ms: np.ndarray) -> None:
    """Print one line of the table."""
    print(f"| {name} | {np.median(ms):.1f} | {np.percentile(ms, 95):.1f} |", flush=True)


def main() -> None:
    """Measure each size that was asked for."""
    choices = argparse.ArgumentParser(description=__doc__)
    choices.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000])
    choices.add_argument("--alone", action="store_true", help="leave the other engines out")
    given = choices.parse_args()
    for rows in given.rows:
        measure(rows, given.alone)


if __name__ == "__main__":
    main()
