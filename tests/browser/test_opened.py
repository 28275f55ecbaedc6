"""What an answer leads to: its numbers to the card they came from, its sources to the note, and both tell the truth."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat, agent_cell
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

SCRIPT = """
    code("print(sum(counts))"), "They are **4711** in all, and 815 is from nowhere.", "Yes, still here.",
"""
NOTE = 'agent.library.add_note("Streams", "# Streams\\n\\n" + "Before. " * 900 + "The Danube is a river of rivers.")'


def test_a_number_opens_its_card_and_says_when_its_data_have_changed(open_notebook: Callable[..., Notebook]) -> None:
    made = agent_cell(SCRIPT, agent="approve='always'")
    notebook = open_notebook(f"counts = [4000, 711]\n{made}", "counts[0] = 1")
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("add the counts up")
    number = chat.view.locator(".nph-number")
    expect(number).to_have_text(["4711"])
    expect(number).not_to_have_attribute("data-stale", "")
    card = chat.cards.first.locator("details")
    expect(card).not_to_have_attribute("open", "")
    number.click()
    expect(card).to_have_attribute("open", "")
    notebook.picture("number-opened")
    notebook.run(1)
    chat.ask("is the rest still right?")
    expect(chat.view.locator(".nph-number")).to_have_attribute("data-stale", "")
    notebook.picture("number-stale")


def test_a_source_opens_where_it_was_read_and_leads_back(open_notebook: Callable[..., Notebook]) -> None:
    script = 'Step(calls=[Call("search_notes", {"query": "Danube river"})]), "The Danube is long [1]."'
    notebook = open_notebook(agent_cell(script, last=f"{NOTE}\nagent"))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("what is the Danube?")
    chip = chat.view.locator(".nph-sources button").first
    chip.click()
    opened = chat.view.locator(".nph-page")
    expect(opened.get_by_role("heading").first).to_have_text("Streams")
    expect(opened.locator("mark").first).to_be_in_viewport()
    expect(opened.get_by_role("button", name="Back to the chat")).to_be_in_viewport()
    expect(opened.locator("mark").last).to_contain_text("The Danube is a river")
    notebook.picture("source-opened")
    opened.get_by_role("button", name="Back to the chat").click()
    expect(opened).to_have_count(0)
    expect(chat.answer).to_be_visible()
