"""The side panel: the same conversation as in the notebook, of the notebook in front, through whatever happens."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import Chat, agent_cell, value_of, waiting_cell
from tests.browser.lab import TOKEN, Lab, Notebook
from tests.browser.side import FrontNotebook, SideChat, beside

pytestmark = pytest.mark.browser

WORDS = [f"w{n:04}" for n in range(800)]
STREAM = 'Step(say=" ".join(f"w{n:04}" for n in range(800)), chunk_chars=24)'
NO_SUBSHELLS = (
    "() => { window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.commsOverSubshells = 'disabled' }"
)
THEME = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"
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


@pytest.mark.parametrize("subshells", [True, False], ids=["subshell", "control"])
def test_an_approval_while_a_cell_is_busy(open_notebook: Callable[..., Notebook], subshells: bool) -> None:
    waits = "run = agent.ask('run it'); print(run.result(timeout=60).text)"
    notebook = open_notebook(agent_cell(SCENES, last=""), waits)
    if not subshells:
        notebook.page.evaluate(NO_SUBSHELLS)
    notebook.run(0)
    side = SideChat(notebook).show()
    expect(side.box).to_be_visible()
    notebook.run(1, wait=False)
    expect(side.approve).to_be_enabled()
    expect(notebook.prompt(1)).to_have_text("[*]:")
    side.approve.click()
    expect(notebook.output(1).last).to_contain_text("The result is **42**.")
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
    expect(side.notice).to_contain_text("The kernel was restarted")
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
    assert value_of(notebook, "len(__import__('nephele_nb.panel').panel._here[0]._open)") == 1


def test_a_switch_of_notebooks_in_the_middle_of_a_round(open_notebook: Callable[..., Notebook]) -> None:
    first = open_notebook(agent_cell(STREAM, model="delay_s=0.04"))
    first.run(0)
    side = SideChat(first).show()
    side.ask("tell me")
    expect(side.answer).to_contain_text("w0050")
    side.box.fill("a draft")
    second = beside(first, "second.ipynb", [agent_cell("'This is the second.'")])
    expect(side.notice).to_contain_text("not loaded")
    second.picture("panel-second-not-loaded")
    second.run(0)
    side.ask("who is there?")
    expect(side.answer).to_have_text("This is the second.")
    expect(side.rounds).to_have_count(1)
    heard = value_of(second, "[r.body['messages'][-1]['content'] for r in model.requests]")
    assert [text.endswith("who is there?") for text in heard] == [True]
    first = FrontNotebook(first.page, first.lab, first.name).bring()
    expect(side.ending).to_be_visible()
    assert side.answer.inner_text().split() == WORDS
    expect(side.rounds).to_have_count(1)
    expect(side.box).to_have_value("a draft")
    assert value_of(first, "[len(model.requests), len(agent.runs)]") == [1, 1]
    first.picture("panel-back-at-the-first")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_looks(open_notebook: Callable[..., Notebook], page: Page, theme: str) -> None:
    notebook = open_notebook(agent_cell(SCENES))
    page.evaluate(THEME, f"JupyterLab {theme}")
    try:
        notebook.run(0)
        side = SideChat(notebook).show()
        side.ask("run it")
        expect(side.approve).to_be_enabled()
        notebook.picture(f"panel-{theme.lower()}")
        wide = side.view.evaluate("(view) => view.scrollWidth - view.clientWidth")
        assert wide <= 1
        notebook.restart_kernel()
        expect(side.load).to_be_visible()
        notebook.picture(f"panel-{theme.lower()}-restarted")
    finally:
        page.evaluate(THEME, "JupyterLab Light")


def test_notebook_7_has_the_panel_too(page: Page, lab: Lab) -> None:
    name = lab.write("seven.ipynb", [agent_cell(SCENES)])
    page.goto(f"{lab.url}/notebooks/{name}?token={TOKEN}")
    cell = page.locator(".jp-Notebook .jp-Cell").first
    cell.locator(".cm-content").click()
    expect(page.get_by_text("Python 3 (ipykernel)").first).to_be_visible()
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".nph")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("ControlOrMeta+Shift+c")
    page.keyboard.type("Nephele")
    page.get_by_role("menuitem", name="Nephele: the conversation of").click()
    side = SideChat(Notebook(page, lab, name))
    side.ask("run it")
    side.approve.click()
    inline = Chat(side.notebook)
    for chat in (side, inline):
        expect(chat.answer).to_have_text("The result is 42.")
    side.notebook.picture("panel-notebook-7")
