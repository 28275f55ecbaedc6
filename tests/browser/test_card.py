"""The card that asks, by the keyboard, for a whole round, before a busy kernel, and once more after nobody answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat, agent_cell, value_of, waiting_cell
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

ONE = "code('x = 1'), 'Done.'"


def test_the_keyboard_alone_decides(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(f"{ONE}, code('y = 2'), 'Well.'"))
    notebook.run(0)
    chat = Chat(notebook)
    keys = notebook.page.keyboard
    chat.ask("set x")
    expect(chat.asked).to_be_focused()
    keys.press("Enter")
    expect(chat.editor).to_be_focused()
    keys.press("ControlOrMeta+End")
    keys.type("0")
    expect(chat.asked).to_contain_text("What you changed +1 −1")
    keys.press("Escape")
    expect(chat.approve).to_be_focused()
    keys.press("ControlOrMeta+Enter")
    expect(chat.answer).to_have_text("Done.")
    expect(chat.box).to_be_focused()
    keys.type("and y")
    keys.press("Enter")
    expect(chat.asked).to_be_focused()
    keys.press("Delete")
    expect(chat.reason).to_be_focused()
    keys.type("not y")
    keys.press("Enter")
    expect(chat.answer).to_have_text("Well.")
    expect(chat.box).to_be_focused()
    assert value_of(notebook, "[x, 'y' in globals()]") == [10, False]
    expect(notebook.page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)


def test_what_is_typed_on_stays_in_the_message(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(ONE, model="delay_s=0.02"))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("set x")
    notebook.page.keyboard.type("d", delay=30)
    expect(chat.asked).to_be_visible()
    notebook.page.keyboard.type("d it is")
    expect(chat.box).to_have_value("dd it is")
    chat.box.fill("")
    chat.box.press("Escape")
    chat.asked.focus()
    notebook.page.keyboard.type("east only")
    expect(chat.box).to_have_value("east only")
    expect(chat.box).to_be_focused()
    assert chat.code() == "x = 1"


def test_a_word_for_the_round_asks_no_more(open_notebook: Callable[..., Notebook]) -> None:
    more = "open('a.txt', 'w').close()"
    notebook = open_notebook(agent_cell(f"code('x = 1'), code('y = 2'), code({more!r}), 'Done.'"))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("set them")
    chat.asked.get_by_role("button", name="Approve for this round").click()
    expect(chat.cards).to_have_count(3)
    expect(chat.cards.nth(1)).to_contain_text("Approved by your word for this round")
    expect(chat.asked).to_have_count(1)
    assert chat.code() == more
    expect(chat.asked).to_contain_text("Writes, moves or deletes files")
    notebook.picture("word-for-the-round")
    chat.reject.click()
    expect(chat.answer).to_have_text("Done.")
    assert value_of(notebook, "[x, y, __import__('os').path.exists('a.txt')]") == [1, 2, False]


def test_what_nobody_answered_is_asked_again_and_can_be_undone(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook("x = 0", agent_cell("code('x = 1'), 'Nobody was there.'", agent="confirm_timeout_s=3"))
    notebook.run(0)
    notebook.run(1)
    chat = Chat(notebook, 1)
    chat.ask("set x")
    expect(chat.answer).to_have_text("Nobody was there.")
    expect(chat.stop).to_have_count(0)
    assert value_of(notebook, "[x, agent.settings.set('confirm_timeout_s', 120)]") == [0, None]
    chat.cards.first.get_by_role("button", name="Run it now").click()
    expect(chat.rounds).to_have_count(2)
    expect(chat.approve).to_be_enabled()
    assert value_of(notebook, "x") == 0
    chat.approve.click()
    expect(chat.answer).to_have_text("Run at your word.")
    assert value_of(notebook, "[x, len(model.requests)]") == [1, 2]
    notebook.picture("run-it-now")
    chat.view.get_by_role("button", name="Undo this round").click()
    expect(chat.view).to_contain_text("Taken back: 1")
    assert value_of(notebook, "x") == 0


def test_a_busy_kernel_is_said_before_and_after_the_click(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell("code('import time\\nfor n in range(40): time.sleep(0.1)'), 'Done.'"))
    notebook.run(0)
    chat = Chat(notebook)
    chat.ask("wait")
    expect(chat.asked).to_contain_text("Runs in test_a_busy_kernel")
    busy = chat.asked.get_by_text("A cell of yours is running")
    expect(busy).to_have_count(0)
    for name in ("card-first", "card-second"):
        cell = notebook.add(waiting_cell(name))
        notebook.run(cell, wait=False)
        expect(busy).to_be_visible()
        if name == "card-second":
            notebook.picture("card-while-busy")
            chat.approve.click()
            expect(chat.view).to_contain_text("one of your own cells is running")
        (notebook.lab.root / name).touch()
        if name == "card-first":
            expect(busy).to_have_count(0)
    expect(chat.view.get_by_text("one of your own cells is running")).to_have_count(0)
    expect(chat.cards.last).to_have_attribute("data-stage", "running")
    expect(chat.answer).to_have_text("Done.")
