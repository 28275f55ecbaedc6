"""What the approval card says of code before it runs."""

from __future__ import annotations

import pytest

from nephele_nb.kernel.effects import preview

ALWAYS = "Runs in your live kernel, where it can read and change anything you can."


def test_ordinary_code_still_is_not_called_safe():
    assert preview("df = 1\ndf + 1") == [ALWAYS]
    assert preview("await f()") == [ALWAYS]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import os; os._exit(9)", "os._exit"),
        ("from os import _exit as leave\nleave(1)", "os._exit"),
        ("import os as o\no.kill(o.getpid(), 9)", "os.kill"),
        ("def f():\n    import os\n    os.abort()", "os.abort"),
    ],
)
def test_what_ends_the_process_is_named(code, name):
    assert preview(code) == [f"{name} can end the kernel.", ALWAYS]


@pytest.mark.parametrize(
    ("code", "name"), [("import sys\nsys.exit()", "sys.exit"), ("quit()", "quit"), ("exit", "exit")]
)
def test_what_is_refused_is_named_as_such(code, name):
    assert preview(code) == [f"{name} asks the kernel to end; that is refused.", ALWAYS]


def test_shell_lines_are_shown():
    assert preview("x = 1\n!rm -rf build\n%matplotlib inline") == ["Runs a shell command: rm -rf build", ALWAYS]
    assert preview("%%bash\nls") == ["Runs a shell command: %%bash", ALWAYS]


@pytest.mark.parametrize("code", ["def f(:", "\x00", "((((" * 200])
def test_what_cannot_be_read_is_said(code):
    assert preview(code)[0] == "Can't tell what it does: it isn't plain Python."


def test_the_same_thing_is_said_once():
    assert preview("import os\nos.abort()\nos.abort()") == ["os.abort can end the kernel.", ALWAYS]
