"""A library of an older shape is brought up to date at its opening, also after the work was killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library, words
from nephele_nb.library.draft import Draft
from nephele_nb.library.migrations import LABEL, migrate
from nephele_nb.library.schema import META, PASSAGES, VERSION
from nephele_nb.library.store import Store

from .conftest import LetterEmbedder
from .torture import check_whole

TEXT = "臺灣的圖書館會議紀錄"
KILLED = """
import os, signal, sys
from nephele_nb.library import library, migrations, notes
at, left = sys.argv[2], [int(sys.argv[3])]

def killing(real):
    def call(*arguments):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments)
    return call

place = {"write": notes, "replace": library.Store, "drop": library.Store, "_write_version": migrations}[at]
setattr(place, at, killing(getattr(place, at)))
library.Library(sys.argv[1], embedder="none")
"""


def version(folder: Path) -> str:
    return Store(str(folder)).rows(META, ["value"], "key = 'version'")[0]["value"]


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of version 1, whose words keep traditional and simplified characters apart."""
    with monkeypatch.context() as patch:
        patch.setattr(words, "_simplified", dict)
        lib = Library(tmp_path / "library", embedder=LetterEmbedder())
        lib.add_note("資料庫", TEXT, tags=["臺灣"], content_id="t")
        lib.add_note("Latin", f"see [[資料庫]] and {TEXT} abc", content_id="l")
        lib._put([Draft(f"n{i}", f"n{i}", f"platypus n{i} [[Shared]] #tag") for i in range(100)])
        lib.add_table("t1", [{"a": 1}])
        assert lib.wait_embedded(60)
        lib.close()
    store = Store(str(tmp_path / "library"))
    store.upsert(META, [{"key": "version", "value": "1"}])
    assert store.count(PASSAGES, "contains(words, '臺灣')")
    return tmp_path / "library"


def check(lib: Library) -> None:
    for query in (TEXT, "图书馆会议"):
        assert {h.content_id for h in lib.search(query) if "text" in h.channels} == {"t", "l"}
    assert lib.read("资料库").content_id == "t"
    assert {h.content_id for h in lib.search("会议", tags=["台湾"])} == {"t"}
    assert ("l", "t", "wiki") in {(e.source, e.target, e.kind) for e in lib.graph("t").edges}
    assert (lib.stats()["notes"], lib.scan("t1").rows) == (102, [{"a": 1}])
    check_whole(lib, [])


def test_words_are_folded_anew_and_vectors_stay(old: Path) -> None:
    embedder = LetterEmbedder()
    lib = Library(old, embedder=embedder)
    assert version(old) == str(VERSION)
    assert lib.wait_embedded(60)
    assert (lib.stats()["embedded"], embedder.seen) == (1.0, [])
    check(lib)
    lib.close()


@pytest.mark.parametrize(
    ("at", "calls"), [("replace", 0), ("drop", 0), ("drop", 1), ("write", 0), ("write", 1), ("_write_version", 0)]
)
def test_a_migration_that_is_killed_is_resumed(old: Path, at: str, calls: int) -> None:
    command = [sys.executable, "-c", KILLED, str(old), at, str(calls)]
    assert subprocess.run(command, check=False).returncode == -9
    assert version(old) == "1"
    lib = Library(old, embedder="none")
    assert version(old) == str(VERSION)
    check(lib)
    lib.close()


def test_two_that_open_it_at_once_migrate_it_once(old: Path) -> None:
    code = "import sys\nfrom nephele_nb.library import Library\nLibrary(sys.argv[1], embedder='none').close()"
    running = [subprocess.Popen([sys.executable, "-c", code, str(old)]) for _ in range(2)]
    assert [process.wait(120) for process in running] == [0, 0]
    lib = Library(old, embedder="none")
    check(lib)
    lib.close()


def test_how_far_it_is_can_be_seen(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, int, int]] = []
    monkeypatch.setattr("nephele_nb.library.migrations.unasked", lambda: lambda *step: told.append(step))
    migrate(Store(str(old)))
    assert told == [(LABEL, 0, 103), (LABEL, 64, 103), (LABEL, 103, 103)]
    migrate(Store(str(old)))
    assert len(told) == 3


@pytest.mark.parametrize(
    ("written", "said"),
    [(str(VERSION + 1), "newer nephele_nb .*Update"), ("3.1", "written as '3.1'"), ("", "written as ''")],
)
def test_a_version_that_is_not_known_is_refused_and_left(old: Path, written: str, said: str) -> None:
    Store(str(old)).upsert(META, [{"key": "version", "value": written}])
    with pytest.raises(LibraryError, match=said):
        Library(old, embedder="none")
    assert version(old) == written
