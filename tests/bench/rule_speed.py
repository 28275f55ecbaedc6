"""Times the processor time of a message that may be a command: ``python -m tests.bench.rule_speed``."""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

from nephele_nb.rules import Rulebook

FIXTURES = Path(__file__).parent.parent / "fixtures" / "rules"


def main() -> None:
    book = Rulebook(Path("nowhere"))
    began = time.perf_counter()
    book.names()
    print(f"reading the rules once: {(time.perf_counter() - began) * 1e3:.0f} ms")
    for name in ("commands", "questions"):
        texts = [json.loads(line)["text"] for line in (FIXTURES / f"{name}.jsonl").read_text("utf-8").splitlines()]
        taken = []
        for text in texts * 20:
            began = time.process_time()
            book.match(text)
            taken.append((time.process_time() - began) * 1e3)
        taken.sort()
        print(f"{name}: median {statistics.median(taken):.3f} ms, 99 of 100 in {taken[len(taken) * 99 // 100]:.3f} ms")


if __name__ == "__main__":
    main()
