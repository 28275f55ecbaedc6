"""The places where the chat can stand, each opened on the same cell; it asserts nothing but that they open."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import Page, expect

from tests.browser.chat import Chat
from tests.browser.lab import PATIENCE_S, TOKEN, Lab, Notebook
from tests.browser.marimo_server import MarimoNotebook, MarimoServer
from tests.browser.side import SideChat

UNLIKE = {"round_id", "call_id", "approval_id", "task_id"}
"""Fields that name something: they are numbered in the order in which they come."""
MEASURED = {"expires_at", "elapsed_s", "usage", "numbers", "host"}
"""Fields that no two conversations share."""


class Host(Protocol):
    """A page with the chat in it; ``home`` is where its kernel keeps the conversations."""

    chat: Chat
    home: Path

    def reload(self) -> None:
        """Load the page again, as a person would."""


class InLab:
    """JupyterLab, inline or in the panel."""

    def __init__(self, page: Page, lab: Lab, cell: str, side: bool) -> None:
        self.side, self.home = side, lab.folder / "home"
        self.notebook = Notebook(page, lab, lab.write(f"host{'-panel' * side}.ipynb", [cell])).open()
        self.notebook.run(0)
        self.chat = SideChat(self.notebook).show() if side else Chat(self.notebook)

    def reload(self) -> None:
        """Load the page again."""
        self.notebook.save()
        self.notebook.reload()
        if isinstance(self.chat, SideChat):
            self.chat.show()


class InNotebook7:
    """Notebook 7, inline or in the panel; what is done to it is done with keys."""

    def __init__(self, page: Page, lab: Lab, cell: str, side: bool) -> None:
        self.page, self.side, self.home = page, side, lab.folder / "home"
        name = lab.write(f"host7{'-panel' * side}.ipynb", [cell])
        page.goto(f"{lab.url}/notebooks/{name}?token={TOKEN}")
        notebook = Notebook(page, lab, name)
        status = page.locator(".jp-Notebook-ExecutionIndicator")
        # The status says idle before there is a kernel, too: its name comes with it.
        expect(page.get_by_role("button", name="Python 3 (ipykernel)")).to_be_visible(timeout=PATIENCE_S * 1000)
        expect(status).to_have_attribute("data-status", "idle", timeout=PATIENCE_S * 1000)
        notebook.cell(0).locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        expect(notebook.cell(0).locator(".nph")).to_be_visible(timeout=PATIENCE_S * 1000)
        self.chat = SideChat(notebook) if side else Chat(notebook)
        self._show()

    def reload(self) -> None:
        """Load the page again."""
        self.page.keyboard.press("ControlOrMeta+s")
        expect(self.page.get_by_text("Last Checkpoint")).to_be_visible()
        self.page.reload()
        self._show()

    def _show(self) -> None:
        if not self.side:
            return
        cell = self.chat.notebook.cell(0).locator(".cm-content")
        cell.click()
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("ControlOrMeta+Shift+c")
        self.page.keyboard.type("Nephele")
        self.page.get_by_role("menuitem", name="Nephele: the conversation of").click()


class InMarimo:
    """marimo, its notebook being edited."""

    def __init__(self, page: Page, server: MarimoServer) -> None:
        self.notebook = MarimoNotebook(page, server).open()
        self.home = server.folder / "home"
        self.chat = Chat(self.notebook, page.locator(".nph"))  # type: ignore[arg-type]

    def reload(self) -> None:
        """Load the page again."""
        self.notebook.page.reload()


@contextmanager
def host(name: str, page: Page, lab: Lab, folder: Path, cell: str) -> Iterator[Host]:
    """Open the cell in the host of this name, for example ``lab`` or ``notebook7-panel``."""
    if name == "marimo":
        with MarimoServer(folder, [cell]) as server:
            yield InMarimo(page, server)
    else:
        kind, _, side = name.partition("-")
        yield (InLab if kind == "lab" else InNotebook7)(page, lab, cell, bool(side))


def last_conversation(home: Path) -> list[dict[str, Any]]:
    """Return the events of the conversation last written, without what differs from one time to the next."""
    file = max((home / "journal").glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    names: dict[str, str] = {}
    return [_alike(record["event"], names) for record in records if "event" in record]


def _alike(event: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    def alike(field: str, value: Any) -> Any:
        return names.setdefault(f"{value}", f"{field} {len(names)}") if field in UNLIKE else value

    text = json.dumps({field: alike(field, value) for field, value in event.items() if field not in MEASURED})
    for name, number in names.items():
        text = text.replace(name, number)
    found: dict[str, Any] = json.loads(text)
    return found


def on_screen(chat: Chat) -> str:
    """Return all rounds as they can be read, without times, counts and addresses."""
    text = "\n".join(chat.rounds.all_inner_texts())
    text = re.sub(r"127\.0\.0\.1:\d+", "HOST", text)
    return re.sub(r"\d[\d,.]*(?= (?:s|min|tokens)\b)", "N", text)
