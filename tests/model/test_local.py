"""A real model in a real child process: it answers, is stopped, is given back, fails in words, and leaves no orphan."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.errors import ModelError
from nephele_nb.model.delta import Loading, Reply, TextDelta
from nephele_nb.model.gguf import look
from nephele_nb.model.lite_client import LiteClient
from nephele_nb.model.local import LocalServer
from nephele_nb.settings import Effective, shared
from tests.model.tiny_gguf import write

pytest.importorskip("xllamacpp")
WORDS = ["Sales", " fell", " in", " March", " [1]."]
HELLO = [{"role": "user", "content": "hello"}]
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("models") / "tiny.gguf", WORDS)


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("models") / "endless.gguf", [" and", " so", " on"], endless=True)


def client(path: Path | str, **settings: Any) -> LiteClient:
    return LiteClient(Effective(shared(), {"lite_model": str(path), **settings}))


def played(path: Path | str, play: Callable[[LiteClient], Any], **settings: Any) -> Any:
    """Run a coroutine function over a client, which is closed then and has left no process."""

    async def whole() -> Any:
        model = client(path, **settings)
        try:
            assert await model.ready()
            return await play(model)
        finally:
            pids = child(model)
            await model.close()
            assert [pid for pid in pids if alive(pid)] == []

    return asyncio.run(whole())


def child(model: LiteClient) -> list[int]:
    server = model._served.server
    return [server._child.pid] if server is not None and server._child is not None else []


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def command(pid: int) -> str:
    line = Path(f"/proc/{pid}/cmdline")
    return line.read_text() if line.exists() else ""


async def said(stream: AsyncGenerator[Any]) -> list[Any]:
    async with aclosing(stream) as deltas:
        return [delta async for delta in deltas]


async def killed(model: LiteClient) -> AsyncGenerator[Any]:
    """Yield an answer whose process is killed at its first word."""
    async with aclosing(model.stream(HELLO)) as deltas:
        async for delta in deltas:
            if isinstance(delta, TextDelta):
                os.kill(child(model)[0], signal.SIGKILL)
            yield delta


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await asyncio.sleep(0.02)


def test_it_is_loaded_at_the_first_question_and_stays_for_the_next(tiny: Path) -> None:
    async def play(model: LiteClient) -> None:
        assert child(model) == []
        first, (pid,) = await said(model.stream(HELLO)), child(model)
        second = await said(model.stream(HELLO))
        assert child(model) == [pid]
        assert isinstance(first[0], Loading)
        assert not [d for d in second if isinstance(d, Loading)]
        for deltas in (first, second):
            assert [d.text for d in deltas if isinstance(d, TextDelta)] == WORDS
            assert isinstance(deltas[-1], Reply)
            assert deltas[-1].usage.output == len(WORDS) + 1

    played(tiny, play)


def test_only_who_has_the_key_is_answered_and_the_key_stands_on_no_command_line(tiny: Path) -> None:
    async def play(model: LiteClient) -> None:
        await said(model.stream(HELLO))
        endpoint = model._served.server.endpoint  # type: ignore[union-attr]
        assert endpoint.base_url.startswith("http://127.0.0.1:")
        assert len(endpoint.api_key) >= 32
        body = json.dumps({"messages": HELLO}).encode()
        request = urllib.request.Request(f"{endpoint.base_url}/chat/completions", body)
        with pytest.raises(urllib.error.HTTPError) as refused:
            await asyncio.to_thread(urllib.request.urlopen, request)
        refused.value.close()
        assert refused.value.code == 401
        assert endpoint.api_key not in command(child(model)[0])

    played(tiny, play)


def test_it_never_takes_more_threads_than_there_are_cores(tiny: Path) -> None:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = look(tiny)
    assert found is not None
    assert LocalServer(found, context=512, idle_s=0, threads=999).threads == cores
    assert LocalServer(found, context=512, idle_s=0).threads == max(1, cores - 1)  # type: ignore[operator]
    assert LocalServer(found, context=1 << 20, idle_s=0).context == found.context


def test_memory_is_given_back_when_idle_and_taken_again(tiny: Path) -> None:
    async def play(model: LiteClient) -> None:
        await said(model.stream(HELLO))
        (pid,) = child(model)
        await until(lambda: not alive(pid))
        again = await said(model.stream(HELLO))
        assert isinstance(again[0], Loading)
        assert isinstance(again[-1], Reply)

    played(tiny, play, lite_idle_s=0.2)


def test_a_stop_while_it_loads_leaves_no_process(tiny: Path) -> None:
    async def play(model: LiteClient) -> None:
        asking = asyncio.ensure_future(said(model.stream(HELLO)))
        await until(lambda: bool(child(model)))
        (pid,) = child(model)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert not alive(pid)
        assert isinstance((await said(model.stream(HELLO)))[-1], Reply)

    played(tiny, play)


def test_a_stop_while_it_writes_ends_the_answer_and_keeps_the_model(endless: Path) -> None:
    async def play(model: LiteClient) -> None:
        async with aclosing(model.stream(HELLO)) as deltas:
            async for delta in deltas:
                if isinstance(delta, TextDelta):
                    break
        (pid,) = child(model)
        assert alive(pid)
        assert isinstance((await said(model.stream(HELLO)))[-1], Reply)
        assert child(model) == [pid]

    played(endless, play)


def test_an_answer_without_end_is_ended(endless: Path) -> None:
    async def play(model: LiteClient) -> None:
        reply = (await said(model.stream(HELLO)))[-1]
        assert reply.finish_reason in ("loop", "length", "long")
        assert len(reply.text) < 20_000

    played(endless, play)


def test_a_process_that_dies_is_said_to_have_and_is_started_again(endless: Path) -> None:
    async def play(model: LiteClient) -> None:
        with pytest.raises(ModelError, match=r"ended \(exit -9\).*ask again") as failed:
            await said(killed(model))
        assert failed.value.code == "cut"
        assert isinstance((await said(model.stream(HELLO)))[-1], Reply)

    played(endless, play)


def test_a_model_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    path = write(tmp_path / "odd.gguf", WORDS, general__architecture="nosuch", nosuch__context_length=64)

    async def play(model: LiteClient) -> None:
        with pytest.raises(ModelError, match=r"odd could not be started: .*nosuch.*lite_model"):
            await said(model.stream(HELLO))

    played(path, play)


@pytest.mark.parametrize(
    ("name", "words"), [("no.gguf", "is not there"), ("text.gguf", "no GGUF"), ("embed.gguf", "no chat model")]
)
def test_a_named_file_that_cannot_be_used_is_an_error(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "text.gguf").write_text("not a model")
    write(tmp_path / "embed.gguf", WORDS)
    with pytest.raises(ModelError, match=words) as failed:
        asyncio.run(client(tmp_path / name).ready())
    assert str(tmp_path / name) in str(failed.value)


def test_without_a_model_it_is_not_ready() -> None:
    assert asyncio.run(client("none").ready()) is False


PARENT = """
import asyncio, sys
from nephele_nb.model.lite_client import LiteClient
from nephele_nb.settings import Effective, shared
async def main():
    model = LiteClient(Effective(shared(), {"lite_model": sys.argv[1]}))
    await model.ready()
    async for delta in model.stream([{"role": "user", "content": "hello"}]):
        pass
    print(model._served.server._child.pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


def test_it_ends_with_a_parent_that_is_killed(tiny: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, str(tiny)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + PATIENCE_S
    while alive(pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)
