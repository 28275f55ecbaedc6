"""A view that comes late shows what was said before it was there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat, agent_cell, value_of
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser


def test_what_was_asked_before_there_was_a_view(open_notebook: Callable[..., Notebook]) -> None:
    early = "run = agent.ask('what is it?')\nrun.wait_pending(30) is not None"
    notebook = open_notebook(agent_cell("code('x = 42\\nx'), 'The result is **42**.'", last=""), early, "agent")
    notebook.run(0)
    notebook.run(1)
    expect(notebook.output(1)).to_have_text("True")
    notebook.run(2)
    chat = Chat(notebook, 2)
    expect(chat.view.locator(".nph-bubble")).to_have_text("what is it?")
    chat.approve.click()
    expect(chat.answer).to_have_text("The result is 42.")
    assert value_of(notebook, "[e.seq for e in run.events] == list(range(len(run.events)))") is True
