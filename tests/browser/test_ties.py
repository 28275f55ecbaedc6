"""What ties the conversation to JupyterLab: commands and keys, questions about a cell, code that becomes cells."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.chat import Chat, agent_cell, value_of
from tests.browser.lab import TOKEN, Lab, Notebook
from tests.browser.side import SideChat, beside

pytestmark = pytest.mark.browser

SOURCES = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(
    (cell) => [cell.model.type, cell.model.sharedModel.getSource(), cell.model.executionCount ?? null]
)"""
ACTIVATE = "(index) => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = index }"
HUBS = ["Notes", "Memory", "Journal"]
FAILS = "def half(n):\n    return n / 0\n\nhalf(4)"
ANSWER = '"Try this:\\n\\n```python\\nhalves = [n / 2 for n in (4, 6)]\\nhalves\\n```\\n"'


def sources(notebook: Notebook) -> list[tuple[str, str]]:
    """Return the kind and the source of each cell of the notebook in front."""
    return [(kind, source) for kind, source, _ in notebook.page.evaluate(SOURCES)]


def choose(notebook: Notebook, cell: int, item: str) -> None:
    """Choose from the context menu of a cell."""
    notebook.cell(cell).locator(".jp-InputArea-editor").click(button="right")
    notebook.page.get_by_role("menuitem", name=item).click()


def selected(field: Locator) -> str:
    """Return what is selected in a field."""
    return str(field.evaluate("(f) => f.value.slice(f.selectionStart, f.selectionEnd)"))


def test_a_toolbar_button_and_a_key_show_the_panel(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell('"Yes."'))
    notebook.run(0)
    side = SideChat(notebook)
    button = notebook.page.locator(".jp-NotebookPanel-toolbar").get_by_role("button", name="Nephele")
    button.click()
    expect(side.box).to_be_visible()
    notebook.picture("ties-toolbar")
    button.click()
    expect(side.panel).to_be_hidden()
    notebook.cell(0).locator(".cm-content").click()
    notebook.page.keyboard.press("ControlOrMeta+Shift+A")
    expect(side.box).to_be_focused()
    side.box.fill("still here?")
    side.box.press("Enter")
    expect(side.answer).to_have_text("Yes.")


