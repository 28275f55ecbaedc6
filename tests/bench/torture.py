"""Kills a writer many times and writes very many single notes, then looks at what is left; run by hand.

``python -m tests.bench.torture --kills 50 --writes 100000 --minutes 60`` prints one line a part; any loss ends it with
an error.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from pathlib import Path
from statistics import median

from nephele_nb.library import Library
from nephele_nb.library.schema import NOTES, PASSAGES

from ..library.torture import check_whole, kill_midway, start_writer

BLOCK = 500


def kills(folder: Path, many: int) -> str:
    """Kill a writer so many times and check after each that nothing committed is lost."""
    rng, committed = random.Random(1), list[str]()
    for turn in range(many):
        committed += kill_midway(start_writer(folder, str(turn)), rng)
        lib = Library(folder, embedder="none")
        check_whole(lib, committed)
        lib.close()
    return f"{many} kills: {len(committed)} committed notes, none lost, every table readable"


def writes(folder: Path, many: int, minutes: float) -> str:
    """Write so many notes one at a time, or as many as the minutes allow, then search at once."""
    lib = Library(folder, embedder="none")
    began = time.monotonic()
    done = 0
    while done < many and time.monotonic() - began < 60 * minutes:
        start = time.perf_counter()
        block = range(done, min(done + BLOCK, many))
        for i in block:
            lib.add_note(f"Note {i}", f"platypus number{i}", content_id=f"n{i}")
        done = block.stop
        if done % (10 * BLOCK) == 0:
            print(f"  {done}: {(time.perf_counter() - start) / len(block) * 1000:.1f} ms each", flush=True)
    wrote = time.monotonic() - began
    took = []
    for i in range(0, done, max(1, done // 50)):
        start = time.perf_counter()
        assert f"n{i}" in {hit.content_id for hit in lib.search(f"number{i}")}
        took.append(time.perf_counter() - start)
    assert lib._store.count(NOTES) == done
    pieces = lib._store.table(PASSAGES).stats()["fragment_stats"]["num_fragments"]
    lib.close()
    files = [f.stat().st_size for f in folder.rglob("*") if f.is_file()]
    return (
        f"{done} one-row writes: {wrote / done * 1000:.1f} ms each; then {pieces} fragments, {len(files)} files, "
        f"{sum(files) / 1e6:.0f} MB; the first query {took[0] * 1000:.0f} ms, the median {median(took) * 1000:.1f} ms"
    )


def main() -> None:
    """Run both parts and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--writes", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=120, help="when to stop writing")
    asked = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    if asked.kills:
        with tempfile.TemporaryDirectory() as folder:
            print(kills(Path(folder), asked.kills), flush=True)
    if asked.writes:
        with tempfile.TemporaryDirectory() as folder:
            print(writes(Path(folder), asked.writes, asked.minutes), flush=True)


if __name__ == "__main__":
    main()
