"""What the durability tests and the long run by hand share: writers that are killed, and what must hold after."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from nephele_nb.library import Library
from nephele_nb.library.schema import EDGES, NOTES, PASSAGES, TABLES

WRITER = """
import sys
from nephele_nb.library import Library
lib = Library(sys.argv[1], embedder="none")
turn = sys.argv[2]
print("ready", flush=True)
for i in range(10_000):
    note = f"{turn}-{i}"
    lib.add_note(f"Title {note}", f"platypus {note} [[Shared]] #tag", content_id=note)
    print("note", note, flush=True)
    lib.add_note("Shared", f"shared turn {turn} step {i}", content_id="shared")
    if i % 3 == 0:
        lib.add_table("ledger", [{"turn": turn, "step": n} for n in range(i + 1)])
        print("table", i + 1, flush=True)
"""


def start_writer(folder: Path, turn: str) -> subprocess.Popen[str]:
    """Start a process that writes without end and says what it has committed."""
    command = [sys.executable, "-W", "error", "-c", WRITER, str(folder), turn]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_midway(writer: subprocess.Popen[str], rng: random.Random) -> list[str]:
    """Let a writer say a few things, kill it in the midst of the next, and return the ids it had committed."""
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    lines = [writer.stdout.readline().rstrip("\n") for _ in range(rng.randrange(5))]
    time.sleep(rng.uniform(0.0, 0.2))
    writer.kill()
    lines += writer.stdout.read().split("\n")[:-1]
    writer.wait()
    writer.stdout.close()
    return [line.split()[1] for line in lines if line.startswith("note ")]


def check_whole(lib: Library, committed: list[str]) -> None:
    """Assert that nothing committed is lost and that notes, passages, links and tables agree with each other."""
    store = lib._store
    notes = {row["content_id"]: row["text"] for row in store.rows(NOTES, ["content_id", "text"])}
    assert {c: f"platypus {c} [[Shared]] #tag" for c in committed}.items() <= notes.items()
    passages = store.rows(PASSAGES, ["content_id", "start", "end", "text"])
    assert {p["content_id"] for p in passages} == notes.keys()
    assert all(notes[p["content_id"]][p["start"] : p["end"]] == p["text"] for p in passages)
    assert {row["source"] for row in store.rows(EDGES, ["source"])} <= notes.keys()
    for table in store.rows(TABLES, ["content_id", "name", "rows"]):
        scan = lib.scan(table["name"])
        assert (scan.total, table["content_id"] in notes) == (table["rows"], True)
        assert f"{scan.total} rows" in notes[table["content_id"]]
    if committed:
        assert committed[-1] in {hit.content_id for hit in lib.search(committed[-1], k=20)}
