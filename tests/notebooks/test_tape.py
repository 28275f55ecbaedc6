"""A notebook with a tape runs where there is no endpoint, and fails where the tape no longer matches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.runners import execute, shown
from tests.notebooks.test_headless import BEGIN, END

pytestmark = pytest.mark.notebook

RECORD = BEGIN.replace("**settings)", "tape='talk.tape', approve='always', **settings)")
REPLAY = """
import nephele_nb as nn
agent = nn.Agent(tape="talk.tape", embedder="none", approve="replay")
"""
ASK = "agent.ask({!r}).result()"


def test_a_tape_takes_the_endpoints_place(tmp_path: Path) -> None:
    done, notebook = execute(tmp_path, RECORD, ASK.format("set x and y"), END)
    assert done.returncode == 0, done.stderr
    before = [shown(notebook, 1), shown(notebook, 2)]
    assert "sk-secret" not in (tmp_path / "talk.tape").read_text("utf-8")
    cells = (REPLAY, ASK.format("set x and y"), END)
    done, notebook = execute(tmp_path, *cells, NEPHELE_TAPE="replay", NEPHELE_HOME=str(tmp_path / "other"))
    assert done.returncode == 0, done.stderr
    assert [shown(notebook, 1), shown(notebook, 2)] == before == ["All done.", "True reached the end\n"]

    cells = (REPLAY, ASK.format("set x and z"), END)
    strict = {"NEPHELE_HEADLESS": "strict", "NEPHELE_HOME": str(tmp_path / "third")}
    done, _ = execute(tmp_path, *cells, NEPHELE_TAPE="replay", **strict)
    assert done.returncode != 0
    assert "no longer matches the tape talk.tape" in done.stderr
    assert "+    set x and z" in done.stderr
