"""Measures the way from a streamed chunk to the event a listener gets, against the raw client on the same server.

Run it by hand: ``python -m tests.bench.event_path``.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nephele_nb as nn
from nephele_nb.events import StreamChunk
from nephele_nb.model.scripted import ScriptedModel, Step

CHUNKS = 5000
RUNS = 5
PAUSE_S = 0.1
HISTORIES = (1, 800)


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


class Ours:
    """An agent that is kept open, as a notebook keeps one."""

    def __init__(self, model: ScriptedModel, messages: list[Any], home: Path) -> None:
        self.messages = messages
        self.agent = nn.Agent(
            base_url=model.base_url, model=model.model, home=home, namespace={}, library=home / "library"
        )
        self.agent.ask("warm up").result(60)

    def __call__(self) -> tuple[float, float]:
        """Ask and listen; seconds to the first StreamChunk, and until a listener of the run has its last event."""
        self.agent.conversation.history.messages[:] = self.messages[:-1]
        began, first = time.perf_counter(), 0.0
        for event in self.agent.ask("go on"):
            if not first and isinstance(event, StreamChunk):
                first = time.perf_counter() - began
        return first, time.perf_counter() - began


def measured(chunks: int, length: int, runs: int) -> dict[str, tuple[float, float]]:
    """Return the medians of both times of each reader; readers take turns, so that all meet the same machine."""
    messages = history(length)
    with (
        tempfile.TemporaryDirectory() as home,
        ScriptedModel([answer(chunks)], chunking="whole" if chunks > 3 else "event") as model,
    ):
        mine = Ours(model, messages, Path(home))
        readers: dict[str, Callable[[], tuple[float, float]]] = {
            "raw lines": lambda: asyncio.run(raw(model, messages)),
            "typed stream": lambda: asyncio.run(typed(model, messages)),
            "nephele_nb, to the event": mine,
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in readers}
        for _ in range(runs):
            for name, read in readers.items():
                time.sleep(PAUSE_S)
                times[name].append(read())
        mine.agent.close()
    return {name: tuple(map(statistics.median, zip(*pairs, strict=True))) for name, pairs in times.items()}  # type: ignore[misc]


def main() -> None:
    """Print the tables."""
    few, many = measured(100, 1, RUNS), measured(CHUNKS, 1, RUNS)
    costs = {name: (many[name][1] - few[name][1]) / (CHUNKS - 100) * 1e6 for name in many}
    print("| reader | µs a chunk | of the typed stream |\n|---|---|---|")
    for name, cost in costs.items():
        print(f"| {name} | {cost:.1f} | {cost / costs['typed stream']:.2f} |")
    print("\n| messages | raw lines, ms | typed stream, ms | nephele_nb, ms | over raw |\n|---|---|---|---|---|")
    for length in HISTORIES:
        firsts = [first * 1e3 for first, _ in measured(3, length, 3 * RUNS).values()]
        print(f"| {length} | {' | '.join(f'{ms:.1f}' for ms in firsts)} | {firsts[2] - firsts[0]:+.1f} |")


if __name__ == "__main__":
    main()
