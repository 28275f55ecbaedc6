"""The browser scaffold itself: a real notebook opens, runs, reloads, and is saved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser


def test_a_cell_runs_and_its_result_is_saved(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook("1 + 1")
    notebook.run(0)
    expect(notebook.output(0)).to_have_text("2")
    (cell,) = notebook.save()["cells"]
    assert cell["outputs"][0]["data"] == {"text/plain": "2"}


def test_a_page_reloads_while_its_kernel_is_busy(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook("import time; time.sleep(5); print('slept')")
    notebook.run(0, wait=False)
    notebook.reload()
    notebook.wait_idle()
    added = notebook.add("6 * 7")
    notebook.run(added)
    expect(notebook.output(added)).to_have_text("42")
    notebook.restart_kernel()
    notebook.run(added)
    expect(notebook.output(added)).to_have_text("42")
