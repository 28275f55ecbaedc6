"""What LanceDB would say on its own stays out of the user's cell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from nephele_nb.library import Library
from nephele_nb.library.engine import session

CONFLICTS = """
import sys, threading
from datetime import timedelta
from nephele_nb.library import Library
lib = Library(sys.argv[1], embedder="none")
ended = threading.Event()
def write(who):
    n = 0
    while not ended.is_set():
        n += 1
        lib.add_note("title", f"text {n}", content_id=f"{who}-{n % 7}")
writers = [threading.Thread(target=write, args=(who,)) for who in range(2)]
for writer in writers:
    writer.start()
for _ in range(15):
    lib._store.files.tidy(timedelta(minutes=5))
ended.set()
for writer in writers:
    writer.join()
lib.close()
"""


def test_a_tidying_that_meets_a_write_says_nothing(tmp_path: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k != "LANCEDB_LOG"}
    command = [sys.executable, "-c", CONFLICTS, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_environment_is_left_as_it_was(tmp_path: Path) -> None:
    show = f"import os; from nephele_nb.library import Library; Library({str(tmp_path)!r}, embedder='none').close()"
    for given in ({}, {"LANCEDB_LOG": "warn"}):
        env = {k: v for k, v in os.environ.items() if k != "LANCEDB_LOG"} | given
        command = [sys.executable, "-c", f"{show}; print(os.environ.get('LANCEDB_LOG'))"]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
        assert done.stdout.strip() == str(given.get("LANCEDB_LOG"))


def test_what_is_kept_in_memory_is_bounded_for_all_libraries_together(tmp_path: Path) -> None:
    before = session().approx_num_items
    lib = Library(tmp_path, embedder="none")
    lib.add_note("Returns", "within 14 days")
    assert lib.search("returns")
    assert session().approx_num_items > before
    lib.close()
