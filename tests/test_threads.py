"""Whatever a foreign function raises comes back as an ordinary error, and one that hangs, hangs alone."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest

from nephele_nb.threads import Ended, in_thread


def raising(error: BaseException) -> None:
    raise error


class Wordless(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SystemExit("no key"), "SystemExit: no key"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (GeneratorExit(), "GeneratorExit"),
        (StopIteration(3), "StopIteration: 3"),
        (asyncio.CancelledError(), "CancelledError"),
    ],
)
def test_what_would_end_the_loop_is_an_ordinary_error(error: BaseException, words: str) -> None:
    with pytest.raises(Ended, match=words):
        asyncio.run(asyncio.wait_for(in_thread(raising, error), 30))


@pytest.mark.parametrize("error", [ValueError("a"), Wordless(), TimeoutError("b")])
def test_an_ordinary_error_is_raised_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as raised:
        asyncio.run(asyncio.wait_for(in_thread(raising, error), 30))
    assert raised.value is error


def test_those_that_hang_keep_nobody_waiting() -> None:
    free = threading.Event()

    async def main() -> int:
        hung = [asyncio.create_task(in_thread(free.wait)) for _ in range(60)]
        result = await asyncio.wait_for(in_thread(sum, [1, 2]), 30)
        for task in hung:
            task.cancel()
        return result

    try:
        assert asyncio.run(main()) == 3
    finally:
        free.set()


def test_the_context_goes_along() -> None:
    name = contextvars.ContextVar("name", default="")

    async def main() -> str:
        name.set("mine")
        return await in_thread(name.get)

    assert asyncio.run(main()) == "mine"


def test_a_hung_function_does_not_keep_python_alive() -> None:
    code = """
import asyncio, time
from nephele_nb.threads import in_thread
async def main():
    try:
        await asyncio.wait_for(in_thread(time.sleep, 600), 0.1)
    except TimeoutError:
        print("left")
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "left"
