"""Every runner of notebooks ends well where all goes well, and fails with a line that says why where it does not."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.notebooks.runners import RUNNERS, execute, run, write
from tests.notebooks.test_headless import ASK, BEGIN, END
from tests.notebooks.test_tape import RECORD, REPLAY

pytestmark = pytest.mark.notebook

STRICT = {"NEPHELE_HEADLESS": "strict"}
others = pytest.mark.parametrize("runner", [name for name in RUNNERS if name != "execute"])
"""What the other tests of this folder show of ``jupyter execute``."""


def lines(done: subprocess.CompletedProcess[str], words: str) -> list[str]:
    """Return the lines of what a command said that hold these words."""
    said = re.sub(r"\x1b\[[\d;]*m", "", f"{done.stdout}\n{done.stderr}")
    return [line for line in said.splitlines() if words in line]


@others
def test_an_approval_nobody_answers_does_not_end_it(runner: str, tmp_path: Path) -> None:
    write(tmp_path / "talk.ipynb", BEGIN, ASK, END, "assert 'x' not in globals()")
    done, _ = run(runner, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@others
def test_strict_ends_it_at_an_approval_nobody_answers(runner: str, tmp_path: Path) -> None:
    write(tmp_path / "talk.ipynb", BEGIN, ASK, END)
    done, _ = run(runner, tmp_path, **STRICT)
    assert done.returncode != 0
    assert lines(done, "ApprovalUnanswered: nobody answered the approval of run_python")


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A tape of one round."""
    folder = tmp_path_factory.mktemp("recorded")
    done, _ = execute(folder, RECORD, ASK)
    assert done.returncode == 0, done.stderr
    return (folder / "talk.tape").read_bytes()


@pytest.mark.parametrize("runner", RUNNERS)
def test_a_tape_that_no_longer_matches_ends_it(runner: str, tape: bytes, tmp_path: Path) -> None:
    (tmp_path / "talk.tape").write_bytes(tape)
    asked = "%nephele set x and z" if runner in ("execute", "nbval") else "agent.ask('set x and z').result()"
    write(tmp_path / "talk.ipynb", REPLAY, "%load_ext nephele_nb", asked)
    done, _ = run(runner, tmp_path)
    assert done.returncode != 0
    assert lines(done, "ModelError: The conversation no longer matches the tape talk.tape")


@others
def test_a_kernel_that_dies_ends_it(runner: str, tmp_path: Path) -> None:
    write(tmp_path / "talk.ipynb", BEGIN.replace('"x = 1"', '"import os; os._exit(9)"'), ASK, END)
    done, _ = run(runner, tmp_path, NEPHELE_APPROVE="always")
    assert done.returncode != 0
    assert lines(done, "Timeout" if runner == "nbval" else "ernel died")


def test_a_tape_that_is_not_there_ends_it(tmp_path: Path) -> None:
    done, _ = execute(tmp_path, "%load_ext nephele_nb", "%nephele what did we sell?", NEPHELE_TAPE="replay")
    assert done.returncode != 0
    assert "There is no tape at" in done.stderr
