"""One round as its caller holds it: events as they come, approvals, the answer; it decides nothing.

Every wait here goes through the bridge, so a wait on the kernel's main thread runs the agent's code meanwhile. An
interrupt of a wait stops the round.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .approval import Approval
from .errors import ApprovalUnanswered, ModelError
from .events import Event, LoopDone, LoopError, StreamChunk, StreamReset, ToolStart
from .kernel.front import say
from .round import Round
from .types import Finish, Source, Usage, Why

if TYPE_CHECKING:
    from .kernel.bridge import Bridge


def undo_mark(round_id: str) -> str:
    """Return the mark that ends the answer of a round whose operations can be undone."""
    return f"<!--UNDO:{round_id}-->"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a round came to."""

    text: str
    sources: list[Source]
    usage: Usage
    round_id: str
    finish: Finish

    def __repr__(self) -> str:
        return self._repr_markdown_()

    def _repr_markdown_(self) -> str:
        return self.text.removesuffix(undo_mark(self.round_id)).rstrip()


class Run:
    """A round that goes on in the background; iterate it for its events, or wait for its ``result``."""

    def __init__(
        self,
        round: Round,
        bridge: Bridge,
        strict: bool,
        stop: Callable[[], None],
        steer: Callable[[str], None],
        warn: str = "",
    ) -> None:
        """``warn`` is said once in a cell that waits where clicks can't be heard meanwhile."""
        self.events: list[Event] = []
        self._round = round
        self._bridge = bridge
        self._strict = strict
        self._stop = stop
        self._steer = steer
        self._warn = warn

    def __repr__(self) -> str:
        return f"Run({'done' if self.done else 'running'})"

    @property
    def round_id(self) -> str:
        return self._round.id

    @property
    def text(self) -> str:
        """The user's message."""
        return self._round.text

    @property
    def again(self) -> str:
        """The approval that is asked once more in this round, "" for any other round."""
        return self._round.ruling.again if self._round.ruling else ""

    @property
    def instead(self) -> Mapping[str, Why]:
        """The rounds that leave the model's context when this one begins, and why."""
        return self._round.instead

    @property
    def done(self) -> bool:
        """True once LoopDone is among the events."""
        return bool(self.events) and isinstance(self.events[-1], LoopDone)

    @property
    def pending(self) -> list[Approval]:
        """The approvals that wait for a decision."""
        return [a for a in list(self._round.pending) if a.decision is None]

    def wait_pending(self, timeout: float | None = None) -> Approval | None:
        """Wait for an approval to decide; None at time-out, or when the round ends without one."""
        self._wait(lambda: bool(self.pending) or self.done, timeout)
        return next(iter(self.pending), None)

    def result(self, timeout: float | None = None) -> Answer:
        """Wait for the answer; raises TimeoutError while the round goes on, in strict headless mode
        ApprovalUnanswered, and ModelError (``tape``) where a tape doesn't match and the mode is strict or a kernel
        runs with nobody in front of it. How the round ended is in ``finish``.
        """
        if not self._wait(lambda: self.done, timeout):
            raise TimeoutError(f"the round goes on after {timeout} s; call result() again to wait on, or stop()")
        if self._strict and self._round.unanswered:
            names = ", ".join(self._round.unanswered)
            raise ApprovalUnanswered(
                f"nobody answered the approval of {names} (headless mode is strict). Set a policy, for example "
                'approve="always", or unset NEPHELE_HEADLESS.'
            )
        off_tape = next((e for e in self.events if isinstance(e, LoopError) and e.code == "tape"), None)
        if off_tape and (self._strict or (self._round.headless and self._bridge.has_kernel)):
            raise ModelError(off_tape.message, code="tape")
        return self._answer()

    def stop(self) -> None:
        """Stop the round; what ran stays, what had not started is cancelled."""
        self._stop()

    def cancel(self, task_id: str) -> bool:
        """Stop one sub-agent of the round; False where none of that id is at work."""
        stop = self._round.tasks.get(task_id)
        if stop is not None:
            stop()
        return stop is not None

    def steer(self, text: str) -> None:
        """Say something to the running round, heard at the next step; a round that is over makes it a new one."""
        self._steer(text)

    def __iter__(self) -> Iterator[Event]:
        seen = 0
        while not (self.done and seen == len(self.events)):
            self._wait(self._more_than(seen), None)
            while seen < len(self.events):
                yield self.events[seen]
                seen += 1

    async def __aiter__(self) -> AsyncIterator[Event]:
        seen = 0
        while not (self.done and seen == len(self.events)):
            await self._bridge.wait_async(self._more_than(seen))
            while seen < len(self.events):
                yield self.events[seen]
                seen += 1

    def _more_than(self, seen: int) -> Callable[[], bool]:
        return lambda: len(self.events) > seen

    def _wait(self, ready: Callable[[], bool], timeout: float | None) -> bool:
        if self._warn and not self._round.headless and not ready():
            say(self._warn)
            self._warn = ""
        try:
            return self._bridge.wait(ready, timeout)
        except KeyboardInterrupt:
            self.stop()
            raise

    def _answer(self) -> Answer:
        done = self.events[-1]
        assert isinstance(done, LoopDone)
        text: list[str] = []
        for event in self.events:
            if isinstance(event, StreamChunk):
                text.append(event.text)
            elif isinstance(event, ToolStart | StreamReset):
                text.clear()
        errors = [e.message for e in self.events if isinstance(e, LoopError)]
        body = "".join(text) or "\n".join(errors)
        return Answer(body, done.sources, done.usage, self.round_id, done.finish)
