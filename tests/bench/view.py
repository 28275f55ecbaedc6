"""How smooth the chat stays in a real browser: long answers, many messages. Run by hand.

``python -m tests.bench.view`` needs the built widget (``make js``) and Chromium (``make browser``). A task's length is
the processor's time, so that a busy machine does not count; none should be longer than 100 ms.
"""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import Browser, Page, sync_playwright

from nephele_nb.widget import STATIC
from tests.browser.chromium import find, flags

SETUP = """async () => {
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/widget.css" });
    document.head.append(sheet);
    await new Promise((loaded) => { sheet.onload = loaded; });
    const listeners = new Set();
    const model = {
        send: (message) => window.answer?.(message),
        on: (_, hear) => listeners.add(hear),
        off: (_, hear) => listeners.delete(hear),
    };
    const { default: widget } = await import("/widget.js");
    const el = document.body.appendChild(document.createElement("div"));
    widget.render({ model, el });
    window.deliver = (message) => { for (const hear of listeners) hear(message); };
    window.painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const usage = { input: 9, output: 9, cached: 0, reasoning: 0, total: 18, steps: 1 };
    window.round = (id, question, chunks, end = true) => {
        let seq = 0;
        const event = (kind, fields) => ({ kind, round_id: id, seq: seq++, ...fields });
        const events = [event("RoundStart", { text: question, mode: "agent", tier: "byok", host: "api.example.com" })];
        for (const text of chunks) events.push(event("StreamChunk", { text }));
        if (end) events.push(event("LoopDone", { finish: "answer", usage, sources: [], numbers: [] }));
        return events;
    };
    window.told = (busy) => ({ tier: "byok", model: "m", host: "api.example.com", mode: "agent", language: "en", busy,
        queued: 0, library: null, single: false, now: Date.now() / 1000, notice: "", stale: {}, aside: {} });
}"""

MANY = """async (count) => {
    const answer = "The **total** is $5 to $10, see `sales`:\\n\\n| a | b |\\n|---|--:|\\n| x | 1 |\\n\\n" +
        "```python\\ntotal = sales.sum()\\nprint(total)\\n```\\n\\n- one\\n- two\\n\\nThat is all.";
    const events = [];
    for (let n = 0; n < count; n += 1) events.push(...window.round(`r-${n}`, `Question ${n}?`, [answer]));
    const begun = performance.now();
    window.deliver({ type: "snapshot", state: window.told(false), events });
    while (!document.querySelector(".nph article")) await window.painted();
    const first = performance.now() - begun;
    return { "first paint in ms": first, nodes: document.querySelectorAll(".nph *").length };
}"""

CHUNKS = {
    "paragraphs": "(n) => n % 30 === 29 ? `w${n}.\\n\\n` : `w${n} `",
    "one list": "(n) => n % 12 === 11 ? `w${n}\\n` : n % 12 === 0 ? `- w${n} ` : `w${n} `",
    "one code block": "(n) => n === 0 ? '```python\\n' : n % 8 === 7 ? `w${n}\\n` : `w${n} + `",
    "one paragraph": "(n) => `w${n} `",
}

STREAM = """async ([count, batch, make]) => {
    const text = eval(make);
    const events = window.round("r-long", "Write a long answer", Array.from({ length: count }, (_, n) => text(n)));
    window.deliver({ type: "snapshot", state: window.told(true), events: events.slice(0, 1) });
    await window.painted();
    for (let at = 1; at < events.length; at += batch) {
        window.deliver({ type: "events", events: events.slice(at, at + batch) });
        await new Promise((done) => setTimeout(done, 4));
    }
    window.deliver({ type: "state", state: window.told(false) });
    const drawn = () => document.querySelector(".nph-markdown")?.textContent.includes(`w${count - 1}`);
    while (!drawn()) await window.painted();
    return { nodes: document.querySelectorAll(".nph *").length };
}"""


@contextmanager
def served() -> Iterator[str]:
    """Serve what was built on loopback; yields its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Give an empty page for the root, else the file."""
            if self.path != "/":
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><meta charset=utf-8><title>chat</title>")

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(STATIC)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def fresh(page: Page, address: str) -> Page:
    """Load an empty page with the chat in it."""
    page.goto(address)
    page.evaluate(SETUP)
    return page


def measured(browser: Browser, page: Page, what: str, script: str, wanted: object) -> None:
    """Run a script in a page and print the longest tasks meanwhile, with what the script returns."""
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    found: dict[str, float] = page.evaluate(script, wanted)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    tasks = sorted((e["tdur"] / 1000 for e in events if e["name"].endswith("RunTask") and "tdur" in e), reverse=True)
    rest = ", ".join(f"{name} {value:,.0f}" for name, value in found.items())
    print(f"{what:36} longest tasks {', '.join(f'{task:.0f}' for task in tasks[:4])} ms; {rest}", flush=True)


def main() -> None:
    """Measure and print."""
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=flags())
        page = browser.new_page(viewport={"width": 900, "height": 900})
        for count in (50, 500):
            measured(browser, fresh(page, address), f"{count} messages", MANY, count)
        for name, make in CHUNKS.items():
            measured(browser, fresh(page, address), f"100,000 chunks, {name}", STREAM, [100_000, 100, make])
        whole = [100_000, 100_001, CHUNKS["paragraphs"]]
        measured(browser, fresh(page, address), "100,000 chunks at once", STREAM, whole)
        browser.close()


if __name__ == "__main__":
    main()
