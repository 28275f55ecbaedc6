"""Pages of the conversation in tabs of JupyterLab's main area, and the language of JupyterLab's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.chat import Chat, agent_cell
from tests.browser.lab import TOKEN, Lab, Notebook
from tests.browser.side import SideChat

pytestmark = pytest.mark.browser

NOTES = """
agent.library.add_note("Brooks", "# Brooks\\n\\nThe Elbe is long. See [[Ponds]].")
agent.library.add_table("flows", [{"river": f"r{n:03}", "flow": n} for n in range(120)])
agent"""


def tab(notebook: Notebook, title: str) -> Locator:
    """Return a tab of the main area."""
    return notebook.page.locator("#jp-main-dock-panel .lm-TabBar-tab").filter(has_text=title)


def test_a_page_opens_in_the_main_area_and_is_alive_there(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell('"Yes."', last=NOTES.strip()))
    notebook.run(0)
    side = SideChat(notebook).show()
    expect(side.box).to_be_visible()
    notebook.execute("nephele-nb:open-page", view="notes")
    tabbed = notebook.page.locator(".nph-page-tab:visible")
    expect(tab(notebook, "Notes")).to_be_visible()
    tabbed.get_by_role("button", name="flows").click()
    expect(tab(notebook, "flows")).to_be_visible()
    expect(tabbed.get_by_role("cell", name="r000")).to_be_visible()
    expect(side.view.locator(".nph-page")).to_have_count(0)
    tabbed.get_by_role("button", name="Later").click()
    expect(tabbed.get_by_role("cell", name="r050")).to_be_visible()
    notebook.picture("ties-tab-table")
    notebook.page.set_viewport_size({"width": 640, "height": 900})
    notebook.picture("ties-tab-narrow")
    notebook.page.set_viewport_size({"width": 1280, "height": 900})
    side.ask("still here?")
    expect(side.answer).to_have_text("Yes.")
    expect(tabbed.get_by_role("cell", name="r050")).to_be_visible()


def test_an_opened_page_moves_from_the_chat_to_a_tab(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell('"Yes."', last=NOTES.strip()))
    notebook.run(0)
    inline = Chat(notebook)
    inline.view.get_by_role("button", name=re.compile("note")).first.click()
    inline.view.locator(".nph-page").get_by_role("button", name="Brooks").first.click()
    inline.view.get_by_role("button", name="Open in the main area").click()
    expect(tab(notebook, "Brooks")).to_be_visible()
    tabbed = notebook.page.locator(".nph-page-tab:visible")
    expect(tabbed).to_contain_text("The Elbe is long.")
    expect(tabbed.get_by_role("button", name="Open in the main area")).to_have_count(0)
    notebook.picture("ties-tab-note")
    tabbed.get_by_role("button", name="Back to the chat").click()
    expect(SideChat(notebook).box).to_be_visible()


def test_a_tab_says_that_its_kernel_or_its_notebook_is_gone(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell('"Yes."', last=NOTES.strip()))
    notebook.run(0)
    notebook.execute("nephele-nb:open-page", view="notes")
    tabbed = notebook.page.locator(".nph-page-tab:visible")
    expect(tabbed).to_contain_text("Brooks")
    path = notebook.name
    notebook.page.evaluate(
        "(name) => [...window.jupyterapp.shell.widgets('main')].find((w) => w.title.label === name)"
        ".sessionContext.session.kernel.restart()",
        path,
    )
    expect(tabbed.get_by_role("status").first).to_contain_text("The kernel was restarted")
    expect(tabbed).to_contain_text("Brooks")
    notebook.picture("ties-tab-restarted")
    notebook.page.evaluate(
        "(name) => [...window.jupyterapp.shell.widgets('main')].find((w) => w.title.label === name).dispose()", path
    )
    expect(tabbed).to_contain_text(f"The notebook {path} is closed")
    notebook.picture("ties-tab-closed")
    tabbed.get_by_role("button", name="Open the notebook").click()
    expect(notebook.cell(0)).to_be_visible()


def test_a_tab_comes_back_with_its_title_after_a_reload(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell('"Yes."', last=NOTES.strip()))
    notebook.run(0)
    notebook.save()
    notebook.execute("nephele-nb:open-page", view="table", target="flows")
    expect(tab(notebook, "flows")).to_be_visible()
    notebook.page.wait_for_timeout(2_000)  # the layout is saved a moment after it changed
    notebook.page.goto(f"{notebook.lab.url}/lab?token={TOKEN}")
    expect(tab(notebook, "flows")).to_be_visible()
    tab(notebook, "flows").click()
    tabbed = notebook.page.locator(".nph-page-tab:visible")
    expect(tabbed.get_by_role("cell", name="r000")).to_be_visible()


@pytest.fixture
def in_chinese(lab: Lab) -> Iterator[None]:
    """JupyterLab in Chinese for one test."""
    settings = lab.folder / "config" / "lab" / "user-settings" / "@jupyterlab" / "translation-extension"
    settings.mkdir(parents=True, exist_ok=True)
    chosen = settings / "plugin.jupyterlab-settings"
    chosen.write_text('{"locale": "zh_CN"}')
    yield
    chosen.unlink()


@pytest.mark.usefixtures("in_chinese")
def test_a_lab_in_chinese_speaks_chinese_throughout(open_notebook: Callable[..., Notebook]) -> None:
    notebook = open_notebook(agent_cell('"Yes."', last=NOTES.strip()))
    notebook.run(0)
    inline, side = Chat(notebook), SideChat(notebook).show()
    for chat in (inline, side):
        expect(chat.view.get_by_role("button", name="发送")).to_be_visible()
    side.ask("is it so?")
    expect(side.answer).to_have_text("Yes.")
    for chat in (inline, side):
        expect(chat.view.get_by_role("button", name="发送")).to_be_visible()
        assert chat.view.get_attribute("lang") == "zh-CN"
    notebook.cell(0).locator(".jp-InputArea-editor").click(button="right")
    expect(notebook.page.get_by_role("menuitem", name="就此单元格询问 Nephele")).to_be_visible()
    notebook.page.get_by_role("menuitem", name="就此单元格询问 Nephele").click()
    expect(side.box).to_have_value(re.compile("^这个单元格做什么"))
    notebook.execute("nephele-nb:open-page", view="memory")
    expect(tab(notebook, "记忆")).to_be_visible()
    notebook.picture("ties-chinese")
