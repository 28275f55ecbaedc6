"""An agent in a marimo notebook that no page shows: its code works with the names of the cells; words are its chat."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nephele_nb.kernel import attach, reactive

NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import nephele_nb as nn
    from nephele_nb.model.scripted import Call, ScriptedModel, Step

    start = 41
    code = Step(calls=[Call("run_python", {"code": "total = start + 1", "description": "Add."})])
    model = ScriptedModel([code, "Done."]).start()
    agent = nn.Agent(base_url=model.base_url, model="scripted", embedder="none", approve="always")
    answer = agent.ask("add it up").result(60)
    shown = mo.as_html(agent).text
    print(answer.text.split("<")[0], globals()["total"], "add it up" in shown, "anywidget" in shown)
    agent.close()
    return


if __name__ == "__main__":
    app.run()
"""


def test_a_notebook_run_as_a_script(tmp_path: Path) -> None:
    file = tmp_path / "notebook.py"
    file.write_text(NOTEBOOK, "utf-8")
    done = subprocess.run(
        [sys.executable, file], capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path
    )
    assert done.stdout.strip() == "Done. 42 True False", done.stderr


def test_outside_marimo_nothing_is_known() -> None:
    assert not reactive.in_marimo()
    assert not reactive.is_answered()
    assert reactive.names() is None
    assert reactive.edited_file() is None


@pytest.mark.parametrize("space", [None, {"a": 1}])
def test_outside_marimo_code_has_a_dict_of_its_own(space: dict[str, object] | None) -> None:
    kernel = attach(space)
    try:
        assert kernel.executor.namespace.get("a") == (space or {}).get("a")
        assert kernel.deaf == ""
    finally:
        kernel.bridge.close()
