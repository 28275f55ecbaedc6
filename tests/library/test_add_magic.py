"""``%nephele add`` shows how far it is, what it did and what still follows; ``status`` says what the vectors lack."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from nephele_nb.commands.report import MOST_SKIPPED, added, embedding
from nephele_nb.library import Library
from nephele_nb.magic import looks_like_path
from nephele_nb.strings import Strings
from nephele_nb.types import AddReport, Skipped

from .conftest import LetterEmbedder

SLOW = """
from nephele_nb.library import ingest
take = ingest.Intake._take
def slow(self, file):
    import time
    time.sleep(0.05)
    take(self, file)
ingest.Intake._take = slow
"""


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Any]:
    """A real kernel; calling it runs a cell and returns what the cell showed, each output as it was last."""
    own = {"HOME": str(tmp_path / "home"), "EMBEDDER": "none", "LANGUAGE": "en"}
    env = {**os.environ, **{f"NEPHELE_{name}": value for name, value in own.items()}}
    manager, client = start_new_kernel(kernel_name="python3", env=env)

    def run(code: str, on_step: Callable[[str], Any] = lambda _: None) -> tuple[list[str], list[str]]:
        shown: dict[str, str] = {}
        every: list[str] = []

        def hear(message: dict[str, Any]) -> None:
            content, kind = message["content"], message["msg_type"]
            if kind == "error":
                shown["error"] = content["ename"]
            if kind in ("display_data", "update_display_data"):
                text = content["data"]["text/plain"]
                shown[content["transient"].get("display_id", text)] = text
                every.append(text)
                on_step(text)

        client.execute_interactive(code, output_hook=hear, timeout=120)
        return list(shown.values()), every

    run.interrupt = manager.interrupt_kernel  # type: ignore[attr-defined]
    run("%load_ext nephele_nb")
    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.kernel
def test_add_shows_its_steps_its_result_and_what_is_no_path(tmp_path: Path, notebook: Any) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    (folder / "a.md").write_text("one")
    (folder / "b.png").write_bytes(b"x")
    shown, steps = notebook(f"%nephele add {folder}")
    skipped = f"- skipped {folder / 'b.png'}: files of type .png are not read"
    assert shown == ["2/2 two words", f"1 added, 0 updated, 0 unchanged.\n{skipped}"]
    assert steps[0] == "… two words"
    assert "0 added, 0 updated, 1 unchanged." in notebook(f'%nephele add "{folder}"')[0][1]
    (none,) = notebook("%nephele add /no/such/path")[0]
    assert none.startswith("There is no file or folder /no/such/path here.")
    assert "%nephele -- add" in none
    assert "1 notes, 0 tables, embedder none" in notebook("%nephele status")[0][0]


@pytest.mark.kernel
def test_an_interrupted_add_says_so_and_goes_on_when_it_is_run_again(tmp_path: Path, notebook: Any) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for n in range(90):
        (folder / f"{n:02}.md").write_text(f"note {n}")
    notebook(SLOW)
    shown, _ = notebook(f"%nephele add {folder}", lambda step: step.startswith("7") and notebook.interrupt())
    assert shown[1:] == ["Interrupted. What is in is whole; the same line goes on from there.", "KeyboardInterrupt"]
    again = notebook(f"%nephele add {folder}")[0][1]
    added = int(again.split(" ")[0])
    assert 0 < added < 90
    assert again == f"{added} added, 0 updated, {90 - added} unchanged."
    assert "90 notes" in notebook("%nephele status")[0][0]


@pytest.mark.parametrize(
    "text", ["/no/such", "./x", "../x y", "~/notes", "C:\\x", "C:/x", "a.md", "报告.PDF", "x/y.csv"]
)
def test_what_looks_like_a_path(text: str) -> None:
    assert looks_like_path(text)


@pytest.mark.parametrize(
    "text",
    ["", "up the numbers", "up the columns of sales.csv", "/ remove rows", "~ to it", "3.5", "v1.2", "a: b", "."],
)
def test_what_is_a_question(text: str) -> None:
    assert not looks_like_path(text)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_report_names_what_moved_went_and_was_skipped(language: str) -> None:
    words = Strings(language)  # type: ignore[arg-type]
    skipped = tuple(Skipped(f"f{n}", "no") for n in range(MOST_SKIPPED + 3))
    lines = added(AddReport(("a",), (), ("b", "c"), ("d",), skipped, ("e", "f")), words)
    assert len(lines) == 1 + 2 + MOST_SKIPPED + 1
    assert [n for n in "102" if n in lines[0]] == list("102")
    assert ("2" in lines[1], "1" in lines[2], "f0" in lines[3], "3" in lines[-1]) == (True,) * 4
    assert len(added(AddReport(("a",)), words)) == 1


@pytest.mark.parametrize(
    ("differs", "said"),
    [
        ({}, []),
        ({"embedded": 0.25}, ["vectors: 30 of 120 passages"]),
        ({"embedded": 0.5, "former_embedder": "old"}, ["from old to new: 60 of 120 passages re-embedded"]),
        ({"embedded": 0.975, "refused": 3}, ["3 passages could not be embedded"]),
        (
            {"embedded": 0.0, "embedder": "none", "embedder_fault": "new: no answer"},
            ["goes on without it: new: no answer"],
        ),
        ({"embedded": 0.0, "embedder": "none"}, []),
    ],
)
def test_the_status_says_how_far_the_vectors_are(differs: dict[str, object], said: list[str]) -> None:
    stats = {
        "passages": 120,
        "embedded": 1.0,
        "embedder": "new",
        "former_embedder": "",
        "refused": 0,
        "embedder_fault": "",
    }
    lines = embedding(stats | differs, Strings("en"))
    assert len(lines) == len(said)
    assert all(part in line for part, line in zip(said, lines, strict=True))


def test_the_status_of_a_real_library_can_be_said(tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=LetterEmbedder())
    lib.add_note("a", "words")
    assert lib.wait_embedded(30)
    assert embedding(lib.stats(), Strings("en")) == []
    lib.close()
