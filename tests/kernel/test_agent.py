"""An agent in a real kernel: asked from cells, approved from cells, beside the user's own work."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kernel.conftest import Notebook, open_notebook

pytestmark = pytest.mark.kernel

BEGIN = """
import json, os, tempfile, time
import nephele_nb as nn
from nephele_nb.model.scripted import Call, ScriptedModel, Step
home = tempfile.mkdtemp()
def code(*texts, say=""):
    return Step(say=say, calls=[Call("run_python", {"code": t, "description": "d"}) for t in texts])
def begin(script, **settings):
    global model, agent
    model = ScriptedModel(script, **settings.pop("http", {})).start()
    settings = {"confirm_timeout_s": 30} | settings
    agent = nn.Agent(base_url=model.base_url, model="scripted", embedder="none", home=home, **settings)
def told(run):
    from nephele_nb.events import ToolFinish, ApprovalResolved
    return json.dumps({
        "done": run.done, "text": repr(run.result(30)), "finish": run.result(30).finish,
        "results": [e.result for e in run.events if isinstance(e, ToolFinish)],
        "outcomes": [e.outcome for e in run.events if isinstance(e, ApprovalResolved)],
        "kinds": [e.kind for e in run.events],
    })
"""


@pytest.fixture(scope="module")
def kernel(no_profile_of_the_person: None) -> Iterator[Notebook]:
    """A kernel with what these tests begin from."""
    notebook = open_notebook()
    notebook.ok(BEGIN)
    yield notebook
    notebook.client.stop_channels()
    notebook.manager.shutdown_kernel(now=True)


def ask(notebook: Notebook, script: str, text: str = "go", **settings: Any) -> None:
    """Begin an agent over a script, and a run with it."""
    words = "".join(f", {name}={value!r}" for name, value in settings.items())
    notebook.ok(f"begin({script}{words}); run = agent.ask({text!r})")


def told(notebook: Notebook, name: str = "run") -> dict[str, Any]:
    """Wait for a run's end; what it came to."""
    found: dict[str, Any] = json.loads(notebook.ok(f"print(told({name}))").text)
    assert found["kinds"][0] == "RoundStart"
    assert found["kinds"][-1] == "LoopDone"
    assert found["kinds"].count("LoopDone") == 1
    assert found["kinds"].count("ToolStart") == found["kinds"].count("ToolFinish")
    return found


def test_approved_in_a_later_cell(kernel: Notebook) -> None:
    ask(kernel, "[code('seen = 41 + 1; print(seen)'), 'Fine.']")
    cell = kernel.ok("print(run.wait_pending(20).approve())")
    assert cell.text == "True\n"
    result = told(kernel)
    assert (result["text"], result["finish"], result["outcomes"]) == ("Fine.", "answer", ["approved"])
    assert "42" in result["results"][0]
    assert kernel.ok("print(seen)").text == "42\n"


def test_edited(kernel: Notebook) -> None:
    ask(kernel, "[code('total = 100'), 'Fine.']")
    kernel.ok("a = run.wait_pending(20); print(a.approve('total = 5'), a.approve(), a.reject())")
    result = told(kernel)
    assert result["outcomes"] == ["edited"]
    assert "total = 5" in result["results"][0]
    assert kernel.ok("print(total)").text == "5\n"


def test_two_answered_in_reverse(kernel: Notebook) -> None:
    ask(kernel, "[code('order = [1]', 'order.append(2)'), 'Fine.']")
    kernel.ok("run.wait_pending(20); one, two = run.pending; two.approve(); one.approve()")
    assert told(kernel)["outcomes"] == ["approved", "approved"]
    assert kernel.ok("print(order)").text == "[1, 2]\n"


def test_rejected_and_expired(kernel: Notebook) -> None:
    ask(kernel, "[code('never_a = 1'), code('never_b = 1'), 'I see.']", confirm_timeout_s=2)
    kernel.ok("run.wait_pending(20).reject('no')")
    result = told(kernel)
    assert result["outcomes"] == ["rejected", "expired"]
    assert result["text"].startswith("I see.")
    assert kernel.ok("print([n for n in globals() if n.startswith('never_')])").text == "[]\n"


def test_the_wait_in_one_cell_runs_the_code(kernel: Notebook) -> None:
    kernel.ok("begin([code('inside = 7; inside'), 'Fine.'], approve='always')")
    cell = kernel.ok("print(repr(agent.ask('go').result(30)), inside)")
    assert cell.text == "Fine. 7\n"


def test_a_policy_never_runs_on_the_waiting_thread(kernel: Notebook) -> None:
    kernel.ok("import threading; who = []")
    kernel.ok(
        "begin([code('inside = 8'), 'Fine.'], "
        "approve=lambda a: who.append(threading.current_thread() is threading.main_thread()) or True)"
    )
    kernel.ok("agent.ask('go').result(30)")
    assert kernel.ok("print(who, inside)").text == "[False] 8\n"


def test_iterating_in_a_cell_and_in_an_async_cell(kernel: Notebook) -> None:
    kernel.ok("begin([code('looped = 1'), 'One.', code('looped = 2'), 'Two.'], approve='always')")
    assert "ToolFinish" in kernel.ok("print([e.kind for e in agent.ask('go')])").text
    assert "ToolFinish" in kernel.ok("print([e.kind async for e in agent.ask('go')])").text
    assert kernel.ok("print(looped)").text == "2\n"


def test_result_inside_approved_code_raises_at_once(kernel: Notebook) -> None:
    kernel.ok("begin([code('agent.ask(\"inner\").result()'), 'Fine.'], approve='always')")
    kernel.ok("run = agent.ask('go'); run.result(30); agent.stop()")
    assert "ReentryError" in told(kernel)["results"][0]


