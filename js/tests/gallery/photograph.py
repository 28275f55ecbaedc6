"""Photographs the gallery in both themes, two widths and two languages into the git-ignored ``.pictures``."""

from __future__ import annotations

import shutil
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

HERE = Path(__file__).parent
PICTURES = HERE.parents[2] / ".pictures" / "gallery"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]


class Quiet(SimpleHTTPRequestHandler):
    """Serves without a log line for each file."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def report(error: Error) -> None:
    """Tell of an error in the page."""
    sys.stderr.write(f"page error: {error}\n")


def photograph() -> None:
    """Take all pictures; ``npm run gallery`` must have been run."""
    shutil.copy(HERE / "index.html", PICTURES / "index.html")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(PICTURES)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/index.html"
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        sessions = ("answered", "approving", "streaming", "empty")
        for name, theme, width, language in product(sessions, ("light", "dark"), (320, 900), ("en", "zh")):
            page = browser.new_page(viewport={"width": width, "height": 700})
            page.on("pageerror", report)
            page.goto(f"{address}?session={name}&theme={theme}&language={language}")
            page.wait_for_selector(".nph-header")
            page.wait_for_timeout(300)
            page.screenshot(path=PICTURES / f"{name}-{theme}-{width}-{language}.png", full_page=True)
            page.close()
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    photograph()
