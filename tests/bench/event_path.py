"""Measures the way from a streamed chunk to the event a listener gets, against the raw client on the same server.

Run it by hand: ``python -m tests.bench.event_path``. Frameworks that are installed are measured too.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import nephele_nb as nn
from nephele_nb.events import StreamChunk
from nephele_nb.model.scripted import Call, ScriptedModel, Step

CHUNKS = 5000
RUNS = 5
PAUSE_S = 0.3
HISTORIES = (1, 800)
TWO_STEPS = [Step(calls=[Call("get_stats")]), Step(say="Done.")]


def answer(chunks: int) -> Step:
    """Return a step that says ``chunks`` pieces of nine characters, sent in one go so that only the reader counts."""
    return Step(say="".join(f"w{n:07d} " for n in range(chunks)), chunk_chars=9)


def history(length: int) -> list[dict[str, str]]:
    """Return a conversation of ``length`` messages, the last one the user's."""
    return [{"role": ("user", "assistant")[n % 2], "content": f"message {n} " * 10} for n in range(length - 1 | 1)]


async def typed(model: ScriptedModel, messages: list[Any]) -> tuple[float, float]:
    """Iterate the raw client's typed stream; seconds to the first delta and in all."""
    import openai

    client = openai.AsyncOpenAI(base_url=model.base_url, api_key="none", max_retries=0)
    try:
        await drain(client, messages)
        began, first = time.perf_counter(), 0.0
        stream = await client.chat.completions.create(model=model.model, messages=messages, stream=True)
        async for chunk in stream:
            if not first and chunk.choices and chunk.choices[0].delta.content:
                first = time.perf_counter() - began
        return first, time.perf_counter() - began
    finally:
        await client.close()


async def drain(client: Any, messages: list[Any]) -> None:
    """Open the connection and warm the library up."""
    async with client.chat.completions.with_streaming_response.create(
        model="warm", messages=[], extra_body={"messages": messages[-1:], "stream": True}
    ) as response:
        async for _ in response.iter_bytes():
            pass


async def raw(model: ScriptedModel, messages: list[Any]) -> tuple[float, float]:
    """Read the same client's raw lines; seconds to the first delta and in all."""
    import openai

    client = openai.AsyncOpenAI(base_url=model.base_url, api_key="none", max_retries=0)
    try:
        await drain(client, messages)
        began, first = time.perf_counter(), 0.0
        async with client.chat.completions.with_streaming_response.create(
            model=model.model, messages=[], extra_body={"messages": messages, "stream": True}
        ) as response:
            async for line in response.iter_lines():
                if line.startswith("data: {"):
                    chunk = json.loads(line[6:])
                    if not first and chunk["choices"] and chunk["choices"][0]["delta"].get("content"):
                        first = time.perf_counter() - began
        return first, time.perf_counter() - began
    finally:
        await client.close()


def ours(model: ScriptedModel, messages: list[Any], home: Path) -> tuple[float, float]:
    """Ask an agent and listen; seconds to the first StreamChunk and to the last event a listener of a run gets."""
    agent = nn.Agent(base_url=model.base_url, model=model.model, home=home, namespace={}, library=home / "library")
    try:
        agent.ask("warm up").result(60)
        agent.conversation.history.messages[:] = messages[:-1]
        time.sleep(PAUSE_S)
        began, first = time.perf_counter(), 0.0
        for event in agent.ask("go on"):
            if not first and isinstance(event, StreamChunk):
                first = time.perf_counter() - began
        return first, time.perf_counter() - began
    finally:
        agent.close()


def medians(measure: Callable[[], tuple[float, float]], runs: int = RUNS) -> tuple[float, float]:
    """Return the medians of both times over some runs."""
    firsts, wholes = zip(*(measure() for _ in range(runs)), strict=True)
    return statistics.median(firsts), statistics.median(wholes)


def waited(work: Callable[[], Awaitable[tuple[float, float]]]) -> Callable[[], tuple[float, float]]:
    """Return a measurement that runs a coroutine to its end."""
    return lambda: asyncio.run(work())  # type: ignore[arg-type]


def per_chunk(home: Path) -> None:
    """Print what a chunk costs each reader, in microseconds."""
    rows: dict[str, float] = {}
    for name in ("typed stream", "raw lines", "nephele_nb, to the event"):
        costs = []
        for chunks in (100, CHUNKS):
            with ScriptedModel([answer(chunks)], chunking="whole") as model:
                costs.append(medians(reader(name, model, 1, home))[1])
        rows[name] = (costs[1] - costs[0]) / (CHUNKS - 100) * 1e6
    for name, cost in rows.items():
        print(f"| {name} | {cost:.1f} | {cost / rows['typed stream']:.2f} |")


def first_delta(home: Path) -> None:
    """Print the time to the first delta over the raw client's, in milliseconds."""
    for length in HISTORIES:
        times = {}
        for name in ("raw lines", "typed stream", "nephele_nb, to the event"):
            with ScriptedModel([answer(3)]) as model:
                times[name] = medians(reader(name, model, length, home), 9)[0] * 1e3
        over = times["nephele_nb, to the event"] - times["raw lines"]
        print(f"| {length} | {' | '.join(f'{t:.1f}' for t in times.values())} | {over:+.1f} |")


def reader(name: str, model: ScriptedModel, length: int, home: Path) -> Callable[[], tuple[float, float]]:
    """Return one of the measurements."""
    messages = history(length)
    if name == "typed stream":
        return waited(lambda: typed(model, messages))
    if name == "raw lines":
        return waited(lambda: raw(model, messages))
    return lambda: ours(model, messages, Path(tempfile.mkdtemp(dir=home)))


def main() -> None:
    """Print the tables."""
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory() as home:
        print("| reader | µs a chunk | of the typed stream |\n|---|---|---|")
        per_chunk(Path(home))
        print("\n| messages | raw lines, ms | typed stream, ms | nephele_nb, ms | over raw |\n|---|---|---|---|---|")
        first_delta(Path(home))


if __name__ == "__main__":
    main()
