"""Tries the loop on a small real model: how many of some small notebook tasks end with the right value.

``python -m tests.bench.try_model`` serves the model of tier lite on this machine and asks it as any other endpoint,
with every approval given by policy. The code of the tasks runs in a dict of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import matplotlib as mpl

import nephele_nb as nn
from nephele_nb.errors import NepheleError
from nephele_nb.events import LoopError, StreamChunk, ToolFinish, ToolStart
from nephele_nb.library.progress import Terminal
from nephele_nb.model.choice import choose
from nephele_nb.model.gguf import Gguf
from nephele_nb.model.local import LocalServer
from nephele_nb.model.weights import fetch
from nephele_nb.rules import FORCE
from nephele_nb.settings import Effective, shared
from tests.bench.tasks import INVENTORY, NOTES, TASKS, Outcome, Task, names

LIMITS: dict[str, Any] = {
    "max_tool_calls": 8,
    "wall_clock_s": 900.0,
    "run_timeout_s": 30.0,
    "first_byte_timeout_s": 800.0,
}


def main() -> None:
    """Run the tasks whose names were given, or all, and print one line each and the sum."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("names", nargs="*", help="tasks to run; all if left out")
    asked.add_argument("--model", default="auto", help="a GGUF file; the one of tier lite if left out")
    asked.add_argument("--context", type=int, default=8192, help="tokens the model takes")
    asked.add_argument("--log", type=Path, help="a file to add everything that was said to")
    given = asked.parse_args()
    tasks = [task for task in TASKS if task.name in given.names or not given.names]
    mpl.use("agg")
    server = LocalServer(_model(given.model), context=given.context, idle_s=0)
    print(f"{server.model.name}, {server.context} tokens, {server.threads} threads, {len(tasks)} tasks\n")
    with ExitStack() as stack:
        stack.callback(server.stop)
        asyncio.run(_started(server))
        # All conversations begin at once: the prompt says when, and a prompt that stays the same is read only once.
        trials = [stack.enter_context(_trial(task, server)) for task in tasks]
        reached = [_tried(trial, given.log) for trial in trials]
    print(f"\n{sum(reached)} of {len(reached)} reached")


def _model(named: str) -> Gguf:
    home = Effective(shared(), {}).home_folder
    choice = choose(named, home)
    if choice.model is None and named == "auto":
        print("Fetching a model of 1.1 GB.", file=sys.stderr)
        fetch(home / "models", Terminal(), Event())
        choice = choose(named, home)
    if choice.model is None:
        raise SystemExit(f"There is no model to try: {choice.why or named}.")
    return choice.model


async def _started(server: LocalServer) -> None:
    async for _ in server.start():
        pass


@dataclass(frozen=True, slots=True)
class Trial:
    """One task with a home, a library and a namespace of its own."""

    task: Task
    agent: nn.Agent
    names: dict[str, Any]


@contextmanager
def _trial(task: Task, server: LocalServer) -> Iterator[Trial]:
    with tempfile.TemporaryDirectory(prefix="nephele-try-", ignore_cleanup_errors=True) as folder, ExitStack() as stack:
        library = _library(Path(folder) / "library")
        stack.callback(library.close)
        own = names()
        agent = nn.Agent(
            tier="byok",
            base_url=server.endpoint.base_url,
            api_key=server.endpoint.api_key,
            model="local",
            home=folder,
            library=library,
            namespace=own,
            conversation="try",
            mode="agent",
            approve="always",
            context_tokens=server.context,
            **LIMITS,
        )
        stack.callback(agent.close)
        yield Trial(task, agent, own)


def _tried(trial: Trial, log: Path | None) -> bool:
    """Ask, and tell whether the right value came of it."""
    task, began = trial.task, time.monotonic()
    run = trial.agent.ask(f"{FORCE} {task.text}")
    answer = run.result()
    took = time.monotonic() - began
    reached = False
    with suppress(NepheleError, LookupError, TypeError, ValueError, AttributeError):
        reached = bool(task.reached(Outcome(answer, run.events, trial.names, trial.agent.library)))
    mark = "reached" if reached else "  not  "
    print(f"{mark}  {task.name:<16} {answer.usage.steps:2} steps {took:5.0f} s  {answer.finish}", flush=True)
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"=== {mark} {task.name}: {task.text}\n{_transcript(run.events)}\n--- {answer.finish}\n\n")
    return reached


def _library(place: Path) -> nn.Library:
    library = nn.Library(place, embedder="none")
    for title, text in NOTES.items():
        library.add_note(title, text)
    library.add_table("inventory", INVENTORY)
    return library


def _transcript(events: list[Any]) -> str:
    lines = []
    for event in events:
        if isinstance(event, StreamChunk):
            lines.append(event.text)
        elif isinstance(event, ToolStart):
            lines.append(f"\n>> {event.tool} {event.arguments}\n")
        elif isinstance(event, ToolFinish):
            lines.append(f"<< ok={event.ok} {event.result}\n")
        elif isinstance(event, LoopError):
            lines.append(f"!! {event.code}: {event.message}\n")
    return "".join(lines)


if __name__ == "__main__":
    main()
