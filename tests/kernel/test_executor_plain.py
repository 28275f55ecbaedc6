"""Approved code as plain Python in a dict, on a worker thread of its own."""

from __future__ import annotations

import asyncio
import builtins
import io
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout

import pytest

from nephele_nb.kernel import attach
from nephele_nb.kernel.swap import swapped


@pytest.fixture
def space():
    return {}


@pytest.fixture
def kernel(space):
    made = attach(space)
    yield made
    made.bridge.close()


@pytest.fixture
def run(kernel):
    def run(code, timeout=20):
        return kernel.bridge.submit(kernel.executor.run(code, timeout=timeout)).result(60)

    return run


def text(result):
    return "".join(o["text"] for o in result.outputs if o["output_type"] == "stream")


def value(result):
    return "".join(o["data"]["text/plain"] for o in result.outputs if o["output_type"] == "execute_result")


def test_prints_last_value_and_names(run, space):
    space["a"] = 40
    result = run("print('out')\nb = a + 2\nb")
    assert (result.status, text(result), value(result), space["b"]) == ("ok", "out\n", "42", 42)
    assert value(run("b;")) == ""
    assert value(run("None")) == ""
    assert run("").status == "ok"


def test_definitions_and_modules_work_as_in_a_script(run):
    result = run("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nprint(P(1), __name__)")
    assert text(result) == "P(x=1) __main__\n"


def test_a_table_comes_with_its_html(run):
    (output,) = run("import pandas\npandas.DataFrame({'price': [1]})").outputs
    assert sorted(output["data"]) == ["text/html", "text/plain"]


def test_an_error_shows_the_line_and_none_of_our_frames(run):
    result = run("def f():\n    return 1 / 0\nf()")
    assert (result.status, result.error) == ("error", "ZeroDivisionError: division by zero")
    trace = "\n".join(result.outputs[-1]["traceback"])
    assert "return 1 / 0" in trace
    assert "plain.py" not in trace


def test_top_level_await(run):
    assert value(run("import asyncio\nx = await asyncio.sleep(0, 5)\nx + 1")) == "6"
    assert text(run("async def g():\n    yield 1\nprint([i async for i in g()])")) == "[1]\n"


@pytest.mark.parametrize("code", ["%matplotlib inline", "x = 1\n!ls", "%%bash\nls"])
def test_ipython_lines_are_refused_in_words(run, code):
    result = run(code)
    assert result.status == "refused"
    assert "work only in a live kernel" in result.note


def test_code_that_does_not_parse_is_an_error(run):
    result = run("def f(:")
    assert (result.status, result.error.partition(":")[0]) == ("error", "SyntaxError")


EXITS = ["import sys; sys.exit(3)", "raise SystemExit('bye')", "quit()", "exit()", "raise GeneratorExit"]


@pytest.mark.parametrize("code", [*EXITS, "class Boom(BaseException): pass\nraise Boom('x')"])
def test_exits_are_contained(run, code):
    assert run(code).status == "error"
    assert value(run("1 + 1")) == "2"
    assert not sys.stdin.closed


@pytest.mark.parametrize(
    "code", ["input('? ')", "from getpass import getpass\ngetpass()", "import pdb; pdb.set_trace()"]
)
def test_a_wish_for_the_keyboard_is_refused(run, code):
    result = run(code)
    assert (result.status, result.error) == (
        "refused",
        "this code asked for keyboard input; pass the value instead",
    )


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import asyncio\nawait asyncio.sleep(60)",
        "import asyncio\nawait asyncio.sleep(0)\nwhile 1: pass",
    ],
)
def test_a_time_out_ends_it(run, code):
    result = run(f"print('begun')\n{code}", timeout=0.3)
    assert (result.status, text(result)) == ("timeout", "begun\n")
    assert "still running" not in result.note
    assert value(run("1 + 1")) == "2"


def test_what_cannot_be_interrupted_is_said(run):
    result = run("import time; time.sleep(4)", timeout=0.2)
    assert result.status == "timeout"
    assert "still running" in result.note
    assert value(run("1 + 1")) == "2"


