"""Views of one conversation: a reload, a second view, a restart, and ten thousand pieces lose and double nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat, agent_cell, value_of
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

WORDS = [f"w{n:04}" for n in range(800)]
MANY = [f"{n:08}" for n in range(10_000)]
LONGEST_PAUSE = """() => {
    window.longestPause = 0;
    let last = performance.now();
    setInterval(() => {
        const now = performance.now();
        window.longestPause = Math.max(window.longestPause, now - last);
        last = now;
    }, 10);
}"""


def test_a_reload_midway_shows_everything_once(open_notebook: Callable[..., Notebook]) -> None:
    say = 'Step(say=" ".join(f"w{n:04}" for n in range(800)), chunk_chars=24)'
    notebook = open_notebook(agent_cell(say, model="delay_s=0.04"))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("tell me")
    expect(chat.answer).to_contain_text("w0050")
    notebook.save()
    notebook.reload()
    expect(chat.answer).to_contain_text("w0050")
    notebook.picture("reloaded-midway")
    expect(chat.stop).to_be_visible()
    expect(chat.ending).to_be_visible()
    assert chat.answer.inner_text().split() == WORDS
    expect(chat.rounds).to_have_count(1)
    expect(chat.stop).to_have_count(0)
    assert WORDS[-1] in notebook.save()["cells"][0]["outputs"][0]["data"]["text/markdown"]


def test_what_one_view_decides_is_settled_in_the_other(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell("code('x = 42\\nx'), 'The result is **42**.'"), "agent")
    notebook.run(0)
    notebook.run(1)
    first, second = Chat(notebook, 0), Chat(notebook, 1)
    first.ask("what is it?")
    expect(first.approve).to_be_enabled()
    second.approve.click()
    for chat in (first, second):
        expect(chat.asked).to_have_count(0)
        expect(chat.answer).to_have_text("The result is 42.")
        expect(chat.rounds).to_have_count(1)
        expect(chat.outputs()).to_have_text("42")
        expect(chat.unfold()).to_contain_text("You approved it")
    assert value_of(notebook, "len(model.requests)") == 2
    notebook.picture("two-views")


def test_ten_thousand_pieces_arrive_in_order(open_notebook: Callable[..., Notebook]) -> None:
    say = 'Step(say=" ".join(f"{n:08}" for n in range(10_000)), chunk_chars=9)'
    notebook = open_notebook(agent_cell(say))
    notebook.run(0)
    chat = Chat(notebook)
    notebook.page.evaluate(LONGEST_PAUSE)
    chat.ask("tell me")
    chat.box.fill("typed meanwhile")
    expect(chat.ending).to_be_visible()
    assert chat.answer.inner_text().split() == MANY
    expect(chat.box).to_have_value("typed meanwhile")
    assert notebook.page.evaluate("window.longestPause") < 5_000
    assert value_of(notebook, "[e.seq for e in agent.runs[0].events] == list(range(len(agent.runs[0].events)))") is True
    assert value_of(notebook, "sum(e.kind == 'StreamChunk' for e in agent.runs[0].events)") == len(MANY)


def test_a_restart_leaves_the_conversation_and_voids_what_waited(open_notebook: Callable[..., Notebook]) -> None:
    scenes = (
        """Scene([code("x = 1"), Step(say="It ran.")], when="run"), Scene([Step(say="All is well.")], when="again")"""
    )
    notebook = open_notebook(agent_cell(scenes))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("run it")
    expect(chat.approve).to_be_enabled()
    notebook.restart_kernel()
    transcript = notebook.cell(0).locator(".nph-conversation")
    expect(transcript).to_contain_text("run it")
    notebook.picture("restarted")
    expect(chat.approve).to_have_count(0)
    notebook.run(0)
    expect(chat.rounds).to_have_count(1)
    expect(chat.view.locator(".nph-bubble")).to_have_text("run it")
    expect(chat.cards.last).to_contain_text("It was cancelled and not run")
    expect(chat.approve).to_have_count(0)
    expect(chat.ending).to_contain_text("The kernel ended during this round")
    notebook.picture("restarted-and-run-again")
    chat.ask("again")
    expect(chat.answer).to_have_text("All is well.")
    assert value_of(notebook, "'x' in globals()") is False
    saved = notebook.save()["cells"][0]["outputs"][0]["data"]["text/markdown"]
    assert saved.index("> run it") < saved.index("> again") < saved.index("All is well.")
