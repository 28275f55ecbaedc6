"""What keeping a run's former state costs beside a frame of 1 GB: time and memory, with and without.

Run it by hand: ``python -m tests.bench.undo_cost``.
"""

from __future__ import annotations

import gc
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nephele_nb.kernel.effects import analyse
from nephele_nb.kernel.keeping import Keeping

ROWS = 12_500_000
RUNS = 7
CODE = [
    "total = 1",
    "df['new'] = 1",
    "small = df.head()",
    "lst.append(1)",
    "df.columns = [f'c{i}' for i in range(df.shape[1])]",
    "d['k'] = df['x0'].iloc[0]",
    "words.append('w')",
]


def namespace() -> dict[str, Any]:
    """Return names as a long session has them, one of them a frame of 1 GB."""
    df = pd.DataFrame(np.random.default_rng(0).random((ROWS, 10)), columns=[f"x{i}" for i in range(10)])
    space: dict[str, Any] = {"df": df, "lst": list(range(100_000)), "d": {str(i): i for i in range(50_000)}}
    space["words"] = [f"word {i}" for i in range(200_000)]
    space["rows"] = [{"id": i, "tags": [i]} for i in range(20_000)]
    return space | {f"v{i}": [i] for i in range(500)}


def resident() -> int:
    """Return the bytes of memory that this process holds now."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


def once(code: str, space: dict[str, Any]) -> tuple[float, float, int]:
    """Run code with keeping around it; seconds of the thread for analysis, for keeping, and bytes held after."""
    began = time.thread_time()
    keeping = Keeping(code, analyse(code, space))
    analysed = time.thread_time() - began
    gc.collect()
    before = resident()
    around = keeping.around(space, {})
    began = time.thread_time()
    around.__enter__()
    entered = time.thread_time() - began
    held = resident() - before
    exec(code, {"__builtins__": __builtins__, "pd": pd}, space)
    began = time.thread_time()
    around.__exit__(None, None, None)
    return analysed, entered + time.thread_time() - began, held


def main() -> None:
    """Print a line a snippet: median and worst time, memory as a share of the frame."""
    space = namespace()
    size = int(space["df"].memory_usage(index=False).sum())
    print(f"frame {size / 1e9:.2f} GB, {len(space)} names")
    for code in CODE:
        runs = [once(code, dict(space) | {"df": space["df"].copy(deep=False)}) for _ in range(RUNS)]
        times = [analysed + kept for analysed, kept, _ in runs]
        print(
            f"{code[:44]:46} median {statistics.median(times) * 1e3:6.1f} ms  worst {max(times) * 1e3:6.1f} ms  "
            f"memory {max(held for *_, held in runs) / size:7.2%}"
        )


if __name__ == "__main__":
    sys.exit(main())
