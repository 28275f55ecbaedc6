"""Code that awaits, wants a keyboard or an exit, draws, or leaves work behind: contained, and in its own place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.kernel

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "kernel"


def blocks(name: str) -> list[str]:
    """Return the code blocks of a fixture file, without their headings."""
    parts = (FIXTURES / name).read_text(encoding="utf-8").split("# --- block")[1:]
    return [part.partition("\n")[2] for part in parts]


def text(result: dict) -> str:
    return "".join(o["text"] for o in result["outputs"] if o["output_type"] == "stream" and o["name"] == "stdout")


def pictures(result: dict) -> int:
    return sum("image/png" in o.get("data", {}) for o in result["outputs"])


K05_SAYS = ["awaited\n", "RuntimeError: asyncio.run() cannot be called from a running event loop\n"]
K05_SAYS += ["[0, 1, 2]\n", "['a', 'w', 'a']\n"]


def test_k05_async_code_behaves_as_in_a_cell(notebook, route):
    for block, said in zip(blocks("K05_async_snippets.py"), K05_SAYS, strict=True):
        result = notebook.run(route, block)
        assert (result["status"], text(result)) == ("ok", said)


def test_k05_the_users_own_async_cells_go_on_working(notebook, route):
    notebook.run(route, "import asyncio\nawait asyncio.sleep(0.05)")
    assert notebook.ok("import asyncio\nawait asyncio.sleep(0.01)\nprint('fine')").text == "fine\n"
    assert notebook.ok("import asyncio\nasyncio.get_running_loop().is_running()").value == "True"


@pytest.mark.parametrize("number", range(4))
def test_k09_a_wish_for_the_keyboard_is_refused(notebook, route, number):
    result = notebook.run(route, blocks("K09_stdin.py")[number], timeout=20)
    assert result["status"] == "refused"
    assert result["error"] == "this code asked for keyboard input; pass the value instead"
    assert result["elapsed_s"] < 15


OTHER_WAYS = [
    "import os\nos.system('read x')",
    "import sys\nsys.stdin.readline()",
    "import pdb\npdb.set_trace()\ny = 1",
]


@pytest.mark.parametrize("code", OTHER_WAYS)
def test_k09_other_ways_to_a_keyboard_are_refused(notebook, code):
    assert notebook.run("queued", code, timeout=20)["status"] == "refused"
    assert notebook.ok("import sys; sys.gettrace() is None").value == "True"


def test_k09_the_user_can_still_be_asked(notebook, route):
    notebook.run(route, "from getpass import getpass\ninput('not now')")
    sent = notebook.send("print('got', input('name? '), getpass())", allow_stdin=True)
    for answer in ("Ada", "secret"):
        assert notebook.client.get_stdin_msg(timeout=20)["msg_type"] == "input_request"
        notebook.client.input(answer)
    assert notebook.finish(sent).text.endswith("got Ada secret\n")


def test_k09_a_waiting_cell_can_still_ask(notebook):
    sent = notebook.send("_K.bridge.wait(_start('asks', 'input()').done, 30)\nprint('got', input())", allow_stdin=True)
    assert notebook.client.get_stdin_msg(timeout=20)["msg_type"] == "input_request"
    notebook.client.input("Ada")
    assert notebook.finish(sent).text.endswith("got Ada\n")
    assert notebook.result("asks")["status"] == "refused"


K10_NAMES = ["SystemExit", "SystemExit", "SystemExit", "SystemExit", "KeyboardInterrupt", "Boom", "GeneratorExit"]


def test_k10_no_exit_leaves_the_run(notebook, route):
    notebook.ok("x = 1")
    for block, name in zip(blocks("K10_exits.py")[:7], K10_NAMES, strict=True):
        result = notebook.run(route, block)
        assert result["status"] == ("interrupted" if name == "KeyboardInterrupt" else "error")
        assert re.match(rf"{name}\b", result["error"]), result["error"]
    assert notebook.ok("x").value == "1"
    assert notebook.manager.is_alive()


def test_k10_exits_inside_async_code_are_contained_too(notebook, route):
    for block in ("import sys\nsys.exit(3)", "raise KeyboardInterrupt", "quit()"):
        assert notebook.run(route, f"import asyncio\nawait asyncio.sleep(0)\n{block}")["status"] != "ok"
    assert notebook.ok("print('alive')").text == "alive\n"


K08_PICTURES = [1, 2, 1, 1, 1]


def test_k08_each_figure_is_shown_once_and_none_is_left(notebook, route):
    for block, count in zip(blocks("K08_figures.py"), K08_PICTURES, strict=True):
        result = notebook.run(route, block)
        assert pictures(result) == count, block
        assert result["status"] == ("error" if "1 / 0" in block else "ok")
        assert notebook.ok("print(plt.get_fignums())").text == "[]\n"
    assert notebook.ok("print('plain')").pictures == 0


def test_k08_a_waiting_cell_keeps_its_own_figure(notebook):
    cell = notebook.ok(
        "import matplotlib.pyplot as plt\nplt.plot([3, 1, 2])\n"
        "assert _K.bridge.wait(_start('draws', 'plt.plot([1, 2, 3]);').done, 60)\nprint(len(plt.get_fignums()))"
    )
    assert (cell.text, cell.pictures) == ("1\n", 1)
    assert pictures(notebook.result("draws")) == 1


def test_k02_late_output_of_a_run_is_in_no_cell(notebook, route):
    result = notebook.run(route, (FIXTURES / "K02_thread_and_task.py").read_text(encoding="utf-8"))
    assert text(result) == "STARTED\n"
    assert "1 thread(s) started by this code go on" in result["note"]
    assert ("1 task(s) started by this code were cancelled" in result["note"]) == (route == "inline")
    assert ("1 task(s) started by this code go on" in result["note"]) == (route != "inline")
    cell = notebook.ok("import asyncio\nawait asyncio.sleep(2)\nprint('cell B')")
    notebook.listen(0.5)
    assert cell.text == "cell B\n"
    assert [(k, c) for s in notebook.cells for k, c in notebook.published[s] if "FROM-" in c.get("text", "")] == []


def test_k02_a_thread_that_a_late_thread_starts_is_in_no_cell(notebook):
    notebook.run(
        "queued",
        "import threading, time\ndef inner(): time.sleep(0.2); print('FROM-INNER')\n"
        "def outer(): time.sleep(0.5); threading.Thread(target=inner).start()\nthreading.Thread(target=outer).start()",
    )
    assert notebook.ok("import time\ntime.sleep(1.2)\nprint('cell B')").text == "cell B\n"


def test_k02_a_thread_of_the_users_stays_with_their_cells(notebook, route):
    """It prints when a run was the last thing on the main thread, and no cell has come since."""
    notebook.ok(
        "import threading, time\n_go = threading.Event()\ndef late():\n    _go.wait()\n    time.sleep(0.5)\n"
        "    print('FROM-USER')\nthreading.Thread(target=late).start()"
    )
    name = f"before {route}"
    notebook.ask(route, name, "_go.set()")
    notebook.listen(1.5)
    shown = "".join(c.get("text", "") for sent in notebook.cells for _, c in notebook.published[sent])
    assert "FROM-USER" in shown
    assert "FROM-USER" not in text(notebook.result(name))


def test_output_replaced_by_the_code_is_replaced_here(notebook, route):
    result = notebook.run(
        route,
        "from IPython.display import display, clear_output\nprint('gone')\nclear_output(wait=True)\n"
        "h = display('first', display_id=True)\nh.update('second')",
    )
    assert [o["data"]["text/plain"] for o in result["outputs"]] == ["'second'"]


REPR_RAISES = "class R:\n    def __repr__(self): raise ValueError('no repr')\nR()"


def test_an_error_while_a_value_is_shown_fails_the_run_and_not_the_waiting_cell(notebook, route):
    result = notebook.run(route, REPR_RAISES)
    assert (result["status"], result["error"]) == ("error", "ValueError: no repr")
    assert notebook.cell(REPR_RAISES).status == "error"  # the user's own cell fails as ever
    assert notebook.ok("print('mine')").text == "mine\n"
    notebook.run(route, "1 / 0")
    assert notebook.ok("get_ipython()._last_traceback_during_displayhook").value == "False"


@pytest.mark.parametrize("exit_kind", ["KeyboardInterrupt", "SystemExit(3)"])
def test_k10_exits_in_tasks_of_the_code_are_contained(notebook, route, exit_kind):
    """The task is left behind or awaited; the second time its exit comes when nobody waits any more."""
    task = f"import asyncio\nasync def g(s):\n    await asyncio.sleep(s)\n    raise {exit_kind}\n"
    result = notebook.run(route, f"{task}await asyncio.create_task(g(0))")
    assert (result["status"], result["error"].partition(":")[0]) == ("error", "TaskExitError")
    assert (
        notebook.run(
            route,
            f"{task}t = asyncio.create_task(g(0.1)); t.add_done_callback(lambda t: t.cancelled() or t.exception())",
        )["status"]
        == "ok"
    )
    assert notebook.ok("await asyncio.sleep(0.3)\nprint(t.done())").text == "True\n"
    assert notebook.manager.is_alive()


def test_k10_an_exit_in_a_callback_stays_inside_a_waiting_cells_run(notebook):
    code = "import asyncio, sys\nasyncio.get_running_loop().call_soon(sys.exit)\nawait asyncio.sleep(0.1)\nprint('on')"
    assert text(notebook.run("inline", code)) == "on\n"


def test_k02_a_pool_of_the_codes_shows_in_the_cell_that_uses_it(notebook, route):
    result = notebook.run(
        route,
        "import time\nfrom concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\n"
        "pool.submit(print, 'theirs').result()\n"
        "_ = pool.submit(lambda: (time.sleep(0.5), print('FROM-POOL')))",
    )
    assert text(result) == "theirs\n"
    assert notebook.ok("pool.submit(print, 'mine').result(20)\npool.shutdown()").text == "mine\n"