def test_the_menu_of_views_holds_what_nephele_can_do(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook("1 / 0")
    page = notebook.page
    page.get_by_role("menuitem", name="View", exact=True).click()
    page.locator("#jp-mainmenu-view .lm-Menu-item").filter(has_text=re.compile("^Nephele$")).hover()
    held = page.locator("[id='jp-mainmenu-view-nephele'] .lm-Menu-itemLabel:visible")
    expect(held.filter(has_text=re.compile(r"\w"))).to_have_text(
        [
            "Nephele Panel",
            "Ask Nephele About This Cell",
            "Insert the Approved Code as Cells",
            "Notes",
            "Memory",
            "Journal",
        ]
    )
    notebook.picture("ties-menu")


def test_a_question_about_a_cell_is_drafted_and_not_sent(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook("total = sum(range(10))\ntotal")
    notebook.run(0)
    side = SideChat(notebook)
    choose(notebook, 0, "Ask Nephele About This Cell")
    expect(side.box).to_have_value(re.compile("What does this cell do"))
    expect(side.box).to_be_focused()
    assert side.box.input_value() == (
        "What does this cell do, and is it right?\n\n```python\ntotal = sum(range(10))\ntotal\n```"
    )
    assert selected(side.box) == "What does this cell do, and is it right?"
    expect(side.rounds).to_have_count(0)
    notebook.picture("ties-ask-cell")


def test_a_question_about_an_error_holds_the_trace(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell('"Divide by two."'), FAILS, "'all is well'")
    notebook.run(0)
    notebook.run(1)
    notebook.run(2)
    side = SideChat(notebook).show()
    side.box.fill("a draft")
    choose(notebook, 1, "Ask Nephele About This Error")
    expect(side.box).to_have_value(re.compile("Why does this cell fail"))
    drafted = side.box.input_value()
    assert drafted.startswith("a draft\n\nWhy does this cell fail")
    assert f"```python\n{FAILS}\n```" in drafted
    assert drafted.endswith("ZeroDivisionError: division by zero\n```")
    assert "\x1b" not in drafted
    notebook.picture("ties-ask-error")
    side.box.press("Enter")
    expect(side.answer).to_have_text("Divide by two.")
    notebook.cell(2).locator(".jp-InputArea-editor").click(button="right")
    expect(notebook.page.get_by_role("menuitem", name="Ask Nephele About This Cell")).to_be_visible()
    expect(notebook.page.get_by_role("menuitem", name="Ask Nephele About This Error")).to_be_hidden()


def test_code_goes_below_the_active_cell_and_is_not_run(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(ANSWER), "'in the middle'", "'last'")
    notebook.run(0)
    side, inline = SideChat(notebook).show(), Chat(notebook)
    side.ask("halve them")
    expect(side.ending).to_be_visible()
    notebook.page.evaluate(ACTIVATE, 1)
    side.view.get_by_role("button", name="Insert below").click()
    code = ("code", "halves = [n / 2 for n in (4, 6)]\nhalves")
    assert sources(notebook)[2:] == [code, ("code", "'last'")]
    expect(notebook.prompt(2)).to_have_text("[ ]:")
    expect(side.view.get_by_role("button", name="Inserted")).to_be_visible()
    notebook.picture("ties-inserted")
    inline.view.get_by_role("button", name="Insert below").click()
    assert sources(notebook)[1] == code
    assert len(sources(notebook)) == 5
    assert value_of(notebook, "'halves' in globals()") is False


def test_code_goes_into_no_other_notebook(open_notebook: Callable[..., Notebook]) -> None:
    first = open_notebook(agent_cell(ANSWER))
    first.run(0)
    side = SideChat(first).show()
    side.ask("halve them")
    expect(side.ending).to_be_visible()
    second = beside(first, "ties-second.ipynb", ["'the second'"])
    first.execute("docmanager:open", path=first.name)
    expect(side.ending).to_be_visible()
    side.view.get_by_role("button", name="Insert below").click()
    second.bring()
    assert sources(second) == [("code", "'the second'")]


def test_approved_code_as_cells_gives_the_same_values_without_the_agent(open_notebook: Callable[..., Notebook]) -> None:
    script = """
        code("import statistics\\nmiddle = statistics.median(counts)"), code("broken = 1 / 0"),
        code("counts.append(100)\\nmean = statistics.mean(counts)\\nmean"), "Done.",
    """
    notebook = open_notebook("counts = [1, 5, 9]", agent_cell(script, agent="approve='always'", last=""))
    notebook.run(0)
    notebook.run(1)
    side = SideChat(notebook).show()
    side.ask("what is in the middle?")
    expect(side.ending).to_be_visible()
    values = "[middle, mean, counts]"
    before = value_of(notebook, values)
    assert before == [5, 28.75, [1, 5, 9, 100]]
    held = len(sources(notebook))
    notebook.execute("nephele-nb:insert-approved")
    added = sources(notebook)[held:]
    code = [source for kind, source in added if kind == "code"]
    assert code == [
        "import statistics\nmiddle = statistics.median(counts)",
        "counts.append(100)\nmean = statistics.mean(counts)\nmean",
    ]
    assert any(kind == "markdown" and "what is in the middle?" in source for kind, source in added)
    notebook.picture("ties-approved")
    for index in reversed(range(1, held)):
        notebook.page.evaluate(ACTIVATE, index)
        notebook.execute("notebook:delete-cell")
    notebook.restart_kernel()
    notebook.execute("notebook:run-all-cells")
    notebook.wait_idle()
    assert value_of(notebook, values) == before
    assert value_of(notebook, "'nephele_nb' in __import__('sys').modules") is False


def test_without_approved_code_nothing_is_put_in(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook("'nothing'")
    notebook.execute("nephele-nb:insert-approved")
    expect(notebook.page.get_by_text("Nephele is not loaded in this notebook's kernel")).to_be_visible()
    assert sources(notebook) == [("code", "'nothing'")]


def test_notebook_7_has_the_button_the_questions_and_the_cells(page: Page, lab: Lab) -> None:
    name = lab.write("ties-seven.ipynb", [agent_cell(ANSWER, last="agent.library.add_note('A', 'b')\nagent")])
    page.goto(f"{lab.url}/notebooks/{name}?token={TOKEN}")
    cell = page.locator(".jp-Notebook .jp-Cell").first
    cell.locator(".cm-content").click()
    expect(page.get_by_text("Python 3 (ipykernel)").first).to_be_visible()
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".nph")).to_be_visible()
    notebook = Notebook(page, lab, name)
    side = SideChat(notebook)
    button = page.locator(".jp-NotebookPanel-toolbar").get_by_role("button", name="Nephele")
    button.click()
    expect(side.box).to_be_visible()
    notebook.picture("ties-seven")
    choose(notebook, 0, "Ask Nephele About This Cell")
    expect(side.box).to_have_value(re.compile("What does this cell do"))
    side.box.press("Enter")
    expect(side.ending).to_be_visible()
    side.view.get_by_role("button", name="Insert below").click()
    expect(page.locator(".jp-Notebook .jp-Cell .cm-content").filter(has_text=re.compile("^halves = "))).to_be_visible()
    side.view.get_by_role("button", name=re.compile("note")).first.click()
    expect(side.view.locator(".nph-page")).to_be_visible()
    expect(side.view.get_by_role("button", name="Open in the main area")).to_have_count(0)
    button.click()
    expect(side.panel).to_be_hidden()
