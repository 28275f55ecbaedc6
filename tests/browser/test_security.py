"""Text from outside, in every place where it can appear: it runs nothing, loads nothing, and hides no address."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.bench.view import STATIC, served
from tests.browser import places
from tests.browser.lab import Notebook

pytestmark = pytest.mark.browser

AT_ONCE = 8
FEW = 40
"""JupyterLab folds away what a cell shows beyond fifty outputs."""
SETUP = """async (sources) => {
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/widget.css" });
    document.head.append(sheet);
    const { default: widget } = await import("/widget.js");
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    const settled = async () => { await pause(40); await new Promise((drawn) => requestAnimationFrame(drawn)); };
    const shown = ({ messages, name }) => {
        const listeners = new Set();
        const deliver = (message) => { for (const hear of listeners) hear(message); };
        const send = ({ type, name }) => {
            if (type === "module") setTimeout(deliver, 0, { type, name, source: sources[name] });
        };
        const model = { send, on: (_, hear) => listeners.add(hear), off: (_, hear) => listeners.delete(hear) };
        const el = document.body.appendChild(document.createElement("div"));
        const end = widget.render({ model, el });
        messages.forEach(deliver);
        return { name, el, deliver, dispose: () => { end(); el.remove(); } };
    };
    window.look = async (scenes, look) => {
        const views = scenes.map(shown);
        await settled();
        scenes.forEach(({ typed }, at) => {
            const field = views[at].el.querySelector("textarea.nph-field");
            if (!typed || !field) return;
            field.value = typed;
            field.setSelectionRange(typed.length, typed.length);
            field.dispatchEvent(new Event("input", { bubbles: true }));
        });
        scenes.forEach(({ then }, at) => then.forEach(views[at].deliver));
        await settled();
        scenes.forEach(({ press }, at) => {
            for (const each of press) for (const found of views[at].el.querySelectorAll(each)) found.click();
        });
        await settled();
        await pause(100);
        const seen = views.flatMap(({ name, el }) => look(el).map((each) => `${name}: ${each}`));
        views.forEach(({ dispose }, at) => scenes[at].keep || dispose());
        return seen;
    };
}"""
AUDIT = """(scenes) => {
    // What a form holds can stand in the way of its own properties.
    const nameOf = Object.getOwnPropertyDescriptor(Element.prototype, "localName").get;
    const NEVER = ["script", "object", "embed", "base", "link", "frame", "frameset", "applet", "portal", "fencedframe",
        "video", "audio", "source", "track", "area", "template", "foreignobject", "image", "use", "animate", "set"];
    const LOADS = ["srcset", "ping", "action", "formaction", "background", "poster", "data", "xlink:href", "longdesc"];
    const faultsOf = (element, framed) => {
        const tag = nameOf.call(element).toLowerCase();
        const frame = Element.prototype.matches.call(element, "iframe.nph-frame");
        const caged = frame && !/scripts|forms|top|downloads/.test(element.sandbox.value) && element.sandbox.length > 0;
        const faults = [];
        if (NEVER.includes(tag) && !framed.svg(element)) faults.push(`<${tag}>`);
        if (tag === "iframe" && !caged) faults.push("<iframe>");
        if (tag === "meta" && !framed.policy(element)) faults.push("<meta>");
        for (const name of Element.prototype.getAttributeNames.call(element)) {
            const value = Element.prototype.getAttribute.call(element, name);
            const odd = name === "src" ? !/^data:image\\//.test(value) : name === "href" && tag !== "a";
            const url = name === "style" && /url\\(|image-set|expression|fixed/i.test(value) && !framed.inside;
            const named = /^(?:id|name)$/.test(name) && Element.prototype.closest.call(element, ".nph-markdown");
            const acts = /^on/i.test(name) || LOADS.includes(name);
            if (acts || odd || url || named) faults.push(`<${tag} ${name}=${value}>`);
            if (name === "srcdoc" && !caged) faults.push(`<${tag} ${name}>`);
        }
        const href = tag === "a" ? element.getAttribute("href") : null;
        if (href !== null) {
            const { rel, target, title } = element;
            const host = URL.canParse(href) ? new URL(href).host : "";
            const text = `${element.textContent}${element.nextElementSibling?.textContent ?? ""}`;
            const masked = !framed.inside && /[^\\s.]\\.[^\\s.]/.test(element.textContent) && !text.includes(host);
            const plain = /^(?:https?:\\/\\/|mailto:)/i.test(href) && title.startsWith(href) && target === "_blank";
            if (masked || !plain || rel !== "noopener noreferrer") faults.push(element.outerHTML.slice(0, 300));
        }
        return faults;
    };
    const OUTSIDE = { inside: false, policy: () => false, svg: () => false };
    const INSIDE = { inside: true, policy: (meta) => meta.matches("head > meta:first-child"),
        svg: (element) => element.localName !== "script" && element.closest("svg") !== null };
    return window.look(scenes, (view) => {
        const faults = [...view.querySelectorAll("*")].flatMap((element) => faultsOf(element, OUTSIDE));
        for (const { contentDocument } of view.querySelectorAll("iframe.nph-frame")) {
            if (!contentDocument) faults.push("a frame has gone elsewhere");
            const inside = contentDocument?.querySelectorAll("*") ?? [];
            for (const element of inside) faults.push(...faultsOf(element, INSIDE));
        }
        if (!view.querySelector(".nph-header")) faults.push("the view is gone");
        if (window.ran !== undefined || {}.ran !== undefined || {}.polluted !== undefined) faults.push("something ran");
        return faults;
    });
}"""
TWINS = """
import json
from IPython.display import display
from nephele_nb import twin
from nephele_nb.events import ApprovalRequest, ApprovalResolved, LoopError
from nephele_nb.events import RoundStart, StreamChunk, ToolFinish, ToolStart

def events(text):
    yield RoundStart(round_id="r", seq=0, text=text, mode="agent", tier="byok", host="x")
    yield StreamChunk(round_id="r", seq=1, text=text)
    yield ToolStart(round_id="r", seq=2, call_id="c", tool=text, arguments={})
    yield ApprovalRequest(round_id="r", seq=3, approval_id="a", call_id="c", tool=text, code=text, description=text,
        effects=[], expires_at=0, for_round=False)
    yield ApprovalResolved(round_id="r", seq=4, approval_id="a", outcome="approved", code=text, diff="", by="user",
        for_round=False)
    yield ToolFinish(round_id="r", seq=5, call_id="c", tool=text, ok=True, result=text, elapsed_s=0)
    yield LoopError(round_id="r", seq=6, code="x", message=text, retryable=False)

# Half of a pair can't be sent by any kernel.
texts = [text.encode("utf-8", "replace").decode() for text in json.load(open("payloads.json")).values()]

def show(begin, end):
    for text in texts[begin:end]:
        display({"text/markdown": twin.markdown(events(text), "en"), "text/plain": ""}, raw=True)
"""
LIVE = """() => {
    const shown = [...document.querySelectorAll(".jp-OutputArea .jp-RenderedMarkdown *")];
    const live = (element) => {
        if (element.matches("script, style, form, base, meta, link, object, embed, iframe, video, audio")) return true;
        const url = element.getAttribute("href") ?? element.getAttribute("xlink:href") ?? "";
        const src = element.getAttribute("src") ?? element.getAttribute("srcset") ?? "";
        const acts = [...element.getAttributeNames()].some((name) => /^on|^(?:ping|poster|background)$/i.test(name));
        return acts || /^\\s*(?:javascript|data|vbscript|file):/i.test(url) || !/^(?:$|data:image\\/)/.test(src);
    };
    return shown.filter(live).map((element) => element.outerHTML.slice(0, 300));
}"""
TEXTS = """(scenes) => window.look(scenes, (view) => {
    const frames = [...view.querySelectorAll("iframe")].map((frame) => frame.contentDocument.body.innerText);
    const told = [...view.querySelectorAll("*")].flatMap((element) =>
        [element.title, element.ariaLabel, element.value, decodeURIComponent(element.currentSrc ?? "")]);
    return [[view.textContent, ...frames, ...told].join(" ")];
})"""


class Watched:
    """A page with the shipped chat's code, and all that it tried to do beyond showing."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.done: list[str] = []
        page.on("pageerror", lambda error: self.done.append(f"error: {error.message[:300]}"))
        page.on("dialog", self._dismiss)
        page.on("framenavigated", lambda frame: self._went(frame.url))
        page.context.on("page", lambda opened: self.done.append(f"window: {opened.url}"))
        page.context.route("**/*", self._asked)
        page.goto(address)
        page.evaluate(SETUP, {name: (STATIC / f"{name}.js").read_text("utf-8") for name in ("math", "editor")})

    def _asked(self, route: Route) -> None:
        own = route.request.url.startswith(self.address)
        if own and route.request.resource_type in ("document", "script", "stylesheet"):
            route.continue_()
            return
        self.done.append(f"request: {route.request.url}")
        route.abort()

    def _dismiss(self, dialog: Any) -> None:
        self.done.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _went(self, url: str) -> None:
        if url not in (self.address, "about:srcdoc", "about:blank"):
            self.done.append(f"went to {url}")


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    """A watched page."""
    if not (STATIC / "widget.js").exists():
        pytest.skip("the widget is not built; run `make js`")
    with served() as address:
        context = browser.new_context(viewport={"width": 700, "height": 900})
        yield Watched(context.new_page(), address)
        context.close()


def scenes(name: str, text: str) -> list[dict[str, Any]]:
    """Return every place with a text in its slots."""
    return [places.scene(places.filled(place, text), name) for place in places.places()]


def test_each_slot_is_a_place_that_is_shown(watched: Watched) -> None:
    words = places.Numbered()
    filled = [places.scene(places.filled(place, words)) for place in places.places()]
    shown = " ".join(watched.page.evaluate(TEXTS, filled))
    assert watched.done == []
    assert len(words.words) > 100
    assert [word for word in words.words if word not in shown] == []


def test_nothing_runs_loads_or_hides_where_it_leads(watched: Watched) -> None:
    hostile = places.payloads()
    assert len(hostile) >= 200
    faults: list[str] = []
    waiting = iter(hostile.items())
    while batch := list(islice(waiting, AT_ONCE)):
        shown = [each for name, text in batch for each in scenes(name, text)]
        faults += watched.page.evaluate(AUDIT, shown)
        faults += [f"{', '.join(name for name, _ in batch)}: {what}" for what in watched.done]
        watched.done.clear()
    assert "\n".join(dict.fromkeys(faults)) == ""


def test_a_picture_is_loaded_on_a_click_alone_and_says_from_where(watched: Watched) -> None:
    address = "https://outside.invalid/?q=secret"
    page = watched.page
    scene = places.scene({"name": "x", "press": [], "events": [
        ["RoundStart", {"text": "x", "mode": "chat", "tier": "byok", "host": "x"}],
        ["StreamChunk", {"text": f"![a chart]({address})"}],
    ]})  # fmt: skip
    page.evaluate("(scenes) => { window.look(scenes, () => []); }", [{**scene, "keep": True}])
    link = page.locator(".nph-image-link")
    expect(link).to_contain_text(f"a chart · {address}")
    page.wait_for_timeout(300)
    assert watched.done == []
    with page.context.expect_page():
        link.click()
    page.wait_for_timeout(300)
    assert f"request: {address}" in watched.done


def test_a_saved_conversation_is_as_harmless_in_jupyterlab(open_notebook: Callable[..., Notebook]) -> None:
    hostile = places.payloads()
    parts = [f"show({begin}, {begin + FEW})" for begin in range(0, len(hostile), FEW)]
    notebook = open_notebook(TWINS, *parts)
    (notebook.lab.root / "payloads.json").write_text(json.dumps(hostile), "utf-8")
    asked: list[str] = []
    notebook.page.on("request", lambda request: asked.append(request.url))
    notebook.page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    for cell in range(len(parts) + 1):
        notebook.run(cell)
    expect(notebook.page.locator(".jp-OutputArea .jp-RenderedMarkdown")).to_have_count(len(hostile))
    notebook.page.wait_for_timeout(2000)
    assert [url for url in asked if not url.startswith((notebook.lab.url, "data:", "blob:"))] == []
    assert notebook.page.evaluate("[window.ran, {}.ran, {}.polluted].every((each) => each === undefined)")
    assert notebook.page.evaluate(LIVE) == []
