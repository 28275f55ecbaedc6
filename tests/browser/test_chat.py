"""The chat in a real JupyterLab: ask, read the code, change it, approve it, see it run, get the answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.chat import Chat, agent_cell, value_of, waiting_cell
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

ANSWER = "'The result is **42**.'"
TYPED = """import linecache, sys
if 1:
x = 41 + 1
text = '你好  "quoted" \\t  '
print("seen", x)  
ran = "".join(linecache.getlines(sys._getframe().f_code.co_filename))"""  # noqa: W291 - trailing blanks must survive


def test_what_runs_is_what_stood_in_the_editor(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(f"code('x = 1'), {ANSWER}"), "1 + 1")
    notebook.run(0)
    notebook.run(1)
    chat = Chat(notebook)
    chat.ask("what is it?")
    chat.type_code(TYPED)
    stood = chat.code()
    notebook.picture("edit-before-approval")
    expect(chat.approve).to_have_text("Approve my edit")
    chat.approve.click()
    expect(chat.outputs()).to_have_text("seen 42")
    expect(chat.answer.locator("strong")).to_have_text("42")
    card = chat.unfold()
    expect(card.locator(".nph-outcome")).to_contain_text("You edited and approved it")
    card.get_by_text("What you changed").click()
    expect(card.locator(".nph-diff-del")).to_have_text(["-x = 1\n"])
    assert stood.startswith("import linecache, sys\nif 1:\n    x = 41 + 1\n")
    assert value_of(notebook, "ran.removesuffix('\\n')") == stood
    assert value_of(notebook, "text") == '你好  "quoted" \t  '
    told = value_of(notebook, "model.requests[-1].body['messages'][-1]['content']")
    assert "-x = 1" in told
    assert "+    x = 41 + 1" in told
    expect(notebook.output(0)).to_have_count(1)
    expect(notebook.output(1)).to_have_text("2")


def test_an_approval_is_heard_while_a_cell_is_busy(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell(f"code('seen = ended\\nprint(seen)'), {ANSWER}"), waiting_cell("go-busy"))
    notebook.run(0)
    notebook.run(1, wait=False)
    expect(notebook.prompt(1)).to_have_text("[*]:")
    chat = Chat(notebook)
    chat.ask("what is it?")
    chat.approve.click()
    expect(chat.cards.last).to_have_attribute("data-stage", "running")
    expect(chat.view).to_contain_text("one of your own cells is running")
    expect(notebook.prompt(1)).to_have_text("[*]:")
    notebook.picture("approved-while-busy")
    (notebook.lab.root / "go-busy").touch()
    expect(chat.outputs()).to_have_text("True")
    expect(chat.answer).to_have_text("The result is 42.")
    expect(notebook.output(1)).to_have_text("went on")


def test_a_cell_that_waits_for_the_answer_lets_approved_code_run(open_notebook: Callable[..., Notebook]) -> None:
    blocking = "run = agent.ask('what is it?')\nprint(run.result())"
    notebook = open_notebook(agent_cell(f"code('x = 42\\nx'), {ANSWER}"), blocking)
    notebook.run(0)
    notebook.run(1, wait=False)
    chat = Chat(notebook)
    chat.approve.click()
    notebook.wait_idle()
    expect(chat.outputs()).to_have_text("42")
    expect(chat.answer).to_have_text("The result is 42.")
    expect(notebook.output(1)).to_have_text("The result is **42**.")
    assert value_of(notebook, "x") == 42


def test_a_waiting_magic_shows_its_approval_at_once(open_notebook: Callable[..., Notebook]) -> None:
    start = agent_cell(f"code('x = 42\\nx'), {ANSWER}", last="%load_ext nephele_nb")
    notebook = open_notebook(start, "%nephele --wait what is it?\nprint('after', x)")
    notebook.run(0)
    notebook.run(1, wait=False)
    chat = Chat(notebook, 1)
    chat.approve.click()
    expect(chat.answer).to_have_text("The result is 42.")
    notebook.wait_idle()
    expect(chat.outputs()).to_have_text("42")
    expect(notebook.output(1)).to_have_count(2)
    expect(notebook.output(1).last).to_have_text("after 42")


def test_a_question_reaches_the_model_as_typed(open_notebook: Callable[..., Notebook]) -> None:
    question = """why did {sales} fall in "March", it's $x?"""
    start = agent_cell(f"code('1'), {ANSWER}", last="%load_ext nephele_nb")
    notebook = open_notebook(start, f"%nephele {question}", "%nephele")
    notebook.run(0)
    notebook.run(1)
    chat = Chat(notebook, 1)
    expect(chat.view.locator(".nph-bubble")).to_have_text(question)
    chat.approve.click()
    expect(chat.answer).to_have_text("The result is 42.")
    expect(chat.box).to_have_count(0)
    assert value_of(notebook, "model.requests[0].body['messages'][-1]['content']").endswith(f"\n{question}")
    notebook.run(2)
    everything = Chat(notebook, 2)
    expect(everything.answer).to_have_text("The result is 42.")
    expect(everything.box).to_be_visible()
