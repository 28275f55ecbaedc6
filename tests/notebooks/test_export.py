"""The notebook of the approved code runs without the agent, and comes to the values of the conversation."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from tests.notebooks.runners import execute, run, shown

pytestmark = pytest.mark.notebook

BEGIN = """
import nephele_nb as nn
from nephele_nb.model.scripted import Call, ScriptedModel, Step

def code(text):
    return Step(calls=[Call("run_python", {"code": text, "description": "Does a step."})])

script = ScriptedModel([
    code("import pandas as pd\\nframe = pd.DataFrame({'n': range(6)})"), "A frame.",
    code("frame['square'] = frame.n ** 2\\nframe.missing"),
    code("from math import sqrt\\nroot = sqrt(frame.square.sum())\\n%time None"), "A root.",
    code("frame['n'] = 0"), "Undone soon.",
    code("total = await anext(iter_) if False else int(frame.n.sum())  # EDIT"), "A sum.",
    code("never = 1"), "No.",
]).start()

def policy(approval):
    return "never" not in approval.code and approval.code.replace("EDIT", "edited")

agent = nn.Agent(base_url=script.base_url, model="scripted", embedder="none", approve=policy)
%load_ext nephele_nb
"""
TALK = """
for question in ("make a frame", "square it", "clear it"):
    agent.ask(question).result(60)
agent.undo()
for question in ("add it up", "and never"):
    agent.ask(question).result(60)
"""
VALUES = "print(frame.to_dict('list'), round(root, 6), total, 'never' in globals())"


def test_restart_and_run_all_comes_to_the_same_values(tmp_path: Path) -> None:
    cells = [BEGIN, TALK, VALUES, "%nephele export code.ipynb", "%nephele export code.ipynb", "%nephele export"]
    done, notebook = execute(tmp_path, *cells)
    assert done.returncode == 0, done.stderr
    assert shown(notebook, 3) == "The approved code is written to `code.ipynb`, a notebook that runs without the agent."
    assert shown(notebook, 4).startswith("code.ipynb is there already, and nothing was written.")
    assert shown(notebook, 5) == "The conversation is written to `nephele-chat.md`."
    assert "> square it" in (tmp_path / "nephele-chat.md").read_text("utf-8")

    made = nbformat.read(tmp_path / "code.ipynb", as_version=4)
    nbformat.validate(made)
    assert "nephele" not in "".join(cell.source for cell in made.cells if cell.cell_type == "code")
    said = "".join(cell.source for cell in made.cells if cell.cell_type == "markdown")
    assert "Left out (taken back)" in said
    assert "Left out (rejected, not run)" in said
    made.cells.append(nbformat.v4.new_code_cell(VALUES))
    nbformat.write(made, tmp_path / "talk.ipynb")
    (tmp_path / "done.ipynb").unlink()
    again, ran = run("execute", tmp_path)
    assert again.returncode == 0, again.stderr
    assert shown(ran, -1) == shown(notebook, 2)
    assert "'square': [0, 1, 4, 9, 16, 25]} 7.416198 15 False" in shown(notebook, 2)