def test_stop_before_and_during(kernel, space):
    async def both():
        first = kernel.executor.start("began = True\nwhile True: pass", timeout=60)
        states = []
        second = kernel.executor.start("never = True", timeout=60, on_state=states.append)
        await asyncio.sleep(0.5)
        second.interrupt()
        waiting = await second.result()
        first.interrupt()
        return await first.result(), waiting, states

    running, waiting, states = kernel.bridge.submit(both()).result(30)
    assert (running.status, waiting.status) == ("interrupted", "interrupted")
    assert waiting.note == "Stopped before it began; nothing ran."
    assert states == ["queued"]
    assert "began" in space
    assert "never" not in space


def test_cancelling_the_task_stops_the_code(kernel, space):
    task = kernel.bridge.submit(kernel.executor.run("began = True\nwhile True: pass", timeout=60))
    while "began" not in space:
        time.sleep(0.01)
    task.cancel()
    after = kernel.bridge.submit(kernel.executor.run("2", timeout=20)).result(30)
    assert after.status == "ok"


def test_other_threads_keep_their_streams(run):
    heard = io.StringIO()
    stop = threading.Event()

    def talk():
        while not stop.wait(0.01):
            sys.stdout.write("mine\n")

    with redirect_stdout(heard):
        thread = threading.Thread(target=talk)
        thread.start()
        result = run("import time\nfor _ in range(20): time.sleep(0.01)\nprint('theirs')")
        stop.set()
        thread.join()
    assert text(result) == "theirs\n"
    assert set(heard.getvalue().split()) == {"mine"}


def test_outputs_are_heard_as_they_come(kernel):
    heard = []

    async def go():
        execution = kernel.executor.start("print('a')\n5", timeout=20, on_output=heard.append)
        result = await execution.result()
        await asyncio.sleep(0)
        return result, execution.partial

    result, partial = kernel.bridge.submit(go()).result(30)
    assert result.outputs == partial
    assert [o["output_type"] for o in heard][-1] == "execute_result"


def test_waiting_from_the_code_raises_at_once(kernel, space, run):
    space["bridge"] = kernel.bridge
    assert run("bridge.wait(lambda: False)").error.startswith("ReentryError")


def test_describe_sees_the_dict(kernel, space):
    space["n"] = 3
    (variable,) = kernel.bridge.submit(kernel.executor.describe()).result(10)
    assert (variable.name, variable.type, variable.summary) == ("n", "int", "3")


def test_a_hung_pool_holds_up_neither_run_nor_description(kernel):
    """Tools that hang may hold every thread of the loop's default pool."""
    free = threading.Event()

    async def go():
        loop = asyncio.get_running_loop()
        pool = ThreadPoolExecutor(1)
        loop.set_default_executor(pool)
        hung = [loop.run_in_executor(None, free.wait) for _ in range(2)]
        try:
            result = await asyncio.wait_for(kernel.executor.run("n = 3\nn", timeout=20), 30)
            variables = await asyncio.wait_for(kernel.executor.describe(["n"]), 30)
        finally:
            free.set()
            await asyncio.wait(hung)
            pool.shutdown()
        return result, variables

    result, (variable,) = kernel.bridge.submit(go()).result(60)
    assert (result.status, value(result), result.note, variable.summary) == ("ok", "3", "", "3")


def test_runs_that_overlap_keep_apart_and_leave_all_as_it_was(kernel):
    """The second begins within the first and ends after it; the user's own input() works meanwhile."""
    names = [(builtins, "input"), (builtins, "exit"), (builtins, "quit"), (sys, "stdout"), (sys, "stderr")]
    before = [vars(owner).get(name) for owner, name in names]
    other = attach({"go": (go := threading.Event())})
    space = {"go": go, "begun": (begun := threading.Event())}
    first = attach(space)
    try:
        one = first.bridge.submit(first.executor.run("begun.set(); go.wait(20); print('one'); input()", timeout=30))
        assert begun.wait(20)
        two = other.bridge.submit(
            other.executor.run("import time; print('two'); go.wait(20); time.sleep(0.4); print('two')", timeout=30)
        )
        with swapped(builtins, input=lambda: "Ada"):
            assert input() == "Ada"
        go.set()
        results = one.result(60), two.result(60)
    finally:
        first.bridge.close()
        other.bridge.close()
    assert [(r.status, text(r)) for r in results] == [("refused", "one\n"), ("ok", "two\ntwo\n")]
    assert [vars(owner).get(name) for owner, name in names] == before
