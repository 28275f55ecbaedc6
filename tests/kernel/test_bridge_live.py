"""Jobs for a kernel's main thread, waits there that take them over, and comms that arrive while it is busy."""

from __future__ import annotations

import time

import pytest

pytestmark = pytest.mark.kernel

JOB = """
import threading
async def _job():
    return threading.current_thread() is threading.main_thread()
_f = _K.bridge.submit(_K.bridge.on_main(_job))
_f.add_done_callback(lambda _: _K.bridge.notify())
"""


def test_on_main_runs_behind_the_cell(notebook):
    assert notebook.ok(JOB + "import time; time.sleep(0.3); print(_f.done())").text == "False\n"
    assert notebook.ok("print(_f.result(10))").text == "True\n"


def test_k01_a_wait_on_main_takes_the_job_over(notebook):
    assert notebook.ok(JOB + "print(_K.bridge.wait(_f.done, 20), _f.result())").text == "True True\n"
    assert notebook.ok(JOB + "print(await _K.bridge.wait_async(_f.done, 20), _f.result())").text == "True True\n"


def test_k01_a_later_cell_adopts_what_is_queued_behind_it(notebook):
    first = notebook.send("import time; time.sleep(0.5)\n_g = _start('adopted', '1')\ntime.sleep(0.5)")
    second = notebook.send("print(_K.bridge.wait(_g.done, 20))")  # sent before the run was asked for
    assert [notebook.finish(sent).text for sent in (first, second)] == ["", "True\n"]


def test_k01_a_wait_has_an_end_and_says_so(notebook):
    assert notebook.ok("print(_K.bridge.wait(lambda: False, 0.2), _K.bridge.main_is_waiting)").text == "False False\n"


def test_main_is_waiting_is_known_elsewhere(notebook):
    cell = notebook.ok(
        "seen = []\nimport threading, time\n"
        "t = threading.Timer(0.2, lambda: (seen.append(_K.bridge.main_is_waiting), _K.bridge.notify()))\nt.start()\n"
        "_K.bridge.wait(lambda: bool(seen), 20)\nprint(seen, _K.bridge.main_is_waiting)"
    )
    assert cell.text == "[True] False\n"


def test_approved_code_cannot_wait_for_the_agent(notebook, route):
    result = notebook.run(route, "_K.bridge.wait(lambda: False, 30)")
    assert result["error"].startswith("ReentryError: Waiting for the agent from inside code that it runs")
    result = notebook.run(route, "await _K.bridge.wait_async(lambda: False, 30)")
    assert result["error"].startswith("ReentryError")


def test_a_cancelled_async_wait_lets_the_run_finish_first(notebook):
    cell = notebook.ok(
        "import asyncio\n_f = _start('whole', 'import asyncio\\nawait asyncio.sleep(0.6)\\nprint(\"whole\")')\n"
        "await asyncio.sleep(0.1)\n"
        "try:\n    await asyncio.wait_for(_K.bridge.wait_async(_f.done, 30), 0.2)\n"
        "except asyncio.TimeoutError: print('timed out')\nprint('after')"
    )
    assert cell.text == "timed out\nafter\n"
    assert "whole" in str(notebook.result("whole")["outputs"])


def test_a_cancelled_job_never_runs(notebook):
    cell = notebook.send(
        "ran = []\nimport time\nasync def _mark(): ran.append(1)\n_f = _K.bridge.submit(_K.bridge.on_main(_mark))\n"
        "time.sleep(0.3)\n_f.cancel()\ntime.sleep(0.2)"
    )
    notebook.finish(cell)
    assert notebook.ok("ran").value == "[]"


def test_an_interrupt_during_a_job_ends_the_wait_and_not_the_kernel(notebook):
    sent = notebook.send(
        "async def _slow():\n    import time\n    end = time.monotonic() + 2\n    while time.monotonic() < end: pass\n"
        "_f = _K.bridge.submit(_K.bridge.on_main(_slow))\n_K.bridge.wait(_f.done, 30)"
    )
    time.sleep(1)
    notebook.manager.interrupt_kernel()
    assert notebook.finish(sent).errors == ["KeyboardInterrupt"]
    assert notebook.ok("print('alive', _f.done())").text == "alive True\n"


def test_one_kernel_is_shared_and_comes_anew_after_close(notebook):
    cell = notebook.ok(
        "from nephele_nb.kernel import attach\nplain = attach({})\n"
        "print(attach() is _K, _K.live, plain.live, plain.bridge is _K.bridge)\nplain.bridge.close()"
    )
    assert cell.text == "True True False False\n"


OPEN = """
from comm import create_comm
from nephele_nb.kernel.comms import keep_on_subshell
_got = []
_comm = create_comm(target_name="test")
_comm.on_msg(lambda m: _got.append(m["content"]["data"]))
print(_comm.comm_id)
"""
BUSY = """
import time
_comm.send({"published": "by this cell"})
_end = time.monotonic() + 20
while not _got and time.monotonic() < _end: time.sleep(0.02)
print(_got)
"""


@pytest.mark.parametrize("kept", [True, False])
def test_comm_messages_on_a_subshell_arrive_while_a_cell_is_busy(notebook, kept):
    """Without the fix ipykernel 7.4 sends the message to the busy shell; other versions need none."""
    code = OPEN + ("keep_on_subshell(_comm)\n" if kept else "")
    comm_id = notebook.ok(code).text.strip()
    fixed = notebook.ok("print(hasattr(_comm, '_reply_subshell_for'))").text == "True\n"
    subshell = notebook.new_subshell()
    busy = notebook.send(BUSY if kept or not fixed else BUSY.replace("+ 20", "+ 3"))
    notebook.listen(1)
    client = notebook.client
    message = client.session.msg("comm_msg", {"comm_id": comm_id, "data": {"click": 1}})
    message["header"]["subshell_id"] = subshell
    client.shell_channel.send(message)
    heard = notebook.finish(busy).text
    assert heard == ("[{'click': 1}]\n" if kept or not fixed else "[]\n")


def test_a_dead_loop_is_replaced_by_the_next_attach(notebook):
    cell = notebook.ok(
        "import threading\nold, lost = _K, threading.excepthook\nthreading.excepthook = lambda _args: None\n"
        "def _break(): old.bridge.loop._selector.close()\n"
        "old.bridge.post(_break)\nold.bridge._thread.join(20)\nthreading.excepthook = lost\n"
        "_K = _attach()\nprint(old.bridge.alive, _K is old, _attach() is _K, _K.bridge.alive)\n"
        "print(_K.bridge.wait(_start('anew', 'print(1 + 1)').done, 30))"
    )
    assert cell.text == "False False True True\nTrue\n"
    assert notebook.result("anew")["status"] == "ok"
    assert notebook.run("queued", "1")["status"] == "ok"
