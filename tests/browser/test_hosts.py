"""One scripted session in each place where the chat can stand: the same events happen and the same words are seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chat import Chat, agent_cell
from tests.browser.hosts import Host, host, last_conversation, on_screen
from tests.browser.lab import PICTURES, Lab
from tests.browser.marimo_server import MarimoNotebook, MarimoServer

pytestmark = pytest.mark.browser

SESSION = """
    Scene([
        code("total = start + 1", think="It wants a sum."),
        Step(say="The total is **42**, and `start` was $41$."),
    ], when="add it up"),
    Scene([code("start = 0"), Step(say="As you wish, nothing was changed.")], when="set it back"),
    Scene([code("start = -1"), Step(say="This is never said.")], when="do more"),
"""
CELL = f"start = 40\n{agent_cell(SESSION)}"
EDITED = "start = 41\ntotal = start + 1\nprint('the total is', total)\ntotal"
LOOK = """
nn.looked = getattr(nn, "looked", 0) + 1
f"look {nn.looked}: {globals().get('total')} of {sum(not each._closed for each in nn.Agent._here)} agent"
"""
HOSTS = ["lab", "lab-panel", "notebook7", "notebook7-panel", "marimo"]


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What the first host showed: all others are held to it."""
    return {}


def play(chat: Chat, place: str) -> None:
    """Do what a person may do with a chat: approve what was edited, reject, stop."""
    chat.ask("add it up")
    chat.type_code(EDITED)
    picture(chat, f"host-{place}-asks")
    expect(chat.approve).to_have_text("Approve my edit")
    chat.approve.click()
    expect(chat.outputs()).to_contain_text("the total is 42")
    expect(chat.answer).to_contain_text("The total is 42")
    chat.ask("set it back")
    chat.reason.fill("leave it")
    chat.reject.click()
    expect(chat.answer).to_contain_text("As you wish")
    chat.ask("do more")
    expect(chat.approve).to_be_enabled()
    chat.stop.click()
    expect(chat.asked).to_have_count(0)
    expect(chat.rounds.last).to_contain_text("Stopped")


def picture(chat: Chat, name: str) -> None:
    """Photograph the page into the git-ignored folder of pictures."""
    PICTURES.mkdir(exist_ok=True)
    chat.view.page.screenshot(path=PICTURES / f"{name}.png")


@pytest.mark.parametrize("place", HOSTS)
def test_one_session_is_the_same_everywhere(
    page: Page, lab: Lab, tmp_path: Path, seen: dict[str, Any], place: str
) -> None:
    opened: Host
    with host(place, page, lab, tmp_path, CELL) as opened:
        chat = opened.chat
        play(chat, place)
        events, words = last_conversation(opened.home), on_screen(chat)
        opened.reload()
        expect(chat.rounds).to_have_count(3)
        expect(chat.answer).to_contain_text("As you wish")
        assert on_screen(chat) == words
        chat.view.get_by_role("button", name="Undo this round").click()
        expect(chat.view).to_contain_text("Taken back: 1")
        picture(chat, f"host-{place}-reloaded")
    assert [event["kind"] for event in events if event["kind"] == "LoopDone"] == ["LoopDone"] * 3
    assert events == seen.setdefault("events", events)
    assert words == seen.setdefault("words", words)


def in_marimo(page: Page, server: MarimoServer) -> tuple[MarimoNotebook, Chat]:
    """Open the server's notebook; returns it and the chat in it."""
    notebook = MarimoNotebook(page, server).open()
    chat = Chat(notebook, page.locator(".nph"))  # type: ignore[arg-type]
    expect(chat.box).to_be_visible()
    return notebook, chat


def test_cells_of_marimo_see_what_was_approved(page: Page, tmp_path: Path) -> None:
    with MarimoServer(tmp_path, [CELL, LOOK]) as server:
        notebook, chat = in_marimo(page, server)
        expect(notebook.output(1)).to_have_text("'look 1: None of 1 agent'")
        chat.ask("add it up")
        chat.approve.click()
        expect(chat.answer).to_contain_text("The total is 42")
        notebook.run(1)
        expect(notebook.output(1)).to_have_text("'look 2: 41 of 1 agent'")
        notebook.run(0)
        expect(notebook.output(1)).to_have_text("'look 3: 41 of 1 agent'")
        expect(chat.approve).to_have_count(0)
        expect(chat.rounds).to_have_count(1)
        expect(chat.answer).to_contain_text("The total is 42")
        chat.ask("set it back")
        chat.reject.click()
        expect(chat.rounds).to_have_count(2)
        notebook.picture("marimo-run-again")


def test_visitors_of_an_app_are_apart(page: Page, browser: Browser, tmp_path: Path) -> None:
    with MarimoServer(tmp_path, [CELL], "run") as server:
        _, mine = in_marimo(page, server)
        mine.ask("add it up")
        expect(mine.approve).to_be_enabled()
        _, theirs = in_marimo(browser.new_page(locale="en-US"), server)
        expect(theirs.rounds).to_have_count(0)
        theirs.ask("set it back")
        theirs.reject.click()
        expect(theirs.answer).to_contain_text("As you wish")
        mine.approve.click()
        expect(mine.answer).to_contain_text("The total is 42")
        expect(mine.rounds).to_have_count(1)
        expect(theirs.rounds).to_have_count(1)
        theirs.view.page.close()
