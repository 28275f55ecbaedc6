"""Sub-agents: a loop each over tools that only read, several at once; they delegate nothing and ask nobody.

Each runs on a thread with an asyncio loop of its own, so that none waits for another. What they spend is spent from the
round's budget, a Stop of the round stops them all, and one that fails or is late brings back what it has.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Literal
from uuid import uuid4

from .events import CreditsUpdate, Event, LoopDone, LoopError, StaminaCost, SubagentUpdate, ToolStart
from .history import History
from .loop import loop
from .model.budget import Caps
from .model.client import ModelClient
from .model.tiers import Endpoint
from .prompt import subagent_prompt
from .round import CITATION, Interruption, Limits, Round
from .threads import Ended, brief, in_thread
from .tools import Desk, Offer, Toolbox
from .tools.delegate_tasks import title_of
from .types import Source, ToolResult, Usage

AT_ONCE = 4
CLOSING_SHARE = 0.75
"""The share of its time after which a sub-agent is made to close with what it has."""
STOPPING_S = 3.0
"""How long sub-agents that are stopped may take to end."""
UNSHARED = ("delegate_tasks", "load_tools", "load_skill", "open_view")
"""Reading tools that are the round's alone."""

State = Literal["waiting", "running", "done", "failed", "timeout", "cancelled"]


@dataclass(slots=True)
class Delegation:
    """Runs the tasks of one call of ``delegate_tasks``; ``client`` opens a connection for each sub-agent."""

    round: Round
    endpoint: Endpoint
    tools: Toolbox
    client: Callable[[Endpoint], ModelClient]
    started: float
    seconds: float

    async def __call__(self, tasks: Sequence[str], desk: Desk) -> ToolResult:
        """Return the reports of all tasks in their order; a Stop meanwhile brings back what there is."""
        here = asyncio.get_running_loop()

        def tell(event: Event) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens any more
                here.call_soon_threadsafe(desk.emit, event)

        # what is on a tape must come in the same order each time
        gate = asyncio.Semaphore(1 if self.round.tape is not None else AT_ONCE)
        children = [Child(self, text, tell) for text in tasks]
        self.round.tasks |= {child.id: partial(self._cancel, child) for child in children}
        running = [asyncio.ensure_future(child.run(gate)) for child in children]
        try:
            await asyncio.wait(running)
        except asyncio.CancelledError:
            for child in children:
                child.end(self.round.interrupted or "stop")
            await asyncio.wait(running, timeout=STOPPING_S)
        for child in children:
            self.round.tasks.pop(child.id, None)
            self.round.usage += child.usage
        return self._reports(children)

    def _cancel(self, child: Child) -> None:
        """Stop one sub-agent because the user said so."""
        if self.round.tape is not None:
            self.round.tape.keep_said("cancel", str([*self.round.tasks].index(child.id)))
        child.cancel()

    def _reports(self, children: Sequence[Child]) -> ToolResult:
        cited = [source for child in children for source in child.sources]

        def numbered(numbers: Sequence[int]) -> str:
            given = iter(numbers)
            parts = []
            for place, child in enumerate(children, 1):
                new = {source.n: next(given) for source in child.sources}
                head = child.head(place, len(children))
                body = CITATION.sub(lambda found, new=new: _cite(found.group(1), new), child.report)  # type: ignore[misc]
                parts.append(
                    head if child.state == "failed" and not body else f"{head}\n{body or child.say('task_nothing')}"
                )
            return "\n\n".join(parts)

        ok = any(child.state == "done" for child in children)
        return ToolResult(numbered([0] * len(cited)), ok=ok, sources=tuple(cited), numbered=numbered)


