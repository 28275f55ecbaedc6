"""References from several sources at once, over real HTTP: partial results, one of each, and nothing sent unasked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from nephele_nb.errors import ToolError
from nephele_nb.events import Event, ToolOutput
from nephele_nb.references import Arxiv, Commons, Crossref, Finding, Folder, Notes, OpenAlex, Reference, enquire
from nephele_nb.references.reference import merged
from nephele_nb.strings import Strings
from nephele_nb.tools.find_references import find_references
from nephele_nb.tools.registry import Desk
from nephele_nb.types import Hit, ToolResult

ATOM = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
  <entry>
    <id>http://arxiv.org/abs/1706.03762v7</id>
    <title>Attention Is
      All You Need</title>
    <summary>We propose a new simple network architecture.</summary>
    <published>2017-06-12T17:57:34Z</published>
    <author><name>Ashish Vaswani</name></author><author><name>Noam Shazeer</name></author>
  </entry>
</feed>"""
WORK = {
    "DOI": "10.5555/3295222.3295349",
    "title": ["Attention is all you need"],
    "author": [{"given": "Ashish", "family": "Vaswani"}, {"name": "A group"}],
    "issued": {"date-parts": [[2017, 12]]},
    "URL": "https://doi.org/10.5555/3295222.3295349",
    "license": [{"URL": "https://creativecommons.org/licenses/by/4.0/"}],
    "abstract": "<jats:p>The dominant <b>models</b>.</jats:p>",
}
BARE = {"DOI": "10.1/x", "issued": {"date-parts": [[None]]}}
ALEX = {
    "title": "Attention: Is All You Need!",
    "doi": "https://doi.org/10.5555/3295222.3295349",
    "publication_year": 2017,
    "authorships": [{"author": {"display_name": "Ashish Vaswani"}}, {"author": None}],
    "primary_location": {"license": "cc-by", "landing_page_url": None},
    "abstract_inverted_index": {"models": [1], "Dominant": [0]},
}
PICTURE = {
    "title": "File:Attention.png",
    "index": 1,
    "imageinfo": [
        {
            "thumburl": "",
            "descriptionurl": "https://commons.wikimedia.org/wiki/File:Attention.png",
            "extmetadata": {"LicenseShortName": {"value": "CC BY-SA 4.0"}, "Artist": {"value": "<a href='x'>Ann</a>"}},
        }
    ],
}
PNG = b"\x89PNG\r\n\x1a\n0000"

Pages = Mapping[str, bytes | int | threading.Event]


class Web:
    """A server that answers each path with bytes, a bad status, or not before an event."""

    def __init__(self, pages: Pages) -> None:
        self.asked: list[str] = []
        web = self

        class Exchange(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.asked.append(self.path)
                page = pages[urlsplit(self.path).path]
                if isinstance(page, threading.Event):
                    page.wait(30)
                    page = b"{}"
                self.send_response(page if isinstance(page, int) else 200)
                self.end_headers()
                self.wfile.write(page if isinstance(page, bytes) else b"<html>no</html>")

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Exchange)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    def asked_for(self, name: str) -> list[str]:
        return [value for path in self.asked for value in parse_qs(urlsplit(path).query).get(name, [])]


@contextmanager
def serving(pages: Pages) -> Iterator[Web]:
    web = Web(pages)
    try:
        yield web
    finally:
        web.server.shutdown()
        web.server.server_close()


def packed(value: object) -> bytes:
    return json.dumps(value).encode()


GOOD: Pages = {
    "/arxiv": ATOM.encode(),
    "/crossref": packed({"message": {"items": [WORK, BARE]}}),
    "/openalex": packed({"results": [ALEX]}),
    "/commons": packed({"query": {"pages": {"1": PICTURE}}}),
    "/thumb.png": PNG,
}


def four(web: Web) -> list[Arxiv | Crossref | OpenAlex | Commons]:
    return [
        Arxiv(web.at("/arxiv")), Crossref(web.at("/crossref")), OpenAlex(web.at("/openalex")),
        Commons(web.at("/commons")),
    ]  # fmt: skip


def ask(web: Web, query: str = "attention", network: bool = True, deadline_s: float = 20) -> Finding:
    return asyncio.run(enquire(four(web), query, 5, network, deadline_s))


def test_each_api_is_read_and_what_is_the_same_stands_once_with_all_that_is_known() -> None:
    with serving(GOOD) as web:
        found = ask(web)
    assert [(e.source, e.state, e.count) for e in found.enquiries] == [
        ("arxiv", "found", 1), ("crossref", "found", 2), ("openalex", "found", 1), ("commons", "found", 1),
    ]  # fmt: skip
    paper, picture, bare = found.references
    assert paper.sources == ("arxiv", "crossref", "openalex")
    assert paper.title == "Attention Is All You Need"
    assert paper.authors == ("Ashish Vaswani", "Noam Shazeer")
    assert (paper.year, paper.doi) == (2017, "10.5555/3295222.3295349")
    assert paper.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert paper.url == "http://arxiv.org/abs/1706.03762v7"
    assert (picture.title, picture.licence, picture.authors) == ("Attention.png", "CC BY-SA 4.0", ("Ann",))
    assert (bare.title, bare.year, bare.authors) == ("10.1/x", None, ())


def test_nothing_leaves_the_machine_while_the_network_is_off() -> None:
    with serving(GOOD) as web:
        found = ask(web, network=False)
    assert web.asked == []
    assert {e.state for e in found.enquiries} == {"offline"}


