"""Taking files in again embeds nothing that is the same, follows what changed or moved, and can be interrupted."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from nephele_nb.library import Library
from nephele_nb.library.progress import Terminal, fitting, silent

from .conftest import LetterEmbedder
from .torture import check_whole


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    root = tmp_path / "desk"
    root.mkdir()
    return root


def test_an_unchanged_folder_embeds_nothing_and_a_change_only_its_passages(tmp_path: Path, desk: Path) -> None:
    embedder = LetterEmbedder()
    lib = Library(tmp_path / "library", embedder=embedder)
    parts = [f"# Part {i}\n\n" + f"word{i} " * 150 for i in range(6)]
    (desk / "long.md").write_text("\n\n".join(parts))
    (desk / "t.csv").write_text("a\n1\n")
    lib.add(desk)
    assert lib.wait_embedded(60)
    first = len(embedder.seen)
    assert first >= 7
    lib.add(desk)
    os.utime(desk / "long.md", (1, 1))
    assert set(lib.add(desk).unchanged) == {"desk/long.md", "table:t"}
    assert lib.wait_embedded(60)
    assert len(embedder.seen) == first
    parts[3] = "# Part 3\n\nnew words here"
    (desk / "long.md").write_text("\n\n".join(parts))
    assert lib.add(desk).updated == ("desk/long.md",)
    assert lib.wait_embedded(60)
    assert [text.split("\n")[-1] for text in embedder.seen[first:]] == ["new words here"]
    lib.close()


def test_a_moved_file_keeps_its_id_and_its_vectors(tmp_path: Path, desk: Path) -> None:
    embedder = LetterEmbedder()
    lib = Library(tmp_path / "library", embedder=embedder)
    (desk / "sub").mkdir()
    (desk / "a.md").write_text("# A\n\nabout armadillos")
    (desk / "t.csv").write_text("a\n1\n")
    (desk / "copy.md").write_text("# A\n\nabout armadillos")
    lib.add(desk)
    assert lib.wait_embedded(60)
    seen = len(embedder.seen)
    (desk / "a.md").rename(desk / "sub" / "a.md")
    (desk / "t.csv").rename(desk / "sub" / "t.csv")
    report = lib.add(desk)
    assert (set(report.moved), report.added, report.removed) == ({"desk/a.md", "table:t"}, (), ())
    assert set(report.unchanged) == {"desk/copy.md"}
    assert lib.read("desk/a.md").path == str(desk / "sub" / "a.md")
    assert lib.scan("t").rows == [{"a": 1}]
    assert lib.wait_embedded(60)
    assert len(embedder.seen) == seen
    assert set(lib.add(desk).unchanged) == {"desk/a.md", "desk/copy.md", "table:t"}
    (desk / "a.md").write_text("a new one in the old place")
    assert lib.add(desk).added[0].startswith("desk/a.md~")
    lib.close()


def test_the_usual_folders_are_passed_over(lib: Library, desk: Path) -> None:
    for name in (".git", "node_modules", "__pycache__", ".ipynb_checkpoints", "env", "deep/.obsidian"):
        (desk / name).mkdir(parents=True)
        (desk / name / "no.md").write_text("never read")
    (desk / "env" / "pyvenv.cfg").write_text("")
    (desk / ".hidden.md").write_text("never read")
    (desk / "yes.md").write_text("read")
    (desk / "deep" / "yes.text").write_text("read")
    assert set(lib.add(desk).added) == {"desk/yes.md", "desk/deep/yes.text"}
    assert not lib.search("never")


def test_odd_files_are_reported_and_the_rest_goes_in(lib: Library, desk: Path) -> None:
    (desk / "gone.md").symlink_to(desk / "nowhere.md")
    (desk / "loop").symlink_to(desk)
    os.mkfifo(desk / "pipe.txt")
    (desk / "zero.txt").write_bytes(b"")
    (desk / "huge.txt").touch()
    os.truncate(desk / "huge.txt", 33_000_000)
    (desk / "binary.txt").write_bytes(bytes(range(256)))
    (desk / "picture.png").write_bytes(b"\x89PNG")
    (desk / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (desk / "名字 #1.md").write_text("good")
    report = lib.add(desk)
    reasons = {Path(s.path).name: s.reason for s in report.skipped}
    assert reasons.keys() == {"gone.md", "pipe.txt", "huge.txt", "binary.txt", "picture.png", "ragged.csv"}
    assert "32 MB" in reasons["huge.txt"]
    assert "Row #3" in reasons["ragged.csv"]
    assert set(report.added) == {"desk/zero.txt", "desk/名字 #1.md"}


def test_a_file_that_breaks_keeps_its_last_good_state(lib: Library, desk: Path) -> None:
    (desk / "a.csv").write_text("a\n1\n")
    (desk / "b.md").write_text("good words")
    lib.add(desk)
    (desk / "a.csv").write_text("")
    (desk / "b.md").write_bytes(b"\x00\x00")
    report = lib.add(desk)
    assert len(report.skipped) == 2
    assert lib.scan("a").rows == [{"a": 1}]
    assert lib.search("good words")


def test_an_interrupt_ends_it_cleanly_and_the_next_run_goes_on(lib: Library, desk: Path) -> None:
    for i in range(200):
        (desk / f"{i:03}.md").write_text(f"# Note {i}\n\nplatypus {i}")
    told: list[int] = []

    def interrupt(_label: str, done: int, _total: int) -> None:
        told.append(done)
        if done >= 90:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lib.add(desk, progress=interrupt)
    held = lib.stats()["notes"]
    assert 64 <= held < 200
    assert told == list(range(len(told)))
    check_whole(lib, [])
    report = lib.add(desk, progress=False)
    assert (len(report.added), len(report.unchanged)) == (200 - held, held)
    assert lib.stats()["notes"] == 200


def test_progress_suits_where_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert fitting() is silent or isinstance(fitting(), Terminal)
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    show = fitting()
    assert isinstance(show, Terminal)
    for done in range(1001):
        show("a\x1b[2Jname", done, 1000)
    steps = screen.getvalue().split("\r\x1b[K")[1:]
    assert 2 <= len(steps) < 100
    assert steps[0] == "[........................] 0/1000 a?[2Jname"
    assert steps[-1] == "[########################] 1000/1000 a?[2Jname\n"
    Terminal()("opening", 0, 0)
    assert screen.getvalue().endswith("[........................] … opening")


def test_a_notebook_shows_progress_in_one_output(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\nshell.kernel = object()\n"
        "from nephele_nb.library import Library\nfrom nephele_nb.library.progress import Notebook, fitting\n"
        "assert isinstance(fitting(), Notebook)\nsent = []\n"
        "shell.display_pub.publish = lambda data, **more: sent.append((data, more.get('update')))\n"
        "lib = Library(sys.argv[1], embedder='none')\nlib.add(sys.argv[2])\nlib.close()\n"
        "assert [bool(u) for _, u in sent] == [False] + [True] * (len(sent) - 1), sent\n"
        "assert sent[-1][0]['text/plain'].startswith('3/3'), sent\n"
        "assert '<progress value=\"3\"' in sent[-1][0]['text/html']\n"
    )
    (tmp_path / "files").mkdir()
    for name in "abc":
        (tmp_path / "files" / f"{name}.md").write_text(name)
    command = [sys.executable, "-c", code, str(tmp_path / "library"), str(tmp_path / "files")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


NAMES = st.sampled_from(["a.md", "b.md", "sub/a.md", "sub/c.txt", "t.csv"])
TEXTS = st.sampled_from(["alpha", "beta [[a]]", "gamma #tag"])


class Folder(RuleBasedStateMachine):
    """Any change of files, and then what the library holds is what the files say, each passage embedded once."""

    def __init__(self) -> None:
        super().__init__()
        self.place = TemporaryDirectory()
        self.root = Path(self.place.name, "desk")
        self.root.mkdir()
        self.embedder = LetterEmbedder()
        self.lib = Library(self.root.parent / "library", embedder=self.embedder)
        self.fresh = True

    @rule(name=NAMES, text=TEXTS)
    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text(f"word\n{text}\n" if name.endswith("csv") else text)
        self.fresh = False

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)
        self.fresh = False

    @rule(name=NAMES, to=NAMES)
    def move(self, name: str, to: str) -> None:
        if (self.root / name).exists() and (self.root / name).suffix == (self.root / to).suffix:
            (self.root / to).parent.mkdir(exist_ok=True)
            (self.root / name).replace(self.root / to)
            self.fresh = False

    @rule()
    def take_in(self) -> None:
        self.lib.add(self.root, progress=False)
        assert self.lib.wait_embedded(60)
        embedded = len(self.embedder.seen)
        again = self.lib.add(self.root, progress=False)
        assert (again.added, again.updated, again.removed, again.moved) == ((), (), (), ())
        assert self.lib.wait_embedded(60)
        assert (len(self.embedder.seen), self.lib.stats()["embedded"]) == (embedded, 1.0)
        self.fresh = True

    @invariant()
    def agree(self) -> None:
        if not self.fresh:
            return
        files = {str(p): p.read_text() for p in self.root.rglob("*") if p.is_file()}
        rows = self.lib._store.rows("notes", ["path", "text", "kind"])
        assert sorted(r["path"] for r in rows) == sorted(files)
        for row in rows:
            said = files[row["path"]]
            assert row["text"] == said if row["kind"] == "note" else said.split("\n")[1] in row["text"]
        vectors = self.lib._background.vectors()
        assert vectors is not None
        assert self.lib._store.count(vectors.name) == len(self.embedder.seen)

    def teardown(self) -> None:
        check_whole(self.lib, [])
        self.lib.close()
        self.place.cleanup()


def test_whatever_happens_to_the_files_the_library_follows() -> None:
    run_state_machine_as_test(
        Folder,
        settings=settings(max_examples=8, stateful_step_count=10, deadline=None, suppress_health_check=[*HealthCheck]),
    )
