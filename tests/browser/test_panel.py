"""The side panel: the same conversation as in the notebook, of the notebook in front, through whatever happens."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat, agent_cell, value_of, waiting_cell
from tests.browser.lab import Notebook
from tests.browser.side import SideChat

pytestmark = pytest.mark.browser

SCENES = """
    Scene([code("x = 42\\nx"), Step(say="The result is **42**.")], when="run"),
    Scene([Step(say="All is well.")], when="again"),
"""


def test_the_panel_and_the_notebook_show_one_conversation(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCENES))
    notebook.run(0)
    inline, side = Chat(notebook), SideChat(notebook).show()
    side.ask("run it")
    expect(inline.approve).to_be_enabled()
    notebook.picture("panel-asks")
    side.approve.click()
    for chat in (inline, side):
        expect(chat.asked).to_have_count(0)
        expect(chat.answer).to_have_text("The result is 42.")
        expect(chat.view.locator(".nph-bubble")).to_have_text("run it")
        expect(chat.outputs()).to_have_text("42")
        expect(chat.unfold()).to_contain_text("You approved it")
    inline.ask("again")
    expect(side.answer).to_have_text("All is well.")
    assert side.rounds.all_inner_texts() == inline.rounds.all_inner_texts()
    assert value_of(notebook, "len(model.requests)") == 3
    notebook.picture("panel-answered")


def test_what_is_approved_in_the_panel_while_a_cell_is_busy(open_notebook: Callable[..., Notebook]) -> None:
    waits = "run = agent.ask('run it'); print(run.result(timeout=60).text)"
    notebook = open_notebook(agent_cell(SCENES, last=""), waits)
    notebook.run(0)
    side = SideChat(notebook).show()
    expect(side.box).to_be_visible()
    notebook.run(1, wait=False)
    expect(side.approve).to_be_enabled()
    expect(notebook.prompt(1)).to_have_text("[*]:")
    side.approve.click()
    expect(notebook.output(1)).to_contain_text("The result is **42**.")
    expect(side.answer).to_have_text("The result is 42.")


def test_one_click_loads_what_is_not_loaded(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook("1 + 1")
    notebook.run(0)
    side = SideChat(notebook).show()
    expect(side.notice).to_contain_text("not loaded")
    notebook.picture("panel-not-loaded")
    side.load.click()
    expect(side.box).to_be_visible()
    expect(side.notice).to_have_count(0)
    expect(side.view).to_contain_text("What would you like to know?")
    side.ask("what is 1 + 1?")
    expect(side.ending).to_be_visible()
    notebook.picture("panel-loaded")
    assert value_of(notebook, "[type(nephele_nb).__name__ for nephele_nb in [get_ipython().extension_manager.loaded]]")
    notebook.run(0)
    expect(notebook.prompt(0)).to_have_text("[3]:")


def test_a_restart_under_an_open_panel(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCENES))
    notebook.run(0)
    side = SideChat(notebook).show()
    side.ask("run it")
    expect(side.approve).to_be_enabled()
    notebook.restart_kernel()
    expect(side.notice).to_contain_text("not loaded")
    expect(side.view).to_contain_text("run it")
    notebook.picture("panel-restarted")
    notebook.run(0)
    expect(side.notice).to_have_count(0)
    expect(side.rounds).to_have_count(1)
    expect(side.cards.last).to_contain_text("It was cancelled and not run")
    side.ask("again")
    expect(side.answer).to_have_text("All is well.")
    expect(Chat(notebook).answer).to_have_text("All is well.")


def test_a_reload_while_a_cell_is_busy(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCENES), waiting_cell("go-on"))
    notebook.run(0)
    side = SideChat(notebook).show()
    side.ask("again")
    expect(side.answer).to_have_text("All is well.")
    notebook.run(1, wait=False)
    expect(notebook.prompt(1)).to_have_text("[*]:")
    notebook.reload()
    side.show()
    expect(side.answer).to_have_text("All is well.")
    side.ask("again")
    expect(side.rounds).to_have_count(2)
    expect(side.answer).to_have_text("All is well.")
    notebook.picture("panel-reloaded-busy")
    (notebook.lab.root / "go-on").touch()
    notebook.wait_idle()
    assert value_of(notebook, "len(model.requests)") == 2
