"""The side panel as a person meets it: opened, read, typed into; it asserts nothing."""

from __future__ import annotations

from tests.browser.chat import Chat
from tests.browser.lab import Notebook

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
