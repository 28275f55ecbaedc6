"""Time-outs, stops and the user's own interrupt: they end the run they mean and never a cell of the user's."""

from __future__ import annotations

import time

import pytest

pytestmark = pytest.mark.kernel

ENDLESS = {
    "a loop": "while True: pass",
    "a sleep": "import time\ntime.sleep(60)",
    "an await": "import asyncio\nawait asyncio.sleep(60)",
    "a loop in async code": "import asyncio, time\nawait asyncio.sleep(0)\nwhile True: time.sleep(0.01)",
    "a child process": "import subprocess\nsubprocess.run(['sleep', '60'])",
    "a shell line": "!sleep 60",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_time_out_ends_it(notebook, route, code):
    began = time.monotonic()
    result = notebook.run(route, f"print('begun')\n{code}", timeout=0.5)
    assert result["status"] == "timeout"
    assert result["note"].startswith("The code was stopped because it ran longer than 0.5 s.")
    assert "begun" in str(result["outputs"])
    assert time.monotonic() - began < 30
    assert notebook.ok("print('still here')").text == "still here\n"


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_stop_ends_it_and_keeps_what_came(notebook, code):
    code = f"print('begun', flush=True)\n{code}"
    notebook.ok(
        f"import threading\n_start('stopped', {code!r}, 60)\n"
        "threading.Timer(0.6, lambda: _runs['stopped'].interrupt()).start()"
    )
    result = notebook.result("stopped")
    assert result["status"] == "interrupted"
    assert "begun" in str(result["outputs"])


@pytest.mark.parametrize("way", ["inline", "awaited"])
def test_stop_during_a_run_that_a_wait_pumps(notebook, way):
    wait = {"inline": "_K.bridge.wait(_f.done, 30)", "awaited": "await _K.bridge.wait_async(_f.done, 30)"}[way]
    cell = notebook.ok(
        "import threading\n_f = _start('pumped', \"print('begun', flush=True)\\nwhile True: pass\", 60)\n"
        f"threading.Timer(0.7, lambda: _runs['pumped'].interrupt()).start()\nprint({wait})\nprint('after')"
    )
    assert cell.text == "True\nafter\n"
    result = notebook.result("pumped")
    assert result["status"] == "interrupted"
    assert "begun" in str(result["outputs"])


def test_stop_before_it_begins_runs_nothing(notebook):
    cell = notebook.send(
        "import time\nran = False\n_start('never', 'ran = True')\ntime.sleep(0.6)\n_runs['never'].interrupt()\n"
        "time.sleep(0.4)\nprint(_told('never'))"
    )
    assert '"status": "interrupted"' in notebook.finish(cell).text
    result = notebook.result("never")
    assert result["note"] == "Stopped before it began; nothing ran."
    assert result["states"] == ["queued"]
    assert notebook.ok("ran").value == "False"


def test_cancelling_the_waiting_task_stops_the_code(notebook):
    notebook.ok(
        "import asyncio, time\n_t = _K.bridge.submit(_K.executor.run('stage = 1\\nwhile True: pass', timeout=60))\n"
        "_K.bridge.submit(asyncio.sleep(0)).result()\n_K.bridge.post(_K.bridge.loop.call_later, 0.7, _t.cancel)"
    )
    assert notebook.ok("(stage, _t.cancelled())").value == "(1, True)"


def test_code_that_swallows_interrupts_is_struck_again(notebook, route):
    code = (
        "import time\nhits = 0\nend = time.monotonic() + 30\nwhile time.monotonic() < end and hits < 3:\n"
        "    try:\n        while time.monotonic() < end: pass\n    except KeyboardInterrupt:\n        hits += 1\nhits"
    )
    result = notebook.run(route, code, timeout=0.3)
    assert result["status"] == "timeout"
    assert notebook.ok("hits").value == "3"


def test_what_cannot_be_interrupted_is_said(notebook):
    deaf = (
        "import time\nend = time.monotonic() + 6\nwhile time.monotonic() < end:\n"
        "    try: time.sleep(end - time.monotonic())\n"
        "    except BaseException: pass"
    )
    cell = notebook.send(f"_f = _start('deaf', {deaf!r}, 0.5)\n_K.bridge.wait(_f.done, 20)\nprint(_told('deaf'))")
    assert "still running" in notebook.finish(cell).text
    assert notebook.ok("print('still here')").text == "still here\n"


def test_a_child_task_that_spins_is_ended_without_ending_the_kernel(notebook, route):
    code = (
        "import asyncio, time\nasync def spin():\n    while True: time.sleep(0.01)\n"
        "t = asyncio.create_task(spin())\nawait asyncio.sleep(60)"
    )
    assert notebook.run(route, code, timeout=0.5)["status"] == "timeout"
    assert notebook.ok("t.cancelled()").value == "True"


def test_code_that_takes_sigint_for_itself_is_still_ended(notebook, route):
    code = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    assert notebook.run(route, code, timeout=0.5)["status"] == "timeout"
    assert notebook.ok("import signal; signal.getsignal(signal.SIGINT) is signal.default_int_handler").value == "True"


def test_a_cell_of_the_users_is_never_interrupted(notebook):
    """Runs that end just when they are struck, each with a cell of the user's close behind."""
    for i in range(15):
        notebook.ok(f"_start('close {i}', 'import time\\ntime.sleep({0.09 + i * 0.002})', 0.1);")
        cell = notebook.ok("import time\nfor _ in range(30): time.sleep(0.005)\nprint('untouched')")
        assert cell.text == "untouched\n"
    statuses = {notebook.result(f"close {i}")["status"] for i in range(15)}
    assert statuses <= {"ok", "timeout"}


def test_a_strike_that_comes_too_late_hits_nobody(notebook):
    notebook.ask("queued", "over", "1")
    notebook.result("over")
    cell = notebook.ok(
        "import threading, time\n"
        "def late():\n    for _ in range(50): _runs['over']._strike(); time.sleep(0.005)\n"
        "t = threading.Thread(target=late)\nt.start()\nwhile t.is_alive(): time.sleep(0.001)\nprint('untouched')"
    )
    assert cell.text == "untouched\n"


def test_a_sleeping_cell_lives_through_stops_and_time_outs(notebook):
    cell = notebook.send(
        "import time\n_start('behind 1', '1', 0.2)\n_start('behind 2', '2', 0.2)\ntime.sleep(0.5)\n"
        "_runs['behind 1'].interrupt()\n_runs['behind 2'].interrupt()\n"
        "for _ in range(5): _runs['behind 1'].interrupt()\ntime.sleep(1.5)\nprint('slept')"
    )
    assert notebook.finish(cell).text == "slept\n"
    assert notebook.result("behind 1")["status"] == "interrupted"


def test_an_async_cell_lives_through_a_stop(notebook):
    cell = notebook.ok(
        "import asyncio\n_f = _start('beside', 'while True: pass', 0.4)\n"
        "async def mine():\n    for _ in range(20): await asyncio.sleep(0.05)\n    return 'mine'\n"
        "_a = asyncio.create_task(mine())\nawait _K.bridge.wait_async(_f.done, 30)\nprint(await _a)"
    )
    assert cell.text == "mine\n"
    assert notebook.result("beside")["status"] == "timeout"


def test_the_users_interrupt_during_an_inline_run_ends_both(notebook):
    sent = notebook.send("_f = _start('both', 'while True: pass', 60)\n_K.bridge.wait(_f.done, 60)\nprint('not here')")
    time.sleep(1)
    notebook.manager.interrupt_kernel()
    cell = notebook.finish(sent)
    assert (cell.status, cell.errors, cell.text) == ("error", ["KeyboardInterrupt"], "")
    assert notebook.result("both")["status"] == "interrupted"


def test_the_users_interrupt_of_a_queued_run_ends_it(notebook):
    notebook.ask("queued", "theirs", "print('begun', flush=True)\nwhile True: pass", 60)
    notebook.listen(1)
    notebook.manager.interrupt_kernel()
    assert notebook.result("theirs")["status"] == "interrupted"


def test_the_users_interrupt_of_an_idle_wait_ends_the_wait(notebook):
    sent = notebook.send("_K.bridge.wait(lambda: False, 60)")
    time.sleep(0.5)
    notebook.manager.interrupt_kernel()
    assert notebook.finish(sent).errors == ["KeyboardInterrupt"]
    sent = notebook.send("await _K.bridge.wait_async(lambda: False, 60)")
    time.sleep(0.5)
    notebook.manager.interrupt_kernel()
    assert notebook.finish(sent).status == "error"
    assert notebook.ok("print('still here')").text == "still here\n"
