"""Keys typed into the chat mean what they mean in a text field: no notebook shortcut, no half-composed message."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import Chat, agent_cell, value_of
from tests.browser.hosts import InNotebook7
from tests.browser.lab import Lab, Notebook

pytestmark = pytest.mark.browser

PASTE = """(field, png) => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(png), (character) => character.charCodeAt(0));
    data.items.add(new File([bytes], "dot.png", { type: "image/png" }));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
}"""
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}


def test_typing_never_triggers_a_notebook_shortcut(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell("code('x = 1'), 'Done.'"), "'second cell'")
    notebook.run(0)
    chat = Chat(notebook)
    keys = notebook.page.keyboard
    chat.box.click()
    for key in ["d", "d", "x", "a", "b", "m", "y", "0", "0", "Shift+Enter", "z"]:
        keys.press(key)
    expect(chat.box).to_have_value("ddxabmy00\nz")
    chat.box.fill("")
    chat.ask("what is it?")
    chat.editor.click()
    chat.editor.press("ControlOrMeta+a")
    for key in ["d", "d", "x", "Shift+Enter", "b"]:
        keys.press(key)
    assert chat.code() == "ddx\nb"
    chat.view.get_by_role("region", name="Conversation").focus()
    for key in ["d", "d", "x", "b"]:
        keys.press(key)
    keys_in_reason = "ddxb"
    chat.reason.click()
    for key in keys_in_reason:
        keys.press(key)
    expect(chat.reason).to_have_value(keys_in_reason)
    # The host has shortcuts for whatever has the focus, if it takes no text.
    chat.view.get_by_role("button", name="Reject").focus()
    for key in ["x", "d", "d", "b", "a"]:
        keys.press(key)
    expect(notebook.page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)
    expect(notebook.prompt(1)).to_have_text("[ ]:")
    expect(notebook.page.locator(".jp-Dialog")).to_have_count(0)


def test_notebook_7_hears_no_key_of_the_chat_either(page: Page, lab: Lab) -> None:
    chat = InNotebook7(page, lab, agent_cell("code('x = 1'), 'Done.'"), side=False).chat
    chat.box.click()
    for key in ["d", "d", "x", "a", "b", "m", "y", "0", "0", "Shift+Enter", "z"]:
        page.keyboard.press(key)
    expect(chat.box).to_have_value("ddxabmy00\nz")
    chat.box.press("Escape")
    for key in ["d", "d", "x", "b"]:
        page.keyboard.press(key)
    chat.ask("what is it?")
    expect(chat.editor).to_be_visible()
    expect(chat.asked).to_be_focused()
    for key in ["Enter", "ControlOrMeta+a", "d", "d", "x", "Shift+Enter", "b"]:
        page.keyboard.press(key)
    assert chat.code() == "ddx\nb"
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    expect(page.locator(".jp-Dialog")).to_have_count(0)
    with page.expect_response(lambda response: response.request.method == "PUT" and chat.notebook.name in response.url):
        page.keyboard.press("ControlOrMeta+s")
    # The one that was run, and the empty one that comes after it; the page itself holds only what is in sight.
    assert [bool(cell["source"]) for cell in lab.saved(chat.notebook.name)["cells"]] == [True, False]


def test_enter_while_composing_sends_nothing(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell("'All is well.'"))
    notebook.run(0)
    chat = Chat(notebook)
    chat.box.click()
    compose(notebook.page, "ni hao", "你好")
    expect(chat.box).to_have_value("你好")
    expect(chat.rounds).to_have_count(0)
    chat.box.press("Enter")
    expect(chat.answer).to_have_text("All is well.")
    expect(chat.rounds).to_have_count(1)
    expect(chat.box).to_have_value("")
    assert value_of(notebook, "[run.text for run in agent.runs]") == ["你好"]


def compose(page: Page, typed: str, chosen: str) -> None:
    """Compose a word as an input method does: letters, a candidate taken with Enter, the word."""
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": typed, "selectionStart": len(typed), "selectionEnd": len(typed)})
    session.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **ENTER})
    session.send("Input.insertText", {"text": chosen})
    session.send("Input.dispatchKeyEvent", {"type": "keyUp", **ENTER})
    session.detach()


@pytest.mark.parametrize("where", ["message", "code"])
def test_the_notebook_is_saved_from_inside(open_notebook: Callable[..., Notebook], where: str) -> None:
    notebook = open_notebook(agent_cell("code('x = 1'), 'Done.'"))
    notebook.run(0)
    chat = Chat(notebook)
    if where == "code":
        chat.ask("what is it?")
        chat.editor.click()
    else:
        chat.box.click()
    notebook.page.keyboard.press("ControlOrMeta+s")
    notebook.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    assert notebook.lab.saved(notebook.name)["cells"][0]["execution_count"] == 1
    notebook.page.keyboard.press("d")
    notebook.page.keyboard.press("d")
    expect(notebook.page.locator(".jp-Notebook .jp-Cell")).to_have_count(1)


def test_names_and_pictures_go_into_a_message(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook("sales_of_march = [1, 2]", agent_cell("'A dot.'"))
    notebook.run(0)
    notebook.run(1)
    chat = Chat(notebook, 1)
    chat.box.click()
    notebook.page.keyboard.type("look at @mar")
    expect(chat.view.get_by_role("option", name=re.compile("sales_of_march"))).to_be_visible()
    notebook.picture("names")
    notebook.page.keyboard.press("Enter")
    expect(chat.box).to_have_value("look at sales_of_march ")
    chat.box.evaluate(PASTE, DOT)
    expect(chat.view.get_by_role("img", name="dot.png")).to_be_visible()
    notebook.picture("attached")
    notebook.page.keyboard.press("Enter")
    expect(chat.answer).to_have_text("A dot.")
    expect(chat.rounds).to_have_count(1)
    expect(chat.view.get_by_role("img", name="dot.png")).to_have_count(0)
    assert value_of(notebook, "'image_url' in str(model.requests[0].body)") is True
    chat.box.click()
    notebook.page.keyboard.press("ArrowUp")
    expect(chat.box).to_have_value(re.compile("^look at sales_of_march"))
