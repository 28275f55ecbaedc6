"""A library outlives its writers: killed, interrupted, out of space, read-only, many at once, or of an older shape."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
from nephele_nb.library.pen import BEGUN
from nephele_nb.library.schema import META, NOTES, PASSAGES, VERSION

from .torture import check_whole, kill_midway, start_writer

KILLS = 6
COUNTER = """
import sys
from nephele_nb.library import Library
lib = Library(sys.argv[1], embedder="none")
for i in range(6):
    lib.add_note(f"note {i} of {sys.argv[2]}", "wombat", content_id=f"{sys.argv[2]}-{i}")
    while True:
        old = lib.read("counter").text
        try:
            lib.update_note("counter", str(int(old) + 1), expected=old)
            break
        except Exception as error:
            if type(error).__name__ != "StaleError":
                raise
    if i % 5 == 0:
        lib.add_table(f"t{sys.argv[2]}", [{"i": i}])
lib.close()
"""


def test_a_killed_writer_loses_nothing_it_had_committed(tmp_path: Path) -> None:
    rng = random.Random(7)
    committed: list[str] = []
    writer = start_writer(tmp_path, "0")
    for turn in range(KILLS):
        committed += kill_midway(writer, rng)
        if turn + 1 < KILLS:
            writer = start_writer(tmp_path, str(turn + 1))
        lib = Library(tmp_path, embedder="none")
        assert set(committed) <= {row["content_id"] for row in lib._store.rows(NOTES, ["content_id"])}
        lib.close()
    lib = Library(tmp_path, embedder="none")
    assert committed
    check_whole(lib, committed)
    lib.close()


@pytest.mark.parametrize("steps", range(6))
def test_a_writing_cut_at_any_step_is_mended(tmp_path: Path, steps: int) -> None:
    """Let each of the store's writes in turn be the one that fails, and look at the library from another handle."""
    lib = Library(tmp_path, embedder="none")
    lib.add_note("Shared", "platypus old [[x]]", content_id="old")
    lib.add_table("ledger", [{"a": 1}])
    store, left = lib._store, steps

    class Cut(Exception):
        pass

    def cutting(write):
        def one(*args, **kwargs):
            nonlocal left
            left -= 1
            if left < 0:
                raise Cut
            return write(*args, **kwargs)

        return one

    store.upsert, store.delete, store.replace = map(cutting, (store.upsert, store.delete, store.replace))
    change = [
        lambda: lib.update_note("old", "platypus new words " * 200),
        lambda: lib.add_table("ledger", [{"a": 1}, {"a": 2}]),
        lambda: lib.remove("old"),
    ]
    for one in change:
        left = steps
        with pytest.raises(Cut) if steps < 2 else _perhaps(Cut):
            one()
        other = Library(tmp_path, embedder="none")
        check_whole(other, [])
        assert not (tmp_path / BEGUN).exists()
        other.close()
    lib.close()


def _perhaps(kind: type[BaseException]):
    from contextlib import suppress

    return suppress(kind)


@pytest.mark.parametrize("writers", [2, 4])
def test_several_processes_write_at_once_without_loss(tmp_path: Path, writers: int) -> None:
    lib = Library(tmp_path, embedder="none")
    lib.add_note("counter", "0", content_id="counter")
    names = [f"w{i}" for i in range(writers)]
    started = [subprocess.Popen([sys.executable, "-W", "error", "-c", COUNTER, str(tmp_path), n]) for n in names]
    assert [p.wait(240) for p in started] == [0] * writers
    assert lib.read("counter").text == str(6 * writers)
    assert lib.stats()["notes"] == 6 * writers + 1
    assert lib.stats()["tables"] == {f"t{n}": 1 for n in names}
    check_whole(lib, [])
    lib.close()


def test_many_small_writes_tidy_themselves(tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder="none")
    for i in range(300):
        lib.add_note(f"n{i}", f"echidna {i}", content_id=f"n{i}")
    deadline = time.monotonic() + 60
    while lib._store.files.untidy and time.monotonic() < deadline:
        time.sleep(0.2)
    assert lib._store.table(PASSAGES).stats()["fragment_stats"]["num_fragments"] < 60
    assert lib._store.count(NOTES) == 300
    assert lib.compact().keys() == {"before", "after"}
    assert all(f"n{i}" in {h.content_id for h in lib.search(f"echidna {i}")} for i in (0, 150, 299))
    lib.close()