@dataclass(slots=True, eq=False)
class Child:
    """One sub-agent: its state, and what it has to report."""

    of: Delegation
    text: str
    tell: Callable[[Event], None]
    id: str = field(default_factory=lambda: f"task-{uuid4().hex[:8]}")
    state: State = "waiting"
    why: str = ""
    report: str = ""
    sources: list[Source] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    _round: Round | None = None
    _loop: asyncio.AbstractEventLoop | None = None
    _wanted: Interruption = ""
    _late: bool = False
    """True where the round's time was up before its own."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def run(self, gate: asyncio.Semaphore) -> None:
        """Wait for a place and work on the task; never raises what goes wrong in it."""
        self._show()
        async with gate:
            if not self._wanted:
                self._become("running")
                try:
                    await in_thread(self._work)
                except (Exception, Ended) as error:  # a sub-agent's fault is its own result
                    self._become("failed", brief(error))
        if self.state in ("waiting", "running"):
            self._become(self._stopped)

    def cancel(self) -> None:
        """Stop this sub-agent alone; any thread."""
        self._interrupt("stop")

    def end(self, why: Interruption) -> None:
        """Stop this sub-agent because the round ends: the user stopped it, or its time is up."""
        self._late = why == "timeout" and self.state in ("waiting", "running")
        self._interrupt("stop")

    def head(self, place: int, count: int) -> str:
        """Return the line that its report stands under."""
        return self.say(
            f"task_{self.state}" if self.state in ("done", "failed", "timeout") else "task_cancelled",
            number=place, of=count, title=title_of(self.text), why=self.why, seconds=self._seconds,
            steps=self.usage.steps, tokens=self.usage.total,
        )  # fmt: skip

    @property
    def _stopped(self) -> State:
        return "timeout" if self._late else "cancelled"

    @property
    def _seconds(self) -> float:
        clock = self.of.round.limits.wall_clock_s
        return clock if self._late and clock else self.of.seconds

    @property
    def say(self) -> Callable[..., str]:
        return self.of.round.say

    def _work(self) -> None:
        asyncio.run(self._drive())

    async def _drive(self) -> None:
        parent = self.of.round
        round = _part_of(parent, self.text, self.of.seconds)
        round.driver, round.started = asyncio.current_task(), time.time()
        with self._lock:
            self._round, self._loop = round, asyncio.get_running_loop()
        if self._wanted:
            round.interrupted = self._wanted
            return
        self._loop.call_later(self.of.seconds * CLOSING_SHARE, round.interrupt, "timeout")
        tools = self.of.tools.only(lambda tool: tool.effect == "reads" and tool.name not in UNSHARED)
        system = {"role": "system", "content": subagent_prompt(round.say.language, self.of.started)}
        model = self.of.client(self.of.endpoint)
        try:
            async with (
                asyncio.timeout(self.of.seconds),
                aclosing(loop(round, model, Offer(tools, round.say, self.text), system)) as events,
            ):
                async for event in events:
                    self._hear(event, round)
        except TimeoutError:
            self.why = ""
            self._become("timeout")
        finally:
            self.report, self.usage = "".join(round.answer).removesuffix(self.why).strip(), round.usage
            self.sources = round.sources.cited(self.report) if self.report else []
            await model.close()
            self._show()

    def _hear(self, event: Event, round: Round) -> None:
        """Tell the round what concerns it: what was spent, and how far the task is."""
        self.usage = round.usage
        if isinstance(event, StaminaCost | CreditsUpdate):
            self.tell(event)
        elif isinstance(event, LoopError):
            self.why = event.message
        elif isinstance(event, ToolStart):
            self._show(event.tool)
        elif isinstance(event, LoopDone):
            state = _state_of(event, round)
            if round.capped is not None:
                self.why = round.capped.words(self.say)
            self._become(self._stopped if state == "cancelled" else state, self.why)

    def _become(self, state: State, why: str = "") -> None:
        self.state, self.why = state, why
        self._show()

    def _show(self, doing: str = "") -> None:
        words = self.report or self.why if self.state not in ("waiting", "running") else doing
        self.tell(SubagentUpdate(self.id, title_of(self.text), self.state, self.usage.steps, self.usage.total, words))

    def _interrupt(self, why: Interruption) -> None:
        with self._lock:
            self._wanted = self._wanted or why
            round, there = self._round, self._loop
        if round is not None and there is not None:
            with suppress(RuntimeError):  # its loop is over, so it has ended
                there.call_soon_threadsafe(round.interrupt, why)


def _part_of(parent: Round, text: str, seconds: float) -> Round:
    """Return the round of a sub-agent: its own history, its parent's budget and secrets, nobody to ask."""
    limits = Limits(
        parent.limits.max_steps,
        parent.limits.max_tool_calls,
        seconds * (1 - CLOSING_SHARE),
        0.0,
        parent.limits.tool_timeout_s,
    )
    return Round(
        id=parent.id,
        text=text,
        mode="agent",
        tier=parent.tier,
        say=parent.say,
        history=History(),
        limits=limits,
        policy="never",
        on_operation=lambda operation: None,
        budget=parent.budget.part(Caps()),
        secrets=parent.secrets,
        results=parent.results,
        headless=True,
    )


def _state_of(done: LoopDone, round: Round) -> State:
    if round.capped is not None:
        return "failed"
    if done.finish in ("answer", "budget", "no_progress", "tool_failed"):
        return "done" if round.answer else "failed"
    return {"timeout": "timeout", "stopped": "cancelled"}.get(done.finish, "failed")  # type: ignore[return-value]


def _cite(number: str, new: dict[int, int]) -> str:
    """Return a citation under its new number; one of nothing that was opened is dropped."""
    return f"[{new[int(number)]}]" if int(number) in new else ""
