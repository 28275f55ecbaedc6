"""A saved notebook opened again with another kernel: the conversation is readable, holds no secret, and is harmless."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import Chat, agent_cell, value_of
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

HOSTILE = Path(__file__).resolve().parents[1] / "fixtures" / "browser" / "hostile.md"
SECRET = "sk-this-must-never-be-saved"
NOTE = 'Step(calls=[Call("create_note", {"title": "Tea", "text": "Oolong **sold out**."})])'
LIVE_LINKS = "a[href^='javascript' i], a[href^='vbscript' i], a[href^='data' i]"
LIVE_MARKUP = "script, form, style, base, [onerror], [onload], [ontoggle], [onfocus], iframe:not(.nph-frame)"


def reopened(notebook: Notebook) -> Notebook:
    """Save, end the kernel, and open the file in a page of its own."""
    notebook.save()
    notebook.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page = notebook.page.context.new_page()
    return Notebook(page, notebook.lab, notebook.name).open()


def pwned(page: Page) -> object:
    """Return what foreign markup left in the page, if it ran."""
    return page.evaluate("window.__pwned ?? null")


def test_a_saved_conversation_reads_without_its_kernel(open_notebook: Callable[..., Notebook]) -> None:
    script = f"{NOTE}, code('total = 41 + 1\\nprint(total)'), 'The result is **42**.'"
    notebook = open_notebook(agent_cell(script, agent=f"api_key={SECRET!r}".replace("sk-", "s' 'k-")))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("what is it?")
    chat.approve.click()
    expect(chat.editor).to_be_visible()
    chat.approve.click()
    expect(chat.view.get_by_role("button", name="Undo this round")).to_be_visible()
    notebook.picture("before-reopening")

    content = notebook.save()
    (output,) = content["cells"][0]["outputs"]
    text = output["data"]["text/markdown"]
    assert "> what is it?" in text
    assert "total = 41 + 1" in text
    assert "The result is **42**." in text
    everything = json.dumps(content)
    for unwanted in (SECRET, "UNDO", "_esm", "127.0.0.1"):
        assert unwanted not in everything
    assert "widgets" not in content["metadata"]
    assert value_of(notebook, "len(agent.settings.api_key)") == len(SECRET)

    again = reopened(notebook)
    transcript = again.cell(0).locator(".nph-conversation")
    expect(transcript).to_contain_text("The result is 42.")
    expect(transcript).to_contain_text("what is it?")
    expect(transcript).to_contain_text("total = 41 + 1")
    expect(transcript.locator("strong", has_text="42")).to_be_visible()
    again.picture("reopened")
    page_text = again.page.locator("body").inner_text()
    assert "model not found" not in page_text.lower()
    assert "Error displaying widget" not in page_text


def test_hostile_text_stays_text(open_notebook: Callable[..., Notebook]) -> None:
    note = 'Step(think=bad, calls=[Call("create_note", {"title": bad, "text": bad, "tags": [bad]})])'
    code = "code('from IPython.display import HTML\\nprint(bad)\\nHTML(bad)')"
    script = f"{note}, {code}, code('raise ValueError(bad)'), Step(say=bad, chunk_chars=7)"
    notebook = open_notebook("bad = open('hostile.md').read()", agent_cell(script))
    (notebook.lab.root / "hostile.md").write_text(HOSTILE.read_text("utf-8"), "utf-8")
    notebook.run(0)
    notebook.run(1)
    chat = Chat(notebook, 1)
    chat.ask(HOSTILE.read_text("utf-8"))
    expect(chat.asked).to_contain_text("May I write this?")
    notebook.picture("hostile-note")
    chat.approve.click()
    for card in (1, 2):
        expect(chat.cards.nth(card)).to_have_attribute("data-stage", "waiting")
        chat.approve.click()
        expect(chat.cards.nth(card)).not_to_have_attribute("data-stage", "waiting")
    expect(chat.ending).to_be_visible()
    for card in range(3):
        chat.unfold(card)
    chat.view.locator(".nph-thinking summary").click()
    expect(chat.view.locator(".nph-thinking-text")).to_contain_text("<script>")
    expect(chat.answer).to_contain_text("shown as text")
    notebook.picture("hostile-live")
    shown = chat.view.get_by_role("region", name="Conversation")
    expect(shown.locator(LIVE_LINKS)).to_have_count(0)
    expect(shown.locator(LIVE_MARKUP)).to_have_count(0)
    assert pwned(notebook.page) is None

    again = reopened(notebook)
    transcript = again.cell(1).locator(".nph-conversation")
    expect(transcript).to_contain_text("nothing below may run")
    again.picture("hostile-reopened")
    expect(transcript.locator(LIVE_LINKS)).to_have_count(0)
    expect(transcript.locator(LIVE_MARKUP)).to_have_count(0)
    assert pwned(again.page) is None
