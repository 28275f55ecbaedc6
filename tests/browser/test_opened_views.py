"""The views over a real library in JupyterLab: found by a person, searched, filtered, walked, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chat import Chat, agent_cell, value_of
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

LIBRARY = """
library = agent.library
library.add_note("Rivers", "# Rivers\\n\\nThe **Rhine** is long. See [[Mountains]]. #water")
library.add_note("Mountains", "High. <img src=x onerror='document.title=1'> #stone")
library.add_table("heights", [{"peak": f"p{n}", "metres": 4000 + n} for n in range(120)])
agent"""
OWN = "library=__import__('tempfile').mkdtemp()"
CARD = 'agent.memory.write("Likes oolong", "Tea", "user", "In the **morning**.")'
Open = Callable[..., Notebook]


def view_of(open_notebook: Open, script: str = '"Yes."', before: str = "") -> tuple[Chat, Locator]:
    """Return a chat over a small library, and what is open in it."""
    notebook = open_notebook(agent_cell(script, agent=OWN, last=f"{before}\n{LIBRARY}"))
    notebook.run(0)
    chat = Chat(notebook)
    return chat, chat.view.locator(".nph-page")


def choose(chat: Chat, name: str) -> None:
    chat.view.get_by_role("combobox", name="Views").select_option(name)


def test_notes_are_found_read_and_followed_on(open_notebook: Open) -> None:
    chat, opened = view_of(open_notebook)
    choose(chat, "Notes")
    expect(opened.get_by_role("button", name="Rivers")).to_be_visible()
    box = opened.get_by_role("textbox", name="Search notes and tables")
    box.fill("rhine")
    expect(opened.locator(".nph-page-items li")).to_have_count(1)
    expect(box).to_be_focused()
    expect(opened.locator(".nph-kind").first).to_have_text("words")
    chat.notebook.picture("views-search")
    opened.get_by_role("button", name="Rivers").click()
    expect(opened.locator("mark").first).to_be_in_viewport()
    expect(opened.locator(".nph-markdown strong")).to_have_text("Rhine")
    chat.notebook.picture("views-note")
    opened.get_by_text("Leads to (1)").click()
    opened.get_by_role("button", name="Mountains").click()
    expect(opened.get_by_role("heading").first).to_have_text("Mountains")
    expect(opened.locator("img")).to_have_count(0)
    opened.get_by_role("button", name="Back", exact=True).click()
    expect(opened.get_by_role("heading").first).to_have_text("Rivers")
    opened.press("Escape")
    expect(opened).to_have_count(0)


def test_a_folder_is_added_by_its_path(open_notebook: Open, tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"lake{n}.md").write_text(f"# Lake {n}\n\nDeep water {n}.")
    (tmp_path / "odd.xyz").write_text("?")
    chat, opened = view_of(open_notebook)
    choose(chat, "Notes")
    opened.get_by_text("Add files").click()
    path = opened.get_by_role("textbox", name="Path of a file or folder")
    path.fill(str(tmp_path))
    path.press("Enter")
    report = opened.locator(".nph-page-report")
    expect(report).to_contain_text("3 added")
    expect(report).to_contain_text("odd.xyz")
    expect(opened.get_by_role("button", name="Lake 2")).to_be_visible()
    chat.notebook.picture("views-added")


def test_a_table_is_sorted_filtered_and_paged(open_notebook: Open) -> None:
    chat, opened = view_of(open_notebook)
    choose(chat, "Notes")
    opened.get_by_role("button", name="heights").click()
    rows = opened.locator("tbody tr")
    expect(rows).to_have_count(50)
    opened.get_by_role("button", name="metres").click()
    opened.get_by_role("button", name="metres").click()
    expect(rows.first).to_contain_text("4119")
    metres = opened.get_by_role("textbox", name="Filter metres")
    metres.fill("<4003")
    metres.press("Enter")
    expect(rows).to_have_text(["p24002", "p14001", "p04000"])
    expect(opened).to_contain_text("3 that match, 120 in all")
    metres.fill("high")
    metres.press("Enter")
    expect(opened.get_by_role("alert")).to_contain_text("high")
    expect(metres).to_have_value("high")
    chat.notebook.picture("views-table-wrong")
    metres.fill("")
    metres.press("Enter")
    expect(rows).to_have_count(50)
    opened.get_by_role("button", name="Later").click()
    expect(opened).to_contain_text("51–100 of 120")
    chat.notebook.picture("views-table")


def test_links_are_walked_by_keys(open_notebook: Open) -> None:
    chat, opened = view_of(open_notebook)
    choose(chat, "Links")
    opened.get_by_role("button", name="Rivers").click()
    nodes = opened.locator(".nph-graph button")
    expect(nodes.first).to_have_text("Mountains")
    nodes.first.focus()
    nodes.first.press("ArrowDown")
    expect(opened.locator(".nph-graph button:focus")).to_have_text("#water")
    chat.notebook.picture("views-links")
    opened.locator(".nph-graph button:focus").press("ArrowUp")
    opened.locator(".nph-graph button:focus").press("Enter")
    expect(opened.get_by_role("heading").first).to_have_text("Mountains")


def test_a_card_is_forgotten_and_the_journal_brings_it_back(open_notebook: Open) -> None:
    chat, opened = view_of(open_notebook, before=CARD)
    choose(chat, "Memory")
    opened.get_by_role("button", name="Likes oolong").click()
    expect(opened.locator(".nph-markdown strong")).to_have_text("morning")
    opened.get_by_role("button", name="Forget this card").click()
    chat.notebook.picture("views-forget")
    opened.get_by_role("button", name="Forget this card").click()
    expect(opened.get_by_role("heading").first).to_have_text("Memory")
    expect(opened.get_by_role("button", name="Likes oolong")).to_have_count(0)
    choose(chat, "Journal")
    newest = opened.locator(".nph-journal > li").first
    expect(newest).to_contain_text("Forget a memory card: Likes oolong")
    newest.get_by_role("button", name="Undo this round").click()
    newest.get_by_role("button", name="Undo this round").click()
    expect(opened.locator(".nph-journal > li[data-undone]")).to_have_count(1)
    chat.notebook.picture("views-journal")
    assert value_of(chat.notebook, "'Likes oolong' in [c.title for c in agent.memory.list()]")


def test_what_an_answer_opens_stands_over_the_chat(open_notebook: Open) -> None:
    script = 'Step(calls=[Call("open_view", {"view": "table", "target": "heights"})]), "There."'
    chat, opened = view_of(open_notebook, script)
    chat.ask("what are the heights?")
    expect(opened.get_by_role("heading").first).to_have_text("heights")
    expect(opened.locator("tbody tr")).to_have_count(50)
