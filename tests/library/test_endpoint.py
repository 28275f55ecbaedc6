"""An embedder behind HTTP: real requests to a scripted server on loopback, with every fault a server can have."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
from nephele_nb.library.embed import EmbedderError, EndpointEmbedder

from .conftest import LetterEmbedder


class Server:
    """Answers like ``/v1/embeddings``; ``script`` holds a (status, headers, body) for each request to be spoilt."""

    def __init__(self) -> None:
        self.script: list[tuple[int, dict[str, str], Any]] = []
        self.seen: list[dict[str, Any]] = []
        self.paths: list[tuple[str, str | None]] = []
        self.letters = LetterEmbedder()
        self.longest = 10_000
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.seen.append(asked)
                outer.paths.append((self.path, self.headers.get("Authorization")))
                status, headers, body = outer.answer(asked)
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: Any) -> None: ...

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}/v1#letters"
        self._thread = threading.Thread(target=self._http.serve_forever)
        self._thread.start()

    def answer(self, asked: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        if self.script:
            return self.script.pop(0)
        if any(len(text) > self.longest for text in asked["input"]):
            return 400, {}, {"error": {"message": "input is too long"}}
        vectors = self.letters.passages(asked["input"])
        data = [{"index": n, "embedding": v} for n, v in enumerate(vectors)]
        return 200, {}, {"data": data[::-1]}  # the order is in the index, not in the list

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


def test_a_library_embeds_through_an_endpoint(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEPHELE_EMBEDDER_KEY", "k-123")
    monkeypatch.setenv("OPENAI_API_KEY", "not-for-this-address")
    lib = Library(tmp_path, embedder=server.address)
    for name in ("aaa", "zzz", "qqq"):
        lib.add_note(name, name * 3, content_id=name)
    assert lib.wait_embedded(60)
    assert (lib.embedder, lib.stats()["embedded"]) == (server.address, 1.0)
    hit = lib.search("zzzzzz")[0]
    assert (hit.content_id, hit.channels[0]) == ("zzz", "vector")
    assert set(server.paths) == {("/v1/embeddings", "Bearer k-123")}
    assert {asked["model"] for asked in server.seen} == {"letters"}
    assert "k-123" not in lib.embedder
    lib.close()


def test_a_library_knows_the_size_of_its_vectors_without_asking(server: Server, tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=server.address)
    lib.add_note("aaa", "aaaa", content_id="a")
    assert lib.wait_embedded(60)
    lib.close()
    asked = len(server.seen)
    again = Library(tmp_path, embedder=server.address)
    assert again.wait_embedded(60)
    assert again.stats()["embedded"] == 1.0
    assert len(server.seen) == asked
    again.close()


def test_a_busy_endpoint_is_asked_again(server: Server) -> None:
    server.script = [(429, {"Retry-After": "0"}, {}), (503, {"Retry-After": "0"}, b"busy")]
    assert EndpointEmbedder(server.address).passages(["abc"]) == [server.letters.query("abc")]
    assert len(server.seen) == 3


def test_a_passage_the_endpoint_refuses_is_left_to_the_text(server: Server, tmp_path: Path) -> None:
    server.longest = 300
    lib = Library(tmp_path, embedder=server.address)
    lib.add_note("long", "bamboo " * 100, content_id="long")
    lib.add_note("short", "bamboo", content_id="short")
    assert lib.wait_embedded(60)
    stats = lib.stats()
    assert (stats["embedded"], stats["refused"], stats["embedder_fault"]) == (0.5, 1, "")
    assert {hit.content_id for hit in lib.search("bamboo")} == {"long", "short"}
    lib.close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {}, {"error": {"message": "bad key"}}), "401 bad key"),
        ((404, {}, {"error": "no such model"}), "404 no such model"),
        ((302, {"Location": "http://127.0.0.1:9/"}, b""), "302"),
        ((200, {}, b"<html>hello"), "holds no embeddings"),
        ((200, {}, {"data": []}), "0 vectors"),
        ((200, {}, {"data": [{"index": 0, "embedding": []}]}), r"\[0\] numbers"),
        ((400, {}, {"error": {"message": "unknown model"}}), "400 unknown model"),
    ],
)
def test_each_fault_is_said(server: Server, answer: tuple[int, dict[str, str], Any], said: str) -> None:
    server.script = [answer]
    with pytest.raises(EmbedderError, match=said) as caught:
        EndpointEmbedder(server.address, "k-123").query("abc")
    assert "k-123" not in str(caught.value)
    assert len(server.seen) == 1


def test_an_endpoint_that_fails_leaves_the_text(server: Server, tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=server.address)
    lib.add_note("aaa", "bamboo", content_id="a")
    assert lib.wait_embedded(60)
    server.script = [(500, {}, {"error": "out of memory"})]
    hits = lib.search("bamboo")
    assert [hit.channels[0] for hit in hits] == ["text"]
    assert "500 out of memory" in hits.without
    assert lib.embedder == server.address  # one failed query is no reason to embed everything anew with another model
    lib.close()


def test_an_endpoint_that_is_not_there_leaves_the_text_and_the_status_says_so(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        absent = EndpointEmbedder(f"http://127.0.0.1:{taken.getsockname()[1]}/v1#m")
        lib = Library(tmp_path, embedder=absent)
        lib.add_note("aaa", "bamboo", content_id="a")
        assert lib.wait_embedded(60)
        hits = lib.search("bamboo")
        assert (lib.embedder, [hit.content_id for hit in hits]) == ("none", ["a"])
        assert "can't be reached" in lib.stats()["embedder_fault"]
        assert "can't be reached" in hits.without
        lib.close()


def test_while_an_endpoint_is_away_no_other_embeds_in_its_place(server: Server, tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=server.address)
    lib.add_note("aaa", "bamboo", content_id="a")
    assert lib.wait_embedded(60)
    lib.close()
    server.script = [(401, {}, {"error": "away"})] * 2
    lib = Library(tmp_path, embedder=server.address)
    lib.add_note("bbb", "bamboo", content_id="b")
    assert lib.wait_embedded(60)
    assert lib.embedder == "none"
    assert "open the library again" in lib.search("bamboo").without
    lib.close()
    lib = Library(tmp_path, embedder=server.address)
    assert lib.wait_embedded(60)
    assert (lib.embedder, lib.stats()["embedded"], lib.stats()["former_embedder"]) == (server.address, 1.0, "")
    assert sum("aaa" in text for ask in server.seen for text in ask["input"]) == 1
    lib.close()


@pytest.mark.parametrize("numbers", [[float("nan")] * 26, [0.0] * 26, [float("inf"), *[1.0] * 25]])
def test_an_endpoint_that_gives_no_numbers_leaves_the_passage_to_the_text(
    server: Server, tmp_path: Path, numbers: list[float]
) -> None:
    lib = Library(tmp_path, embedder=server.address)
    lib.add_note("aaa", "bamboo", content_id="a")
    assert lib.wait_embedded(60)
    server.script = [(200, {}, {"data": [{"index": 0, "embedding": numbers}]})]
    lib.add_note("bbb", "bamboo", content_id="b")
    assert lib.wait_embedded(60)
    stats = lib.stats()
    assert (lib.embedder, stats["embedded"], stats["refused"]) == (server.address, 0.5, 1)
    assert {hit.content_id for hit in lib.search("bamboo")} == {"a", "b"}
    lib.close()


def test_an_endpoint_whose_vectors_change_their_length_is_left(server: Server, tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=EndpointEmbedder(server.address))
    lib.add_note("aaa", "bamboo", content_id="a")
    assert lib.wait_embedded(60)
    server.letters = LetterEmbedder(dim=9)
    lib.add_note("bbb", "bamboo", content_id="b")
    assert lib.wait_embedded(60)
    assert (lib.embedder, "[9, 26] numbers" in lib.stats()["embedder_fault"]) == ("none", True)
    assert {hit.content_id for hit in lib.search("bamboo")} == {"a", "b"}
    lib.close()


def test_vectors_of_another_size_are_never_mixed_in(server: Server, tmp_path: Path) -> None:
    lib = Library(tmp_path, embedder=server.address)
    lib.add_note("aaa", "bamboo", content_id="a")
    assert lib.wait_embedded(60)
    lib.close()
    server.letters = LetterEmbedder(dim=9)
    lib = Library(tmp_path, embedder=server.address)
    hits = lib.search("bamboo")
    assert "9 numbers, not 26" in hits.without
    assert [hit.channels[0] for hit in hits] == ["text"]
    lib.close()


@pytest.mark.parametrize("address", ["http://127.0.0.1/v1", "http://#m", "http://me:secret@127.0.0.1/v1#m"])
def test_an_address_that_names_no_model_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(LibraryError) as caught:
        Library(tmp_path, embedder=address)
    assert "secret" not in str(caught.value)
