"""A real marimo on loopback with one notebook, edited or run as an app; it knows nothing of nephele_nb."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from textwrap import indent

from playwright.sync_api import Locator, Page, expect

from tests.browser.lab import PATIENCE_S, PICTURES, Lab

RUNS_AT_ONCE = "[tool.marimo.runtime]\nauto_instantiate = true\n"


class MarimoServer(Lab):
    """One marimo server with folders of its own; ``mode`` is ``edit`` or ``run``."""

    _sign = "health"

    def __init__(self, folder: Path, cells: Iterable[str], mode: str = "edit") -> None:
        super().__init__(folder, {"XDG_CONFIG_HOME": str(folder / "config")})
        self.mode = mode
        self.name = self.write("notebook.py", cells)

    def write(self, name: str, cells: Iterable[str]) -> str:
        """Write a notebook of these cells, which run as soon as it is opened; returns its name."""
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "pyproject.toml").write_text(RUNS_AT_ONCE)
        made = "".join(f"\n@app.cell\ndef _():\n{indent(cell, '    ')}\n    return\n" for cell in cells)
        (self.root / name).write_text(f"import marimo\n\napp = marimo.App()\n{made}", "utf-8")
        return name

    def _command(self) -> list[str]:
        port = self.url.rpartition(":")[2]
        where = ["--host", "127.0.0.1", "--port", port, "--headless", "--no-token"]
        return [sys.executable, "-m", "marimo", "-q", self.mode, str(self.root / self.name), *where]


class MarimoNotebook:
    """The notebook of a marimo server, open in the browser."""

    def __init__(self, page: Page, server: MarimoServer) -> None:
        self.page = page
        self.server = server

    def open(self) -> MarimoNotebook:
        """Open the notebook and wait until its cells are there."""
        self.page.goto(self.server.url)
        expect(self.output(0)).to_be_attached(timeout=PATIENCE_S * 1000)
        return self

    def run(self, index: int) -> None:
        """Run a cell, as a person would: with the key, from inside it."""
        self.cell(index).locator(".cm-content").first.click()
        self.page.keyboard.press("ControlOrMeta+Enter")

    def cell(self, index: int) -> Locator:
        """Return a cell, counted from 0."""
        return self.page.locator(".marimo-cell").nth(index)

    def output(self, index: int) -> Locator:
        """Return the output of a cell."""
        return self.page.locator(".output-area").nth(index)

    def picture(self, name: str) -> Path:
        """Photograph the page into the git-ignored folder of pictures."""
        PICTURES.mkdir(exist_ok=True)
        path = PICTURES / f"{name}.png"
        self.page.screenshot(path=path)
        return path
