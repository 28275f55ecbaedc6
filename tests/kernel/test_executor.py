"""Approved code on the kernel's main thread by all three routes: what comes back, and what is left untouched."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.kernel


def texts(result: dict[str, Any], name: str = "stdout") -> str:
    return "".join(o["text"] for o in result["outputs"] if o["output_type"] == "stream" and o["name"] == name)


def value(result: dict[str, Any]) -> str:
    return "".join(o["data"]["text/plain"] for o in result["outputs"] if o["output_type"] == "execute_result")


def test_prints_and_last_value(notebook, route):
    result = notebook.run(route, "import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7")
    assert (result["status"], result["error"], result["note"]) == ("ok", "", "")
    assert texts(result) == "out\n"
    assert texts(result, "stderr") == "err\n"
    assert value(result) == "42", result


def test_names_are_the_users(notebook, route):
    notebook.ok("basket = [1, 2]")
    assert value(notebook.run(route, "basket.append(3); basket")) == "[1, 2, 3]"
    assert notebook.ok("basket").value == "[1, 2, 3]"


def test_what_runs_is_byte_for_byte_what_was_given(notebook, route):
    code = "text = '''a\tb \u00e9 \u4e2d  \n\n  c'''\n# end  \ntext"
    assert value(notebook.run(route, code)) == repr("a\tb \u00e9 \u4e2d  \n\n  c")


def test_an_error_is_a_result(notebook, route):
    result = notebook.run(route, "print('before')\n1 / 0")
    assert (result["status"], result["error"]) == ("error", "ZeroDivisionError: division by zero")
    assert texts(result) == "before\n"
    assert "1 / 0" not in result["note"]


def test_code_that_does_not_parse_is_an_error(notebook, route):
    result = notebook.run(route, "def f(:")
    assert result["status"] == "error"
    assert result["error"].startswith("SyntaxError")


def test_a_table_comes_with_its_html(notebook, route):
    result = notebook.run(route, "import pandas\npandas.DataFrame({'price': [1, 2]})")
    assert [sorted(o["data"]) for o in result["outputs"]] == [["text/html", "text/plain"]]
    assert "price" in value(result)


def test_child_processes_are_heard(notebook, route):
    code = "import os, subprocess\nos.system('echo from-system')\nsubprocess.run(['echo', 'from-child']);"
    result = notebook.run(route, code)
    assert texts(result).split() == ["from-system", "from-child"]


def test_magics_and_shell_lines_work(notebook, route):
    result = notebook.run(route, "!echo $((40 + 2))\n%pwd")
    assert texts(result) == "42\n"
    assert value(result).strip("'").startswith("/")


def test_a_help_page_is_output(notebook, route):
    result = notebook.run(route, "len?")
    assert "number of items" in value(result) + json.dumps(result["outputs"])


def test_much_output_is_bounded_and_keeps_both_ends(notebook, route):
    result = notebook.run(route, "for i in range(200_000): print(f'line {i:80}')\nprint('the end')")
    assert texts(result).startswith("line  ")
    assert texts(result).endswith("the end\n")
    assert "characters left out" in texts(result)
    assert len(texts(result)) < 9_000_000


def test_many_flushed_pieces_all_arrive_in_order(notebook, route):
    result = notebook.run(route, "for i in range(3000): print(i, flush=True)")
    assert texts(result).split() == [str(i) for i in range(3000)]


def test_the_session_keeps_its_numbers_and_values(notebook, route):
    notebook.ok("'mine'")
    before = json.loads(notebook.ok("import json; print(json.dumps([len(In), sorted(map(str, Out)), str(_)]))").text)
    notebook.run("queued", "'theirs 1'")
    notebook.run(route, "'theirs 2'")
    after = json.loads(notebook.ok("print(json.dumps([len(In), sorted(map(str, Out)), str(_)]))").text)
    assert after[1:] == before[1:]
    held = "print([In[-1], *(v for v in [*Out.values(), _, __, ___] if isinstance(v, str))])"
    assert "theirs" not in notebook.ok(held).text
    first = notebook.ok("0").count
    notebook.run(route, "1")
    polls = notebook.ok("0").count - first
    assert polls == len(notebook.cells) - notebook.cells.index(notebook.cells[-polls])


def test_a_waiting_cell_keeps_its_own_last_value_and_output(notebook):
    cell = notebook.ok(
        "print('mine before')\n_f = _start('inner', \"print('theirs')\\n'their value'\")\n"
        "_K.bridge.wait(_f.done, 30)\nprint('mine after')\n'my value'"
    )
    assert cell.text == "mine before\nmine after\n"
    assert cell.value == "'my value'"
    assert notebook.ok("_").value == "'my value'"
    assert texts(notebook.result("inner")) == "theirs\n"


def test_a_cell_that_captures_its_output_does_not_capture_ours(notebook):
    notebook.ok(
        "%%capture grabbed\nprint('mine')\nassert _K.bridge.wait(_start('caught', \"print('theirs')\\n1\").done, 30)"
    )
    assert notebook.ok("print(grabbed.stdout)").text == "mine\n\n"
    assert texts(notebook.result("caught")) == "theirs\n"


def test_a_run_waits_for_the_cell_that_is_running(notebook):
    cell = notebook.send(
        "_start('late', \"print('ran')\")\nimport time\ntime.sleep(1)\nprint('ran' in str(_told('late')))"
    )
    assert notebook.finish(cell).text == "False\n"
    result = notebook.result("late")
    assert texts(result) == "ran\n"
    assert result["states"] == ["queued", "running"]


def test_a_run_keeps_its_place_among_queued_cells(notebook):
    sent = [
        notebook.send("order = []\nimport time\n_start('placed', \"order.append('agent')\")\ntime.sleep(0.5)"),
        notebook.send("time.sleep(0.5); order.append('cell 1')"),
    ]
    for cell in sent:
        notebook.finish(cell)
    notebook.result("placed")
    assert sorted(json.loads(notebook.ok("import json; print(json.dumps(order))").text)) == ["agent", "cell 1"]


def test_a_run_queued_behind_a_failing_cell_still_runs(notebook):
    failing = notebook.send("import time\n_start('kept', \"print('kept')\")\ntime.sleep(0.5)\n1 / 0")
    assert notebook.finish(failing).status == "error"
    assert texts(notebook.result("kept")) == "kept\n"


def test_an_error_of_a_run_does_not_abort_the_users_queue(notebook):
    first = notebook.send("import time\n_start('failing', '1 / 0')\ntime.sleep(0.5)")
    cells = [notebook.send(f"print('cell {i}')") for i in range(3)]
    notebook.finish(first)
    assert [notebook.finish(cell).text for cell in cells] == ["cell 0\n", "cell 1\n", "cell 2\n"]
    assert notebook.result("failing")["status"] == "error"


def test_two_runs_come_in_the_order_they_were_asked(notebook):
    notebook.ok("seen = []\nfor _i in range(5): _start(f'in order {_i}', f'seen.append({_i})')")
    for i in range(5):
        assert notebook.result(f"in order {i}")["status"] == "ok"
    assert notebook.ok("seen").value == "[0, 1, 2, 3, 4]"


def test_describe_answers_while_the_kernel_is_busy(notebook):
    notebook.ok("df_here = 5")
    cell = notebook.ok(
        "import time\n_d = _K.bridge.submit(_K.executor.describe(['df_here', 'nowhere']))\n"
        "while not _d.done(): time.sleep(0.01)\nprint([(v.name, v.type, v.summary) for v in _d.result()])"
    )
    assert cell.text == "[('df_here', 'int', '5'), ('nowhere', '', 'is not defined')]\n"
