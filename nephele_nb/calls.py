"""One step's tool calls: asked, run, answered, in call order; it never talks to the model.

All approvals of a step are asked at once and may be decided in any order. Neighbouring calls whose tools say they may
run together do; the others run alone. However the step ends, each call has its ToolFinish and its result in the
history.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby

from .approval import Decision
from .errors import LibraryError, ToolError
from .events import Event, ToolFinish, ToolOutput, ToolStart
from .journal import Operation
from .kernel.outputs import cut
from .numbers import Finding
from .pending import Pending, understood
from .prompt import envelope
from .questions import Questions
from .round import Round
from .threads import brief, in_thread
from .tools.offer import Offer
from .tools.registry import Desk, Tool
from .types import Message, ToolCall, ToolResult

LONGEST_RESULT = 40_000
"""Characters of one result; built-in tools keep closer bounds of their own."""
GRACE_S = 5.0
"""How long a tool that was cancelled may take to end; approved code is interrupted within about two seconds."""


class Step:
    """The calls of one step; ``events()`` runs them, ``pending`` tells afterwards how each ended."""

    def __init__(self, round: Round, tools: Offer, calls: Sequence[ToolCall], allowed: int) -> None:
        self.round = round
        self.tools = tools
        self.pending = [understood(call) for call in calls]
        self._allowed = allowed
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._over = False
        self._questions = Questions(round, self._events.put_nowait)

    async def events(self) -> AsyncGenerator[Event, None]:
        """Run the calls; an interruption ends them in order, with every event told, and is raised again."""
        work = asyncio.create_task(self._work())
        work.add_done_callback(lambda task: self._events.put_nowait(None))
        try:
            while (event := await self._events.get()) is not None:
                yield event
        except asyncio.CancelledError:
            await self._ended(work)
            self._cut()
            while not self._events.empty():
                if (event := self._events.get_nowait()) is not None:
                    yield event
            raise
        finally:
            work.cancel()
            self._cut()
        work.result()

    async def _ended(self, work: asyncio.Task[None]) -> None:
        """Cancel the work and wait for its end, for a bounded time, whatever else would end the round meanwhile."""
        work.cancel()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + 2 * GRACE_S
        while not work.done() and loop.time() < deadline:
            self.round.resume()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([work], timeout=deadline - loop.time())
        self.round.resume()

    async def _work(self) -> None:
        for index, pending in enumerate(self.pending):
            self._understand(pending, over_budget=index >= self._allowed)
        for _, batch in groupby(self.pending, key=_batch_key):
            calls = list(batch)
            await asyncio.gather(*(self._carry_out(p, calls[:n]) for n, p in enumerate(calls)))
            if self._over or self.round.interrupted:
                return
            self._answer(calls)

    def _understand(self, pending: Pending, over_budget: bool) -> None:
        say = self.round.say
        name = pending.call.name
        try:
            if over_budget:
                pending.blameless = True
                raise ToolError(say("budget_call"))
            if pending.fault:
                raise ToolError(say("unfinished_fault", fault=pending.fault.rstrip(". ") + ". "))
            tool = self.tools.find(name, say)
            name = tool.name
            pending.arguments = tool.check(pending.arguments)
            pending.preview = tool.shown(pending.arguments, say)
            pending.tool = tool
        except ToolError as error:
            pending.fault = str(error)
        except Exception as error:  # what a call would do can't be shown: it is not run, and the model is told why
            pending.fault = say("unexpected", tool=name, error=brief(error))
        self._events.put_nowait(ToolStart(pending.call.id, name, dict(pending.arguments)))
        if pending.tool is not None:
            asked = self._questions.ask(pending.call.id, pending.tool, pending.arguments, pending.preview)
            pending.approval, pending.decision = asked or (None, None)

    async def _carry_out(self, pending: Pending, earlier: Sequence[Pending]) -> None:
        if pending.tool is None:
            pending.result = ToolResult(pending.fault, ok=False)
        elif pending.decision is None or self._granted(pending, await pending.decision):
            pending.began = time.monotonic()
            pending.result = await self._kept(await self._run(pending, pending.tool))
            pending.elapsed = time.monotonic() - pending.began
            if pending.result.sources:  # numbered in call order, whichever ends first
                await asyncio.gather(*(other.over.wait() for other in earlier))
        self._finish(pending)

    def _granted(self, pending: Pending, decision: Decision) -> bool:
        say = self.round.say
        if decision.granted:
            if decision.outcome == "edited" and pending.tool and pending.tool.editable and pending.approval:
                pending.arguments = pending.arguments | {pending.tool.editable: decision.code}
                pending.notice = say("approval_edited", code=decision.code, diff=pending.approval.diff)
            pending.ran = decision.code
            return True
        if decision.outcome == "expired":
            self.round.unanswered.append(pending.call.name)
        text = say(f"approval_{decision.outcome}")
        if decision.reason:
            text += " " + say("approval_reason", reason=decision.reason)
        pending.blameless = True
        pending.result = ToolResult(text, ok=False)
        return False

    async def _run(self, pending: Pending, tool: Tool) -> ToolResult:
        say = self.round.say
        seconds = self.round.limits.tool_timeout_s
        desk = Desk(pending.call.id, self._emit, say, self.tools.load, self._keep, self.round.delegate)
        running = asyncio.create_task(tool.run(pending.arguments, desk))
        try:
            await asyncio.wait([running], timeout=seconds if tool.timed else None)
            if not running.done():
                await _cancelled(running)
                return ToolResult(say("tool_timeout", tool=tool.name, seconds=seconds), ok=False)
        except asyncio.CancelledError:
            if (partial := await _cancelled(running)) is None:
                raise
            return partial
        return self._outcome(running, tool)

    async def _kept(self, result: ToolResult) -> ToolResult:
        """Keep a result's figures by their hash, and say which can't be shown to the model."""
        if not result.images or self.round.album is None:
            return result
        try:
            kept = await in_thread(self.round.album.keep_figures, result.images)
        except asyncio.CancelledError:
            return replace(result, images=())
        return replace(result, text="\n".join([result.text, *kept.refused]), images=kept.references)

    def _outcome(self, running: asyncio.Task[ToolResult], tool: Tool) -> ToolResult:
        try:
            return running.result()
        except (ToolError, LibraryError) as error:
            return ToolResult(str(error), ok=False)
        except (Exception, asyncio.CancelledError) as error:  # a tool's own fault goes back, for the model to mend
            return ToolResult(self.round.say("unexpected", tool=tool.name, error=brief(error)), ok=False)

    def _keep(self, text: str) -> str:
        return self.round.results.keep(self.round.secrets.hide(text))

    def _emit(self, event: Event) -> None:
        if isinstance(event, ToolOutput):
            event = replace(event, output=self.round.secrets.hide_in(event.output))
        self._events.put_nowait(event)

    def _finish(self, pending: Pending) -> None:
        result = pending.result
        if result is None or self._over:
            return
        if result.sources and result.numbered:
            numbers = [self.round.sources.number(source) for source in result.sources]
            pending.result = result = replace(result, text=result.numbered(numbers))
            self.round.opened.append(result.text)
        text = self.round.secrets.hide(result.text)
        where = self._keep(text) if len(text) > LONGEST_RESULT else ""
        pending.result = result = replace(result, text=cut(text, LONGEST_RESULT, where))
        pending.notice = self.round.secrets.hide(pending.notice)
        if result.ok:
            self.round.findings.append(Finding(pending.call.id, result.text, result.reads))
        pending.over.set()
        name = pending.tool.name if pending.tool else pending.call.name
        self._events.put_nowait(ToolFinish(pending.call.id, name, result.ok, pending.text, round(pending.elapsed, 3)))
        if pending.tool is not None and pending.began is not None and pending.tool.effect != "reads":
            self._record(pending, pending.tool, result)

    def _record(self, pending: Pending, tool: Tool, result: ToolResult) -> None:
        hide = self.round.secrets.hide
        self.round.on_operation(
            Operation(
                self.round.id,
                pending.call.id,
                tool.name,
                pending.preview.description,
                result.inverse,
                hide(pending.preview.code or "") or None,
                hide(pending.ran or "") or None,
                time.time(),
            )
        )

    def _answer(self, pendings: Sequence[Pending]) -> None:
        for pending in pendings:
            result = pending.result
            assert result is not None
            own_words = pending.began is None
            body = result.text if own_words else envelope(result.text, "result")
            content = "\n".join(part for part in (pending.notice, body) if part)
            message: Message = {"role": "tool", "tool_call_id": pending.call.id, "content": content}
            if result.images:
                message["_images"] = list(result.images)
            self.round.history.add(message)

    def _cut(self) -> None:
        """End what is still open: void the approvals, and answer each call; nothing counts that comes later."""
        if self._over:
            return
        answered = {m.get("tool_call_id") for m in self.round.history.messages if m["role"] == "tool"}
        for pending in self.pending:
            if pending.approval is not None:
                self._questions.cancel(pending.approval)
            if pending.decision is not None:
                pending.decision.cancel()
            if pending.result is None:
                pending.blameless = True
                pending.elapsed = time.monotonic() - pending.began if pending.began is not None else 0.0
                pending.result = ToolResult(self.round.cut_words(pending.began is not None), ok=False)
            if not pending.over.is_set():
                self._finish(pending)
        self._answer([p for p in self.pending if p.call.id not in answered])
        self._over = True


async def _cancelled(running: asyncio.Task[ToolResult]) -> ToolResult | None:
    """Cancel a tool; return what it gives all the same, within a bounded time. One that won't end is left behind."""
    running.cancel()
    await asyncio.wait([running], timeout=GRACE_S)
    if not running.done():
        running.add_done_callback(lambda task: task.cancelled() or task.exception())
        return None
    return None if running.cancelled() or running.exception() else running.result()


def _batch_key(pending: Pending) -> object:
    together = pending.tool is not None and pending.tool.parallel and pending.approval is None
    return "together" if together else id(pending)
