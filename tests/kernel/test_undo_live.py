"""Undo in a real kernel: from a cell, with the user's own cells between, and beside IPython's own names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.kernel.conftest import Notebook, open_notebook
from tests.kernel.test_agent import BEGIN

pytestmark = pytest.mark.kernel


@pytest.fixture(scope="module")
def kernel(no_profile_of_the_person: None) -> Iterator[Notebook]:
    notebook = open_notebook()
    notebook.ok(BEGIN)
    notebook.ok("import pandas as pd, numpy as np")
    yield notebook
    notebook.client.stop_channels()
    notebook.manager.shutdown_kernel(now=True)


def do(notebook: Notebook, code: str) -> None:
    """Run approved code in a round of its own."""
    notebook.ok(f"begin([code({code!r}), 'Done.'], approve='always'); answer = agent.ask('go').result(60)")


def test_a_cell_takes_back_what_a_round_did(kernel: Notebook) -> None:
    kernel.ok("lst = [1]; df = pd.DataFrame({'a': [1, 2]}); keep = df")
    do(kernel, "lst.append(2)\ndf['b'] = 3\ndf.loc[0, 'a'] = 9\nmade = 1\n_hidden = 2\nmade")
    assert kernel.ok("print(answer.text.endswith('-->'), lst, list(keep), made)").text == "True [1, 2] ['a', 'b'] 1\n"
    assert kernel.ok("print(agent.undo().not_restored)").text == "()\n"
    shown = kernel.ok("print(lst, keep.to_dict('list'), 'made' in globals(), '_hidden' in globals())").text
    assert shown == "[1] {'a': [1, 2]} False False\n"


def test_what_the_users_own_cell_changed_since_stays(kernel: Notebook) -> None:
    kernel.ok("x = 1; y = [1]")
    do(kernel, "x = 2\ny.append(2)")
    kernel.ok("x = 5")
    kernel.ok("report = agent.undo()")
    assert kernel.ok("print(x, y, [(n.operation, n.reason) for n in report.not_restored])").text == (
        "5 [1] [('run_python: d (x)', 'it was changed since')]\n"
    )


def test_undo_from_another_thread_runs_on_the_main_thread(kernel: Notebook) -> None:
    kernel.ok("z = [1]")
    do(kernel, "z.append(2)")
    kernel.ok("import threading; t = threading.Thread(target=lambda: agent.undo()); t.start()")
    kernel.ok("import time\nfor _ in range(100):\n    time.sleep(0.01)")
    kernel.ok("t.join(20)")
    assert kernel.ok("print(z, t.is_alive())").text == "[1] False\n"


def test_functions_and_closures_of_the_notebook_are_looked_into(kernel: Notebook) -> None:
    kernel.ok("log = []\ndef push(v):\n    log.append(v)")
    kernel.ok("begin([code('push(3)'), 'Fine.']); run = agent.ask('go'); approval = run.wait_pending(20)")
    assert "Changes in place: log" in kernel.ok("print(approval.effects); approval.approve(); run.result(30)").text
    assert kernel.ok("agent.undo(); print(log)").text == "[]\n"


def test_figures_and_magics_still_work_and_leave_no_mark(kernel: Notebook) -> None:
    do(kernel, "%time 1 + 1\nprint('out')")
    assert kernel.ok("print('UNDO' in answer.text)").text == "False\n"
    assert kernel.ok("print(Out is _oh, _)").status == "ok"


def test_interrupted_code_can_be_taken_back(kernel: Notebook) -> None:
    kernel.ok("steps = []")
    kernel.ok(
        "begin([code('import time\\nfor i in range(1000):\\n    steps.append(i)\\n    time.sleep(0.02)'), 'Never.'], "
        "approve='always')"
    )
    kernel.ok("run = agent.ask('go'); time.sleep(1); run.stop(); run.result(30)")
    assert kernel.ok("print(len(steps) > 0)").text in ("True\n", "False\n")
    kernel.ok("left = agent.undo(run.round_id).not_restored if steps else ()")
    assert kernel.ok("print(steps, left)").text == "[] ()\n"


def test_a_cell_waits_for_an_undo_from_elsewhere_that_waits_for_the_main_thread(kernel: Notebook) -> None:
    kernel.ok("import threading, time; u = [1]")
    kernel.ok("begin([code('u.append(2)'), 'Done.', code('u.append(3)'), 'Done.'], approve='always')")
    kernel.ok("for text in ('one', 'two'):\n    agent.ask(text).result(60)")
    kernel.ok(
        "t = threading.Thread(target=lambda: agent.undo()); t.start()\n"
        "time.sleep(0.2)\n"
        "report = agent.undo(); t.join(20)\n"
        "print(u, t.is_alive())"
    )
    assert kernel.ok("print(u, t.is_alive(), report.not_restored)").text == "[1] False ()\n"