def test_stop_leaves_the_users_cell_alone(kernel: Notebook) -> None:
    """Stop while queued behind the user's cell: the cell sleeps on, the code never runs."""
    kernel.ok("begin([code('queued_ran = 1'), 'Never.', 'Next.'], approve='always')")
    kernel.ok("import threading")
    sent = kernel.send(
        "run = agent.ask('go')\n"
        "threading.Timer(1.5, run.stop).start()\n"
        "for _ in range(40): time.sleep(0.1)\n"
        "print('slept')"
    )
    cell = kernel.finish(sent)
    assert (cell.status, cell.text, cell.errors) == ("ok", "slept\n", [])
    assert told(kernel)["finish"] == "stopped"
    assert kernel.ok("print('queued_ran' in globals())").text == "False\n"
    assert kernel.ok("print(agent.ask('more').result(30).finish)").text == "answer\n"


def test_stop_while_code_runs_and_the_user_waits(kernel: Notebook) -> None:
    kernel.ok("begin([code('import time\\nwhile True: time.sleep(0.05)'), 'Never.', 'Next.'], approve='always')")
    kernel.ok("run = agent.ask('go'); threading.Timer(2, run.stop).start()")
    time.sleep(0.5)
    cell = kernel.cell("print('after')")
    assert (cell.status, cell.text) == ("ok", "after\n")
    assert told(kernel)["finish"] == "stopped"


def test_code_behind_a_busy_cell_says_so(kernel: Notebook) -> None:
    kernel.ok("begin([code('late = 1; print(\"from the agent\")'), 'Fine.'], approve='always')")
    cell = kernel.finish(kernel.send("run = agent.ask('go'); time.sleep(3); print('mine')"))
    assert cell.text == "mine\n"
    result = told(kernel)
    assert "Progress" in result["kinds"]
    assert "from the agent" in result["results"][0]


def test_a_user_cell_that_raises_takes_nothing_with_it(kernel: Notebook) -> None:
    kernel.ok("begin([code('survived = 1'), 'Fine.'], approve='always')")
    cell = kernel.finish(kernel.send("run = agent.ask('go'); time.sleep(1.5); 1 / 0"))
    assert cell.errors == ["ZeroDivisionError"]
    assert told(kernel)["text"] == "Fine."
    assert kernel.ok("print(survived)").text == "1\n"


def test_a_cells_interrupt_stops_the_round_it_waits_for(kernel: Notebook) -> None:
    kernel.ok("begin([code('x_int = 1'), 'Never.', 'Next.'])")
    sent = kernel.send("run = agent.ask('go'); run.result()")
    time.sleep(2)
    kernel.manager.interrupt_kernel()
    assert kernel.finish(sent).errors == ["KeyboardInterrupt"]
    assert told(kernel)["finish"] == "stopped"


def test_interrupting_the_agents_code_stops_the_round(kernel: Notebook) -> None:
    kernel.ok("begin([code('import time\\nfor _ in range(200): time.sleep(0.1)'), 'Never.'], approve='always')")
    kernel.ok("run = agent.ask('go')")
    time.sleep(2)
    kernel.manager.interrupt_kernel()
    assert told(kernel)["finish"] == "stopped"


def test_two_agents_in_one_kernel(kernel: Notebook) -> None:
    kernel.ok("begin([code('first_ran = 1'), 'One.'], approve='always'); one = agent.ask('go')")
    kernel.ok("begin([code('second_ran = 1'), 'Two.'], approve='always'); two = agent.ask('go')")
    assert kernel.ok("print(repr(one.result(30)), repr(two.result(30)))").text == "One. Two.\n"
    assert kernel.ok("print(first_ran, second_ran)").text == "1 1\n"


def test_an_agents_end(kernel: Notebook) -> None:
    kernel.ok("begin([code('x = 1'), 'Never.']); run = agent.ask('go'); run.wait_pending(20); agent.close()")
    assert told(kernel)["finish"] == "stopped"
    assert kernel.cell("agent.ask('more')").errors == ["NepheleError"]


def test_the_magic_waits_where_nobody_can_click(kernel: Notebook) -> None:
    kernel.ok("%load_ext nephele_nb")
    kernel.ok("begin([code('from_magic = 3'), 'It is **3**.'], confirm_timeout_s=2)")
    cell = kernel.ok("%nephele what's it, {really}?")
    (shown,) = [c["data"] for kind, c in cell.messages if kind == "display_data"]
    assert "what's it, {really}?" in shown["text/markdown"]
    assert "It is **3**." in shown["text/markdown"]
    assert "approve=" in shown["text/markdown"]
    assert "application/vnd.jupyter.widget-view+json" not in shown
    assert kernel.ok("print('from_magic' in globals())").text == "False\n"


def test_the_magic_returns_at_once_in_a_front_end(kernel: Notebook) -> None:
    kernel.ok("begin([code('clicked = 1'), 'Fine.'])")
    cell = kernel.finish(kernel.send("%nephele go on?", allow_stdin=True))
    (shown,) = [c["data"] for kind, c in cell.messages if kind == "display_data"]
    assert "application/vnd.jupyter.widget-view+json" in shown
    kernel.ok("run = agent.runs[-1]; run.wait_pending(20).approve()")
    assert told(kernel)["text"] == "Fine."


def test_an_unknown_option_is_said(kernel: Notebook) -> None:
    cell = kernel.ok("%nephele --wiat please")
    (shown,) = [c["data"] for kind, c in cell.messages if kind == "display_data"]
    assert "--wait" in shown["text/markdown"]
