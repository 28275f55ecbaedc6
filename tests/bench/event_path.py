"""Measures the way from a streamed chunk to the event a listener gets, against the raw client on the same server.

Run it by hand: ``python -m tests.bench.event_path``. ``openai-agents`` and ``pydantic-ai-slim[openai]`` are measured
too where they are installed, which the tests don't need; ``NEPHELE_BENCH_ALSO`` names a folder to find them in.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import nephele_nb as nn
from nephele_nb.events import StreamChunk
from nephele_nb.model.scripted import Call, Scene, ScriptedModel, Step

from .frameworks import installed

CHUNKS = 5000
RUNS = 5
PAUSE_S = 0.1
HISTORIES = (1, 800)


def answer(chunks: int) -> Step:
    """Return a step that says ``chunks`` pieces of nine characters, sent in one go so that only the reader counts."""
    return Step(say="".join(f"w{n:07d} " for n in range(chunks)), chunk_chars=9)


def add_one(n: int) -> str:
    """Add one."""
    return str(n + 1)


ROUND = [Scene([Step(calls=[Call("add_one", {"n": 1})]), Step(say="It is two, as it should be.")])]


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


async def raw(model: ScriptedModel, messages: list[Any], *, tool: bool = False) -> tuple[float, float]:
    """Read the same client's raw lines, and carry a call out; seconds to the first delta and in all."""
    import openai

    client = openai.AsyncOpenAI(base_url=model.base_url, api_key="none", max_retries=0)
    try:
        await drain(client, messages)
        began, first = time.perf_counter(), 0.0
        for _ in range(1 + tool):
            said, call = 0.0, ""
            async for delta in deltas(client, model.model, messages):
                said = said or (time.perf_counter() - began if delta.get("content") else 0.0)
                call += "".join(c["function"].get("arguments", "") for c in delta.get("tool_calls", ()))
            if call:
                entry = {"id": "c", "type": "function", "function": {"name": "add_one", "arguments": call}}
                result = {"role": "tool", "tool_call_id": "c", "content": add_one(**json.loads(call))}
                messages = [*messages, {"role": "assistant", "content": None, "tool_calls": [entry]}, result]
            first = said or first
        return first, time.perf_counter() - began
    finally:
        await client.close()


async def deltas(client: Any, name: str, messages: list[Any]) -> AsyncIterator[dict[str, Any]]:
    """Yield the deltas of one request."""
    async with client.chat.completions.with_streaming_response.create(
        model=name, messages=[], extra_body={"messages": messages, "stream": True}
    ) as response:
        async for line in response.iter_lines():
            if line.startswith("data: {"):
                chunk = json.loads(line[6:])
                if chunk["choices"]:
                    yield chunk["choices"][0]["delta"]


class Ours:
    """An agent that is kept open, as a notebook keeps one."""

    def __init__(self, model: ScriptedModel, messages: list[Any], home: Path) -> None:
        self.messages = messages
        self.agent = nn.Agent(
            base_url=model.base_url, model=model.model, home=home, namespace={}, library=home / "library"
        )
        self.agent.tools.register(add_one, effect="reads")
        self.agent.ask("warm up").result(60)

    def __call__(self) -> tuple[float, float]:
        """Ask and listen; seconds to the first StreamChunk, and until a listener of the run has its last event."""
        self.agent.conversation.history.messages[:] = self.messages[:-1]
        began, first = time.perf_counter(), 0.0
        for event in self.agent.ask("go on"):
            if not first and isinstance(event, StreamChunk):
                first = time.perf_counter() - began
        return first, time.perf_counter() - began


def measured(script: Any, length: int, runs: int, *, tool: bool = False, whole: bool = False) -> dict[str, Any]:
    """Return the medians of both times of each reader; readers take turns, so that all meet the same machine."""
    messages = history(length)
    with (
        tempfile.TemporaryDirectory() as home,
        ScriptedModel(script, chunking="whole" if whole else "event") as model,
    ):
        mine = Ours(model, messages, Path(home))
        readers: dict[str, Callable[[], tuple[float, float]]] = {
            "raw lines": lambda: asyncio.run(raw(model, messages, tool=tool)),
            "nephele_nb, to the event": mine,
        }
        if not tool:
            readers["typed stream"] = lambda: asyncio.run(typed(model, messages))
        if length == 1:
            given = add_one if tool else None
            readers |= {n: lambda read=read: read(model, given) for n, read in installed().items()}  # type: ignore[misc]
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in readers}
        for _ in range(runs):
            for name, read in readers.items():
                time.sleep(PAUSE_S)
                times[name].append(read())
        mine.agent.close()
    return {name: tuple(map(statistics.median, zip(*pairs, strict=True))) for name, pairs in times.items()}


def main() -> None:
    """Print the tables."""
    sys.path += [folder for folder in [os.environ.get("NEPHELE_BENCH_ALSO")] if folder]
    few, many = (measured([answer(n)], 1, RUNS, whole=True) for n in (100, CHUNKS))
    costs = {name: (many[name][1] - few[name][1]) / (CHUNKS - 100) * 1e6 for name in many}
    print("| reader | µs a chunk | of the typed stream |\n|---|---|---|")
    for name, cost in costs.items():
        print(f"| {name} | {cost:.1f} | {cost / costs['typed stream']:.2f} |")
    for title, which, script, tool in (("first delta", 0, [answer(3)], False), ("two-step round", 1, ROUND, True)):
        print(f"\n| {title}, messages | reader | ms | over raw |\n|---|---|---|---|")
        for length in HISTORIES:
            found = measured(script, length, 3 * RUNS, tool=tool)
            for name, times in found.items():
                ms, over = times[which] * 1e3, (times[which] - found["raw lines"][which]) * 1e3
                print(f"| {length} | {name} | {ms:.1f} | {over:+.1f} |")


if __name__ == "__main__":
    main()
