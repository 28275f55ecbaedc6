"""Kills a writer many times and writes very many single notes, then looks at what is left; run by hand.

``python -m tests.bench.torture --kills 50 --writes 2000`` prints one line a part; any loss ends it with an error.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from nephele_nb.library import Library
from nephele_nb.library.schema import NOTES, PASSAGES

from ..library.torture import check_whole, kill_midway, start_writer


def kills(folder: Path, many: int) -> str:
    """Kill a writer so many times and check after each that nothing committed is lost."""
    rng, committed = random.Random(1), list[str]()
    for turn in range(many):
        committed += kill_midway(start_writer(folder, str(turn)), rng)
        lib = Library(folder, embedder="none")
        check_whole(lib, committed)
        lib.close()
    return f"{many} kills: {len(committed)} committed notes, none lost, every table readable"


def writes(folder: Path, many: int) -> str:
    """Write so many notes one at a time, then search."""
    lib = Library(folder, embedder="none")
    start = time.perf_counter()
    for i in range(many):
        lib.add_note(f"Note {i}", f"platypus number{i}", content_id=f"n{i}")
    wrote = time.perf_counter() - start
    took = []
    for i in range(0, many, max(1, many // 50)):
        start = time.perf_counter()
        assert f"n{i}" in {hit.content_id for hit in lib.search(f"number{i}")}
        took.append(time.perf_counter() - start)
    assert lib._store.count(NOTES) == many
    pieces = lib._store.table(PASSAGES).stats()["fragment_stats"]["num_fragments"]
    lib.close()
    median = sorted(took)[len(took) // 2] * 1000
    return f"{many} one-row writes: {wrote / many * 1000:.1f} ms each, {pieces} fragments, a query {median:.1f} ms"


def main() -> None:
    """Run both parts and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--writes", type=int, default=2000)
    asked = parser.parse_args()
    for part, many in ((kills, asked.kills), (writes, asked.writes)):
        with tempfile.TemporaryDirectory() as folder:
            print(part(Path(folder), many), flush=True)


if __name__ == "__main__":
    main()
