"""Stop, reject and expiry in a real JupyterLab: the agent obeys, the model is told, and the next question works."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat, agent_cell, value_of, waiting_cell
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

SCENES = """
    Scene([Step(say="word " * 4000, chunk_chars=20)], when="long"),
    Scene([code("x = 'it ran'"), Step(say="Done with it.")], when="run"),
    Scene([Step(say="All is well.")], when="again"),
"""
LAST_TOLD = "[m['content'] for m in model.requests[-1].body['messages'] if m['role'] == 'tool'][-1]"


def expect_the_next_question_to_work(chat: Chat) -> None:
    """Ask once more and wait for the answer."""
    expect(chat.stop).to_have_count(0)
    chat.ask("again")
    expect(chat.answer).to_have_text("All is well.")
    expect(chat.stop).to_have_count(0)


def test_stop_ends_an_answer_and_closes_its_stream(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCENES, model="delay_s=0.02"))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("a long one")
    expect(chat.answer).to_contain_text("word word")
    chat.stop.click()
    expect(chat.ending).to_contain_text("Stopped")
    notebook.picture("stopped-midway")
    stopped = chat.answer.inner_text()
    expect_the_next_question_to_work(chat)
    assert value_of(notebook, "model.requests[0].client_gone") is True
    assert value_of(notebook, "model.requests[0].pieces_sent < 500") is True
    expect(chat.rounds.first.locator(".nph-markdown")).to_have_text(stopped)


def test_stop_cancels_what_waits_for_approval(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCENES))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("run it")
    expect(chat.approve).to_be_enabled()
    chat.stop.click()
    expect(chat.cards.last).to_contain_text("It was cancelled and not run")
    expect(chat.ending).to_contain_text("Stopped")
    expect(chat.approve).to_have_count(0)
    expect_the_next_question_to_work(chat)
    assert value_of(notebook, "'x' in globals()") is False
    told = value_of(notebook, "[m['role'] for m in model.requests[-1].body['messages']]")
    assert told == ["system", "user", "assistant", "tool", "assistant", "user"]


def test_a_rejection_and_its_reason_reach_the_model(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCENES))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("run it")
    chat.reason.fill("count the rows first")
    chat.reject.click()
    expect(chat.answer).to_have_text("Done with it.")
    expect(chat.cards.last).to_contain_text("You rejected it")
    assert "count the rows first" in value_of(notebook, LAST_TOLD)
    assert value_of(notebook, "'x' in globals()") is False
    expect_the_next_question_to_work(chat)


def test_an_approval_nobody_answers_expires(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCENES, agent="confirm_timeout_s=3"))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("run it")
    expect(chat.asked.get_by_role("timer")).to_contain_text("left")
    expect(chat.cards.last).to_contain_text("Nobody answered in time")
    expect(chat.answer).to_have_text("Done with it.")
    assert "Nobody answered" in value_of(notebook, LAST_TOLD)
    assert value_of(notebook, "'x' in globals()") is False
    expect_the_next_question_to_work(chat)


def test_stop_never_interrupts_the_users_own_cell(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(SCENES), waiting_cell("go-on"))
    notebook.run(0)
    notebook.run(1, wait=False)
    expect(notebook.prompt(1)).to_have_text("[*]:")
    chat = Chat(notebook)
    chat.ask("run it")
    chat.approve.click()
    expect(chat.cards.last).to_have_attribute("data-stage", "running")
    chat.stop.click()
    expect(chat.ending).to_contain_text("Stopped")
    expect(notebook.prompt(1)).to_have_text("[*]:")
    (notebook.lab.root / "go-on").touch()
    expect(notebook.output(1)).to_have_text("went on")
    expect_the_next_question_to_work(chat)
    assert value_of(notebook, "[ended, 'x' in globals()]") == [True, False]
