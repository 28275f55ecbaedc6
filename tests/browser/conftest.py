"""One JupyterLab for all browser tests, one Chromium for each of their modules, one fresh page for each test."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.chromium import find, flags
from tests.browser.lab import PICTURES, Lab, Notebook

expect.set_options(timeout=30_000)


def stem_of(request: pytest.FixtureRequest) -> str:
    """Return the test's name as a file's stem."""
    return re.sub(r"[^\w-]+", "-", request.node.name)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A running JupyterLab."""
    server = Lab(tmp_path_factory.mktemp("lab"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running Chromium; not for the session, since playwright keeps an event loop running on the main thread."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=find(), args=flags(), headless=True)
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser, lab: Lab, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page; what it shows at the end is photographed under the test's name, and its kernels end with it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    opened = context.new_page()
    opened.set_default_timeout(30_000)
    yield opened
    PICTURES.mkdir(exist_ok=True)
    opened.screenshot(path=PICTURES / f"{stem_of(request)}.png")
    context.close()
    lab.end_kernels()


@pytest.fixture
def open_notebook(page: Page, lab: Lab, request: pytest.FixtureRequest) -> Callable[..., Notebook]:
    """A function that writes a notebook of the given code cells, opens it, and returns it."""

    def opened(*cells: str) -> Notebook:
        name = lab.write(f"{stem_of(request)}.ipynb", cells)
        return Notebook(page, lab, name).open()

    return opened
