"""The side panel as a person meets it: opened, read, typed into; it asserts nothing."""

from __future__ import annotations

from collections.abc import Iterable

from playwright.sync_api import Locator

from tests.browser.chat import Chat
from tests.browser.lab import Notebook

OPEN = "(path) => window.jupyterapp.commands.execute('docmanager:open', { path })"
SHOW = "() => window.jupyterapp.commands.execute('nephele-nb:show-panel')"


class SideChat(Chat):
    """The chat in the side panel, of the notebook in front."""

    def __init__(self, notebook: Notebook) -> None:
        self.panel = notebook.page.locator("#nephele-nb-panel")
        self.talk = self.panel.locator(".nph-panel-talk:not(.lm-mod-hidden)")
        self.notice = self.panel.get_by_role("status").and_(notebook.page.locator(".nph-panel-notice:visible"))
        self.load = self.panel.get_by_role("button", name="Load Nephele")
        super().__init__(notebook, self.talk.locator(".nph"))

    def show(self) -> SideChat:
        """Open the panel."""
        self.notebook.page.evaluate(SHOW)
        return self


class FrontNotebook(Notebook):
    """One of several notebooks in one page; it is spoken of while it is in front."""

    def cell(self, index: int) -> Locator:
        """Return a cell of the notebook in front."""
        return self.page.locator(".jp-NotebookPanel:visible .jp-Cell").nth(index)

    def bring(self) -> FrontNotebook:
        """Open the notebook beside the others, or bring it to the front."""
        self.page.evaluate(OPEN, self.name)
        self._ready()
        return self


def beside(notebook: Notebook, name: str, cells: Iterable[str]) -> FrontNotebook:
    """Write another notebook and open it in the same page."""
    return FrontNotebook(notebook.page, notebook.lab, notebook.lab.write(name, cells)).bring()
