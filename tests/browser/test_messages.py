"""What is done with whole rounds in a real JupyterLab: asked again, edited, left out, copied; and who answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chat import Chat, agent_cell, value_of
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

SAID = "[m['content'].splitlines()[-1] for m in model.requests[-1].body['messages'][1:]]"


def begun(open_notebook: Callable[..., Notebook], *answers: str) -> tuple[Notebook, Chat]:
    """Return a notebook with a chat whose model gives these answers."""
    notebook = open_notebook(agent_cell(", ".join(map(repr, answers)), agent='lite_model="none"'))
    notebook.run(0)
    return notebook, Chat(notebook)


def told(chat: Chat, text: str, answer: str) -> None:
    """Ask, and wait for the answer."""
    chat.ask(text)
    expect(chat.answer).to_have_text(answer)
    expect(act(chat, "Edit")).to_be_enabled()


def act(chat: Chat, name: str, at: int = -1) -> Locator:
    """Return a button of one round."""
    return chat.view.locator(".nph-actions").nth(at).get_by_role("button", name=name, exact=True)


def test_a_round_is_asked_again_in_its_own_place(open_notebook: Callable[..., Notebook]) -> None:
    notebook, chat = begun(open_notebook, "I can't tell.", "East had no oolong.", "It rose.")
    told(chat, "why?", "I can't tell.")
    row = chat.view.locator(".nph-actions")
    chat.box.hover()
    expect(row).to_have_css("opacity", "0")
    chat.rounds.last.hover()
    expect(row).to_have_css("opacity", "1")
    notebook.picture("actions")
    act(chat, "Ask again").click()
    expect(chat.answer).to_have_text("East had no oolong.")
    expect(chat.view.locator(".nph-aside")).to_contain_text("Earlier attempt")
    told(chat, "and then?", "It rose.")
    assert value_of(notebook, SAID) == ["why?", "East had no oolong.", "and then?"]


def test_what_followed_an_edited_message_leaves_with_it(open_notebook: Callable[..., Notebook]) -> None:
    notebook, chat = begun(open_notebook, "One.", "Two.", "Three.", "New.")
    for text, answer in (("first", "One."), ("second", "Two."), ("third", "Three.")):
        told(chat, text, answer)
    act(chat, "Edit", 1).focus()
    act(chat, "Edit", 1).press("Enter")
    expect(chat.box).to_be_focused()
    expect(chat.box).to_have_value("second")
    expect(chat.view.locator(".nph-editing")).to_contain_text("nor the 1 after it")
    notebook.picture("editing")
    chat.ask("other words")
    expect(chat.answer).to_have_text("New.")
    expect(chat.view.locator(".nph-aside .nph-aside-words")).to_have_text(["second", "third"])
    expect(chat.box).to_have_value("")
    assert value_of(notebook, SAID) == ["first", "One.", "other words"]
    notebook.picture("edited")


def test_a_round_is_left_out_by_keyboard_and_put_back(open_notebook: Callable[..., Notebook]) -> None:
    notebook, chat = begun(open_notebook, "One.", "Two.", "Three.")
    told(chat, "first", "One.")
    act(chat, "Leave out").focus()
    act(chat, "Leave out").press("Enter")
    folded = chat.view.locator(".nph-aside")
    expect(folded).to_contain_text("Left out")
    expect(folded.locator("summary")).to_be_focused()
    told(chat, "second", "Two.")
    assert value_of(notebook, SAID) == ["second"]
    folded.get_by_role("button", name="Put back").click()
    expect(folded).to_have_count(0)
    told(chat, "third", "Three.")
    assert value_of(notebook, SAID) == ["first", "One.", "second", "Two.", "third"]


def test_a_round_is_copied_as_markdown(open_notebook: Callable[..., Notebook]) -> None:
    notebook, chat = begun(open_notebook, "It **fell**.")
    notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    told(chat, "why?", "It fell.")
    chat.rounds.last.hover()
    act(chat, "Copy").click()
    expect(chat.view.locator(".nph-actions").get_by_role("button", name="Copied")).to_be_visible()
    assert notebook.page.evaluate("navigator.clipboard.readText()") == "It **fell**.\n"


def test_who_answers_is_chosen_in_the_chat(open_notebook: Callable[..., Notebook]) -> None:
    notebook, chat = begun(open_notebook, "One.")
    chat.view.locator(".nph-tiers summary").click()
    tiers = chat.view.locator(".nph-tiers li")
    expect(tiers.filter(has_text="Zephyr")).to_contain_text("platform_url")
    notebook.picture("tiers")
    tiers.filter(has_text="Zephyr").get_by_role("button").press("Enter")
    expect(chat.view.locator(".nph-tiers summary")).to_contain_text("Your own key")
    tiers.filter(has_text="Lite").get_by_role("button").click()
    expect(chat.view.locator(".nph-tiers summary")).to_contain_text("Lite")
    chat.view.get_by_label("Mode").select_option("chat")
    chat.ask("hello there")
    expect(chat.ending).to_contain_text("Lite · on this machine · Chat")
    assert value_of(notebook, "[agent.settings.tier, agent.settings.mode, len(model.requests)]") == ["lite", "chat", 0]


def test_what_was_not_sent_outlasts_the_kernel(open_notebook: Callable[..., Notebook]) -> None:
    notebook, chat = begun(open_notebook, "One.")
    told(chat, "first", "One.")
    chat.box.fill("is anybody there?")
    notebook.lab.end_kernels()
    expect(notebook.cell(0).get_by_text("Not sent, since the kernel of this chat is gone")).to_be_visible()
    expect(notebook.cell(0).locator("pre", has_text="is anybody there?")).to_be_visible()
    notebook.picture("gone")
