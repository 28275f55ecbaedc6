"""A notebook with an agent runs where nobody looks: it never hangs, its outputs are fixed, and strict means strict."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.runners import execute, shown

pytestmark = pytest.mark.notebook

BEGIN = """
import nephele_nb as nn
from nephele_nb.model.scripted import Call, ScriptedModel, Step
two = [Call("run_python", {"code": "x = 1"}), Call("run_python", {"code": "y = 2"})]
model = ScriptedModel([Step(say="Two steps.", calls=two), "All done."]).start()
settings = dict(api_key="sk-secret-1234", model="scripted", embedder="none", confirm_timeout_s=2)
agent = nn.Agent(base_url=model.base_url, **settings)
agent
"""
ASK = "agent.ask('set x and y').result()"
END = "print('x' in globals(), 'reached the end')"


def test_an_approval_nobody_answers_expires_and_the_notebook_goes_on(tmp_path: Path) -> None:
    done, notebook = execute(tmp_path, BEGIN, ASK, END)
    assert done.returncode == 0, done.stderr
    assert "All done." in shown(notebook, 1)
    assert "approve=" in shown(notebook, 1)
    assert shown(notebook, 2) == "False reached the end\n"


@pytest.mark.parametrize(("policy", "ran"), [("always", "True"), ("never", "False")])
def test_a_policy_answers_at_once(tmp_path: Path, policy: str, ran: str) -> None:
    done, notebook = execute(tmp_path, BEGIN, ASK, END, NEPHELE_APPROVE=policy)
    assert done.returncode == 0, done.stderr
    assert shown(notebook, 1) == "All done."
    assert shown(notebook, 2) == f"{ran} reached the end\n"


def test_strict_fails_the_notebook_in_one_line(tmp_path: Path) -> None:
    done, _ = execute(tmp_path, BEGIN, ASK, END, NEPHELE_HEADLESS="strict")
    assert done.returncode != 0
    assert "ApprovalUnanswered" in done.stderr
    assert "run_python" in done.stderr


def test_strict_fails_the_magic_too(tmp_path: Path) -> None:
    done, _ = execute(tmp_path, BEGIN, "%load_ext nephele_nb", "%nephele set x and y", NEPHELE_HEADLESS="strict")
    assert done.returncode != 0
    assert "ApprovalUnanswered" in done.stderr


def test_outputs_are_the_same_each_time_and_hold_no_secret(tmp_path: Path) -> None:
    cells = (BEGIN, "%load_ext nephele_nb", "%nephele set x and y, please?", "agent", ASK)
    written = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        done, notebook = execute(folder, *cells, NEPHELE_APPROVE="always")
        assert done.returncode == 0, done.stderr
        written.append([[dict(o) for o in cell.outputs] for cell in notebook.cells])
        assert "widgets" not in notebook.metadata
        assert "sk-secret" not in str([cell.outputs for cell in notebook.cells])
        assert not any(o.output_type == "stream" and o.name == "stderr" for c in notebook.cells for o in c.outputs)
        journals = "".join(p.read_text("utf-8") for p in (folder / "home" / "journal").glob("*.jsonl"))
        assert "sk-secret" not in journals
    assert written[0] == written[1]


def test_a_kernel_that_dies_ends_non_zero(tmp_path: Path) -> None:
    deadly = BEGIN.replace('"x = 1"', '"import os; os._exit(9)"')
    done, _ = execute(tmp_path, deadly, ASK, NEPHELE_APPROVE="always")
    assert done.returncode != 0
    assert "died" in done.stderr.lower()
    again, notebook = execute(
        tmp_path,
        "import nephele_nb as nn, pathlib\n"
        f"name = next(pathlib.Path({str(tmp_path)!r}, 'home', 'journal').glob('chat-*.jsonl')).stem\n"
        "agent = nn.Agent(conversation=name, tier='lite')\n"
        "print([e.kind for e in agent.conversation.events][-2:], [m['role'] for m in agent.history])",
    )
    assert again.returncode == 0, again.stderr
    assert "['LoopError', 'LoopDone']" in shown(notebook, 0)
    assert "['user', 'assistant', 'tool', 'tool', 'assistant']" in shown(notebook, 0)