READ_ONLY = """
import os, sys, tempfile
from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
trial = Library(tempfile.mkdtemp(), embedder="none")  # all that is imported late comes from folders of root's
trial.add_note("T", "a quokka", content_id="q")
trial.add_table("t", [{"a": 1}])
assert trial.search("quokka") and trial.scan("t").total and trial.graph("q") and trial.stats()
trial.close()
os.setuid(65534)
lib = Library(sys.argv[1], embedder="none")
assert lib.search("quokka")[0].content_id == "q" and lib.read("q").text == "a quokka" and lib.scan("t").total == 1
assert lib.graph("q").edges == () and lib.stats()["notes"] == 1
for change in (lambda: lib.add_note("x", "y"), lambda: lib.remove("q"), lambda: lib.update_note("q", "z"),
               lambda: lib.add_table("t", [{"a": 2}]), lambda: lib.add_table("u", [{"a": 2}])):
    try:
        change()
    except LibraryError as error:
        assert "can't be written" in str(error) and "permission" in str(error).casefold(), error
    else:
        raise SystemExit("a read-only library was written")
assert lib.read("q").text == "a quokka" and lib.scan("t").rows == [{"a": 1}]
lib.close()
"""


@pytest.mark.skipif(not hasattr(os, "setuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_a_read_only_folder_is_read_and_says_so_when_written() -> None:
    with tempfile.TemporaryDirectory() as outside:  # pytest shuts its own folders to others whenever it starts
        folder = Path(outside) / "library"
        lib = Library(folder, embedder="none")
        lib.add_note("Q", "a quokka", content_id="q")
        lib.add_table("t", [{"a": 1}])
        lib.close()
        for path in [Path(outside), folder, *folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", READ_ONLY, str(folder)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    at = tmp_path / "disk"
    at.mkdir()
    mount = shutil.which("mount")
    made = mount and subprocess.run([mount, "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(at)], check=False)
    if not made or made.returncode:
        pytest.skip("a small disk can't be mounted here")
    yield at
    subprocess.run(["umount", "-l", str(at)], check=True)


def test_a_full_disk_says_so_and_loses_nothing(small_disk: Path) -> None:
    lib = Library(small_disk / "library", embedder="none")
    kept: list[str] = []

    def fill() -> None:
        for i in range(4000):
            text = f"platypus {i} " + " ".join(str(n * 7919 % 1_000_003) for n in range(3000))
            kept.append(lib.add_note(f"n{i}", text, content_id=f"n{i}"))

    with pytest.raises(LibraryError, match=r"could not be written|can't be written"):
        fill()
    assert kept
    with pytest.raises(LibraryError):
        lib.add_table("big", [{"a": os.urandom(20000).hex()} for _ in range(400)])
    for name in (kept[0], kept[-1]):
        assert lib.read(name).text.startswith(f"platypus {name[1:]} ")
    lib.close()
    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk)], check=True)
    lib = Library(small_disk / "library", embedder="none")
    lib.add_note("after", "there is room again", content_id="after")
    assert {row["content_id"] for row in lib._store.rows(NOTES, ["content_id"])} >= {*kept, "after"}
    check_whole(lib, [])
    lib.close()


def old_library(folder: Path) -> None:
    """Write what the first shape of a library was: notes alone, with no keys, no passages and no version."""
    rows = [
        {"content_id": f"o{i}", "title": f"Old {i}", "text": f"thylacine {i} [[Old 0]]", "tags": ["old"],
         "path": "", "created": 5.0 + i, "updated": 9.0 + i} for i in range(100)
    ]  # fmt: skip
    lancedb.connect(folder).create_table(NOTES, pa.Table.from_pylist(rows))


def test_a_library_of_an_older_shape_is_brought_up_to_date(tmp_path: Path) -> None:
    old_library(tmp_path)
    lib = Library(tmp_path, embedder="none")
    assert lib._store.rows(META, ["value"], "key = 'version'") == [{"value": str(VERSION)}]
    assert lib._store.count(PASSAGES, "contains(plain, 'thylacine')") == 100
    assert lib.search("thylacine 7")[0].content_id == "o7"
    note = lib.read("Old 7")
    assert (note.content_id, note.created, note.updated, note.tags) == ("o7", 12.0, 16.0, ("old",))
    assert ("o7", "o0", "wiki") in {(e.source, e.target, e.kind) for e in lib.graph("o7").edges}
    lib.add_note("new", "a numbat", content_id="new")
    assert lib.stats()["notes"] == 101
    lib.close()


def test_a_migration_cut_short_is_run_again(tmp_path: Path) -> None:
    old_library(tmp_path)
    code = (
        "import os, sys\nfrom nephele_nb.library import library, notes\nwrite, left = notes.write, [1]\n"
        "def one(*a):\n    left[0] -= 1\n    return write(*a) if left[0] >= 0 else os._exit(9)\n"
        "notes.write = one\nlibrary.Library(sys.argv[1], embedder='none')"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False).returncode == 9
    lib = Library(tmp_path, embedder="none")
    assert lib._store.count(PASSAGES, "contains(plain, 'thylacine')") == 100
    assert lib.search("thylacine 7")[0].content_id == "o7"
    check_whole(lib, [])
    lib.close()