def test_the_query_goes_out_as_words_only() -> None:
    with serving(GOOD) as web:
        ask(web, query='graph "neural" & networks?x=1#y 图')
    assert web.asked_for("search") == ['graph "neural" & networks?x=1#y 图']
    assert web.asked_for("search_query") == [
        "all:graph AND all:neural AND all:networks AND all:x AND all:1 AND all:y AND all:图"
    ]


@pytest.mark.parametrize(
    ("page", "why"),
    [
        (503, "503"), (b"<html>proxy</html>", ""), (b"[]", ""), (b"null", ""), (b"{}", ""), (b"\xff\xfe", ""),
        (b'<!DOCTYPE x [<!ENTITY a "aaaa">]><feed/>', ""), (packed({"message": {"items": [7]}, "results": [7]}), ""),
    ],
)  # fmt: skip
def test_one_that_fails_takes_nothing_from_the_others(page: bytes | int, why: str) -> None:
    for broken in ("/arxiv", "/crossref", "/openalex"):
        with serving({**GOOD, broken: page}) as web:
            found = ask(web)
        states = {e.source: e for e in found.enquiries}
        assert states[broken[1:]].state == "failed"
        assert why in states[broken[1:]].why
        assert sum(e.state == "found" for e in found.enquiries) == 3


def test_one_that_is_late_is_said_and_the_rest_is_there() -> None:
    never = threading.Event()
    with serving({**GOOD, "/crossref": never}) as web:
        found = ask(web, deadline_s=1.5)
        never.set()
    assert [e.state for e in found.enquiries] == ["found", "late", "found", "found"]


def test_what_is_like_another_only_in_part_stays_by_itself() -> None:
    one = Reference("paper", "A study of rivers in spring", ("a",), doi="10.1000/1")
    other = Reference("paper", "A study of rivers in autumn", ("b",), doi="10.1000/2")
    file = Reference("file", "notes.md", ("folder",), url="/a/notes.md")
    assert merged([[one], [other], [file, file]]) == [one, other, file]


def test_bibliographies_texts_and_names_of_the_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(
        "@article{vas17,\n title = {Attention Is {All} You Need},\n author = {Vaswani, A. and Shazeer, N.},\n"
        ' year = 2017,\n doi = "10.5555/3295222.3295349"\n}\n@book{other, title={Cooking}, year={1999}}\n',
        encoding="utf-8",
    )
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "注意力机制.md").write_text("注意力机制综述", encoding="utf-8")
    (tmp_path / ".hidden.md").write_text("attention is all you need", encoding="utf-8")
    (tmp_path / "out").symlink_to("/etc")
    found = asyncio.run(Folder(tmp_path).find("attention all you need", 5))
    assert [(r.title, r.year, r.authors, r.doi) for r in found] == [
        ("Attention Is All You Need", 2017, ("Vaswani, A.", "Shazeer, N."), "10.5555/3295222.3295349")
    ]
    assert [r.title for r in asyncio.run(Folder(tmp_path).find("注意力机制", 5))] == ["sub/注意力机制.md"]
    assert asyncio.run(Folder(tmp_path).find("?!", 5)) == []
    assert asyncio.run(Folder(tmp_path / "none").find("attention", 5)) == []


def run_tool(chosen: Callable[[], list[object]], network: bool, **arguments: object) -> tuple[ToolResult, list[Event]]:
    events: list[Event] = []
    tool = find_references(chosen, lambda: network)  # type: ignore[arg-type]
    desk = Desk("c1", events.append, Strings("en"))
    return asyncio.run(tool.run(tool.check(arguments), desk)), events


def test_the_tool_numbers_what_is_the_users_own_and_shows_pictures_without_the_page_loading_any() -> None:
    hit = Hit("note:a", "On attention", "Attention is\nall you need.", 1.0, (0, 27), ("text",))
    own = Notes(lambda query, count, kinds: [hit])
    with serving(GOOD) as thumbs:
        info = {**PICTURE["imageinfo"][0], "thumburl": thumbs.at("/thumb.png")}  # type: ignore[index]
        shown = packed({"query": {"pages": {"1": {**PICTURE, "imageinfo": [info]}}}})
        with serving({**GOOD, "/commons": shown}) as web:
            result, events = run_tool(lambda: [own, *four(web)], True, query="attention")
    assert result.numbered is not None
    text = result.numbered([3])
    assert "[3] On attention" in text
    assert "- Attention Is All You Need · Ashish Vaswani, Noam Shazeer · 2017" in text
    assert "licence CC BY-SA 4.0" in text
    assert [s.content_id for s in result.sources] == ["note:a"]
    outputs = [e.output["data"] for e in events if isinstance(e, ToolOutput)]
    assert [set(data) for data in outputs] == [{"image/png", "text/plain"}]


def test_the_tool_says_what_was_not_asked_and_how_to_allow_it() -> None:
    with serving(GOOD) as web:
        result, _ = run_tool(lambda: list(four(web)), False, query="attention")
        assert web.asked == []
    assert "Nephele.network = True" in result.text
    assert result.text.startswith("No references were found.")


def test_an_unknown_source_is_named_with_the_known_ones() -> None:
    with serving(GOOD) as web, pytest.raises(ToolError, match=r"arxive.*arxiv, crossref"):
        run_tool(lambda: list(four(web)), True, query="x", sources=["arxive"])
