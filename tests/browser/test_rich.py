"""What an answer and a card hold, in the bundle that is shipped: formulas, figures, frames, and nothing that jumps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.bench.view import STATIC, fresh, served
from tests.browser.lab import ROOT

pytestmark = pytest.mark.browser

FRAMES: dict[str, str] = json.loads((ROOT / "js" / "tests" / "fixtures" / "frames.json").read_text("utf-8"))
ANSWER_MODULES = """(sources) => {
    window.asked = [];
    window.answer = (message) => {
        if (message.type !== "module") return;
        window.asked.push(message.name);
        window.deliver({ type: "module", name: message.name, source: sources[message.name] });
    };
}"""
SHOW = """([text, outputs, busy]) => {
    const [start, ...rest] = window.round("r-1", "Show me", text === "" ? [] : [text], false);
    let seq = rest.length + 1;
    const event = (kind, fields) => ({ kind, round_id: "r-1", seq: seq++, ...fields });
    const calls = outputs.flatMap((data, at) => [
        event("ToolStart", { call_id: `c${at}`, tool: "run_python", arguments: { code: "x" } }),
        event("ToolOutput", { call_id: `c${at}`, output: { output_type: "display_data", metadata: {}, data } }),
        event("ToolFinish", { call_id: `c${at}`, tool: "run_python", ok: true, result: "", elapsed_s: 1 }),
    ]);
    window.say = (words) => window.deliver({ type: "events", events: [event("StreamChunk", { text: words })] });
    window.deliver({ type: "snapshot", state: window.told(busy), events: [start, ...rest, ...calls] });
}"""


@pytest.fixture
def chat(browser: Browser) -> Iterator[Page]:
    """A page with the shipped chat in it and no kernel; it gets the modules that it asks for."""
    if not (STATIC / "widget.js").exists():
        pytest.skip("the widget is not built; run `make js`")
    with served() as address:
        context = browser.new_context(viewport={"width": 700, "height": 700})
        page = fresh(context.new_page(), address)
        page.evaluate(ANSWER_MODULES, {"math": (STATIC / "math.js").read_text("utf-8")})
        yield page
        context.close()


def show(page: Page, text: str = "", *outputs: dict[str, Any], busy: bool = False) -> None:
    """Show one round: an answer, then calls of code with these outputs."""
    page.evaluate(SHOW, [text, list(outputs), busy])


def png(folder: Path, width: int, height: int) -> str:
    """Return a picture of this size, in base64."""
    from base64 import b64encode

    from matplotlib.image import imsave
    from numpy import full

    imsave(folder / "figure.png", full((height, width, 3), 0.8))
    return b64encode((folder / "figure.png").read_bytes()).decode()


def test_formulas_are_set_by_a_module_that_is_fetched_once(chat: Page) -> None:
    show(chat, "It costs $5 to $10, and $x^2$ is not $y_1$.\n\n$$\n\\frac{1}{2}\n$$\n")
    expect(chat.locator("math")).to_have_count(3)
    expect(chat.locator(".nph-markdown p").first).to_contain_text("It costs $5 to $10")
    fraction = chat.locator("math mfrac").bounding_box()
    assert fraction is not None
    assert fraction["height"] > fraction["width"]
    assert chat.evaluate("window.asked") == ["math"]


def test_no_module_is_fetched_for_amounts(chat: Page) -> None:
    show(chat, "It costs $5 to $10.")
    expect(chat.locator(".nph-markdown p")).to_have_text("It costs $5 to $10.")
    assert chat.evaluate("window.asked") == []


def test_a_figure_opens_in_full_size_and_leads_back(chat: Page, tmp_path: Path) -> None:
    show(chat, "", {"image/png": png(tmp_path, 600, 900), "text/plain": "<Figure size 600x900 with 1 Axes>"})
    small = chat.get_by_role("button", name="Figure made by the code")
    assert small.locator("img").evaluate("(image) => [image.width, image.height]") == [280, 420]
    large = chat.get_by_role("dialog", name="Figure made by the code")
    small.click()
    box = large.locator("img").bounding_box()
    assert box is not None
    assert box["height"] > 560
    chat.keyboard.press("Escape")
    expect(large).to_be_hidden()
    expect(small).to_be_focused()
    chat.keyboard.press("Enter")
    large.get_by_role("button", name="Close").click()
    expect(large).to_be_hidden()
    expect(small).to_be_focused()


def test_a_frame_is_sorted_by_click_and_by_key(chat: Page) -> None:
    show(chat, "", {"text/html": FRAMES["small"], "text/plain": "…"})
    table = chat.get_by_role("table")
    sold = table.locator("tbody td:nth-child(3)")
    expect(sold).to_have_text(["3", "-1", "20"])
    heading = table.get_by_role("button", name="sold")
    heading.click()
    expect(sold).to_have_text(["-1", "3", "20"])
    heading.press("Enter")
    expect(sold).to_have_text(["20", "3", "-1"])
    expect(table.get_by_role("columnheader", name="sold")).to_have_attribute("aria-sort", "descending")


def test_what_is_read_stays_in_place_while_more_is_written(chat: Page) -> None:
    show(chat, "first\n\n" + "line of text\n\n" * 60, busy=True)
    transcript = chat.locator(".nph-transcript")
    expect(chat.locator(".nph-markdown > div")).to_have_count(61)
    at_end = "(box) => box.scrollHeight - box.scrollTop - box.clientHeight < 2"
    assert transcript.evaluate(at_end)
    chat.evaluate("window.say('more\\n\\n'.repeat(30))")
    expect(chat.locator(".nph-markdown > div")).to_have_count(91)
    assert transcript.evaluate(at_end)
    transcript.evaluate("(box) => { box.scrollTop = 300; }")
    expect(chat.get_by_role("button", name="Jump to the newest")).to_be_visible()
    chat.evaluate("window.say('```python\\n' + 'x = 1\\n'.repeat(40))")
    expect(chat.locator(".nph-code")).to_have_count(1)
    assert transcript.evaluate("(box) => box.scrollTop") == 300
