"""Every state of the view, in every theme: axe finds no fault in it, and nothing sticks out of a narrow window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import gallery
from tests.browser.lab import ROOT

pytestmark = pytest.mark.browser

THEMES = ("plain", *gallery.THEMES)
AXE = ROOT / "js" / "node_modules" / "axe-core" / "axe.min.js"
NO_FAULT = """async () => {
    const { violations } = await axe.run(".nph", { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}\\n${node.failureSummary}`));
}"""
STICKS_OUT = """() => {
    const view = document.querySelector(".nph");
    return Math.max(view.scrollWidth - view.clientWidth, document.documentElement.scrollWidth - innerWidth);
}"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of the gallery, freshly built."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed; run `make js`")
    gallery.build()
    with gallery.served() as served:
        yield served


@pytest.mark.parametrize(("theme", "language"), [*((theme, "en") for theme in THEMES), ("light", "zh")])
def test_no_state_has_a_fault(browser: Browser, address: str, theme: str, language: str) -> None:
    names = gallery.sessions(browser, address)
    assert len(names) > 15
    faults = [
        f"{name}: {fault}" for page, name in drawn(browser, address, names, theme, language) for fault in axe(page)
    ]
    assert "\n\n".join(faults) == ""


def test_nothing_sticks_out_of_a_narrow_window(browser: Browser, address: str) -> None:
    names = gallery.sessions(browser, address)
    out = {name: page.evaluate(STICKS_OUT) for page, name in drawn(browser, address, names, "light", "en", width=320)}
    assert {name: pixels for name, pixels in out.items() if pixels > 1} == {}


def drawn(
    browser: Browser, address: str, names: list[str], theme: str, language: str, width: int = 700
) -> Iterator[tuple[Page, str]]:
    """Yield a page that shows each of the sessions in turn."""
    context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    for name in names:
        gallery.show(page, address, session=name, theme=theme, language=language)
        yield page, name
    context.close()


def axe(page: Page) -> list[str]:
    """Return what axe finds wrong."""
    page.evaluate(AXE.read_text("utf-8"))
    found: list[str] = page.evaluate(NO_FAULT)
    return found
