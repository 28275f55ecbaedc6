"""What the chat shows: thinking, notes, figures and tables; in the dark theme and in a narrow window too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import Chat, agent_cell
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

SCRIPT = """
    Step(think="First I write it down.", say="I keep this as a note first.", calls=[Call("create_note", {
        "title": "Why March fell", "text": "The supplier was **late**:\\n\\n- oolong\\n- puer", "tags": ["sales"]})]),
    code("import matplotlib.pyplot as plt\\nfig, ax = plt.subplots(figsize=(4, 2))\\nax.plot([3, 1, 2])\\nplt.show()"),
    code("import pandas as pd\\npd.DataFrame({'tea': ['oolong', 'puer'], 'sold': [3, 1]})"),
    code("for day in range(40):\\n    print('day', day)\\n1 / 0"),
    "March fell because **oolong** was out of stock.\\n\\n| tea | sold |\\n|---|---|\\n| oolong | 3 |\\n\\n"
    "```python\\nsold = {'oolong': 3}\\n```",
"""
THEME = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"


@pytest.fixture
def dark(page: Page) -> Iterator[Callable[[], None]]:
    """A function that makes JupyterLab dark until the test ends."""
    yield lambda: page.evaluate(THEME, "JupyterLab Dark")
    page.evaluate(THEME, "JupyterLab Light")


def approve_all(chat: Chat, pictures: Callable[[str], object]) -> None:
    """Ask, and approve the four calls of the script; photograph the cards that ask."""
    chat.ask("why did March fall?")
    expect(chat.asked).to_contain_text("Why March fell")
    expect(chat.asked.locator("strong", has_text="late")).to_be_visible()
    pictures("note")
    chat.approve.click()
    for done in range(1, 4):
        expect(chat.cards).to_have_count(done + 1)
        expect(chat.editor).to_be_visible()
        if done == 3:
            pictures("code")
        chat.approve.click()
    expect(chat.answer.locator("strong")).to_have_text("oolong")
    expect(chat.cards.first).to_have_attribute("data-stage", "done")
    expect(chat.ending).to_be_visible()


def test_cards_show_notes_figures_tables_and_errors(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCRIPT))
    notebook.run(0)
    chat = Chat(notebook)
    approve_all(chat, lambda name: notebook.picture(f"light-{name}"))
    thinking = chat.view.locator(".nph-thinking")
    expect(thinking).not_to_have_attribute("open", "")
    expect(thinking).not_to_contain_text("First I write it down.")
    thinking.locator("summary").click()
    expect(thinking).to_contain_text("First I write it down.")
    look_at_figure(chat, notebook)
    sort_table(chat)
    expect(chat.cards.nth(3)).to_contain_text("ZeroDivisionError")
    expect(chat.answer.get_by_role("cell", name="oolong")).to_be_visible()
    expect(notebook.output(0)).to_have_count(1)
    chat.answer.scroll_into_view_if_needed()
    notebook.picture("light-end")


def look_at_figure(chat: Chat, notebook: Notebook) -> None:
    """Open the figure in full size, by keyboard too; closing it leads back to where it was."""
    small = chat.outputs(1).get_by_role("button", name="Figure made by the code")
    assert small.locator("img").evaluate("(image) => image.naturalWidth") > 100
    shown = small.locator("img").bounding_box()
    assert shown is not None
    assert shown["height"] > 100
    large = chat.outputs(1).get_by_role("dialog", name="Figure made by the code")
    small.click()
    expect(large.get_by_role("img")).to_be_visible()
    notebook.picture("figure")
    notebook.page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    expect(small).to_be_focused()
    notebook.page.keyboard.press("Enter")
    large.get_by_role("button", name="Close").click()
    expect(large).to_be_hidden()
    expect(small).to_be_focused()


def sort_table(chat: Chat) -> None:
    """Sort the data frame by a click and by keyboard."""
    table = chat.outputs(2).get_by_role("table")
    teas = table.locator("tbody td:nth-child(2)")
    expect(teas).to_have_text(["oolong", "puer"])
    sold = table.get_by_role("button", name="sold")
    sold.click()
    expect(teas).to_have_text(["puer", "oolong"])
    sold.press("Enter")
    expect(teas).to_have_text(["oolong", "puer"])
    expect(table.get_by_role("columnheader", name="sold")).to_have_attribute("aria-sort", "descending")


def test_dark_and_wide(open_notebook: Callable[..., Notebook], dark: Callable[[], None]) -> None:
    notebook = open_notebook(agent_cell(SCRIPT))
    dark()
    notebook.run(0)
    chat = Chat(notebook)
    approve_all(chat, lambda name: notebook.picture(f"dark-{name}"))
    chat.outputs(2).scroll_into_view_if_needed()
    notebook.picture("dark-end")
    table = chat.outputs(2).get_by_role("table")
    for part in (chat.answer, table):
        assert brightness(part.evaluate("(e) => getComputedStyle(e).color")) > 128


def brightness(color: str) -> float:
    """Return how bright a CSS colour is, 0 to 255."""
    red, green, blue = (float(part) for part in re.findall(r"[\d.]+", color)[:3])
    return (red + green + blue) / 3


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_narrow(open_notebook: Callable[..., Notebook], page: Page, dark: Callable[[], None], theme: str) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    notebook = open_notebook(agent_cell(SCRIPT))
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    if theme == "JupyterLab Dark":
        dark()
    notebook.run(0)
    chat = Chat(notebook)
    stem = f"narrow-{theme.split()[1].lower()}"
    approve_all(chat, lambda name: notebook.picture(f"{stem}-{name}"))
    chat.outputs(2).scroll_into_view_if_needed()
    notebook.picture(f"{stem}-end")
    wide = chat.view.evaluate("(view) => view.scrollWidth - view.clientWidth")
    assert wide <= 1
