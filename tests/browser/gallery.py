"""The gallery: every state of the view without JupyterLab, in JupyterLab's colours; it serves and photographs it.

``python -m tests.browser.gallery [NAME …]`` puts the pictures into the git-ignored ``.pictures/gallery``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.browser.chromium import find, flags
from tests.browser.lab import PICTURES, ROOT

FOLDER = PICTURES / "gallery"
SOURCE = ROOT / "js" / "tests" / "gallery"
LAB_THEMES = Path(sys.prefix) / "share" / "jupyter" / "lab" / "themes" / "@jupyterlab"
THEMES = {
    "light": "theme-light-extension",
    "dark": "theme-dark-extension",
    "dark-contrast": "theme-dark-high-contrast-extension",
}
WIDTHS = (320, 400, 900)
LANGUAGES = ("en", "zh")


class Quiet(SimpleHTTPRequestHandler):
    """Serves without a log line for each file."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def build() -> None:
    """Bundle the gallery and put JupyterLab's themes beside it."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("The gallery needs npm; run `make js` first.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    subprocess.run([npm, "run", "--silent", "gallery"], cwd=ROOT / "js", check=True, stdout=subprocess.DEVNULL)
    shutil.copy(SOURCE / "index.html", FOLDER)
    for name, package in THEMES.items():
        shutil.copy(LAB_THEMES / package / "index.css", FOLDER / f"{name}.css")


@contextmanager
def served() -> Iterator[str]:
    """Serve the built gallery on loopback; yields its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(FOLDER)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()


def show(page: Page, address: str, **what: str) -> None:
    """Open one session, named with its theme and language, and wait until it is drawn."""
    page.goto(f"{address}?{urlencode(what)}")
    page.wait_for_selector("body[data-drawn] .nph-header")
    page.wait_for_timeout(150)


def sessions(browser: Browser, address: str) -> list[str]:
    """Return the names of all sessions."""
    page = browser.new_page()
    show(page, address)
    names: list[str] = page.evaluate("window.sessions")
    page.close()
    return names


def photograph(wanted: list[str]) -> None:
    """Take the pictures of the sessions wanted, or of all."""
    build()
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=flags())
        names = wanted or sessions(browser, address)
        for width, theme, language in product(WIDTHS, ("light", "dark"), LANGUAGES):
            page = browser.new_page(viewport={"width": width, "height": 700}, reduced_motion="reduce")
            page.on("pageerror", report)
            for name in names:
                show(page, address, session=name, theme=theme, language=language)
                page.screenshot(path=FOLDER / f"{name}-{theme}-{width}-{language}.png", full_page=True)
            page.close()
        browser.close()


def report(error: Error) -> None:
    """Tell of an error in the page."""
    sys.stderr.write(f"page error: {error}\n")


if __name__ == "__main__":
    photograph(sys.argv[1:])
