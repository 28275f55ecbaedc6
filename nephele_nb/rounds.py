"""The rounds of one conversation: queued, driven one at a time, and their events fanned out; it decides nothing.

The journal hears each event first, then whoever holds the run, then, in batches, the views.
"""

from __future__ import annotations

import asyncio
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from .conversation import Conversation, open_ends
from .events import (
    ApprovalRequest,
    ApprovalResolved,
    Event,
    LoopDone,
    LoopError,
    Progress,
    RoundStart,
    Steer,
    StreamChunk,
    ToolFinish,
    ToolStart,
    stamp,
)
from .model.tape import Said, Tape
from .model.tiers import Endpoint
from .round import Round
from .route import Route
from .rules import FORCE, forced
from .run import Run, undo_mark
from .settings import Effective
from .strings import Strings
from .types import Usage
from .undo import undoable

if TYPE_CHECKING:
    from .kernel import Kernel

BATCH_S = 0.03
TOLD = (ToolStart, ApprovalRequest, ApprovalResolved, ToolFinish)
"""What comes in the same order each time a conversation is replayed."""

Batch = Callable[[Sequence[Event]], None]


class Rounds:
    """The rounds of one agent; all but ``begin`` and ``listen`` happens on the agent's thread."""

    def __init__(
        self,
        conversation: Conversation,
        route: Route,
        kernel: Kernel,
        settings: Effective,
        say: Strings,
        ask: Callable[[str], object],
    ) -> None:
        """``ask`` begins a new round with what one left unheard."""
        self.runs: list[Run] = []
        self._conversation, self._route, self._say, self._ask = conversation, route, say, ask
        self._bridge, self._deaf = kernel.bridge, kernel.deaf
        self._settings = settings
        self._listeners: list[Batch] = []
        self._batch: list[Event] = []
        self._turn: asyncio.Lock | None = None
        self._unsaved_told = False

    @property
    def heard(self) -> bool:
        """True where a view listens."""
        return bool(self._listeners)

    def begin(self, round: Round, endpoint: Endpoint) -> Run:
        """Have a round driven; it waits its turn."""
        run = Run(
            round,
            self._bridge,
            self._settings.headless == "strict",
            stop=lambda: self._bridge.post(round.interrupt, "stop"),
            steer=lambda words: self._bridge.post(self.steer, run, round, round.secrets.hide(words)),
            warn=self._say(self._deaf) if self._deaf else "",
        )
        self.runs.append(run)
        self._bridge.submit(self._drive(run, round, endpoint))
        return run

    def listen(self, batch: Batch) -> Callable[[], None]:
        """Have ``batch`` called with new events, on the agent's thread, every 30 ms at most; returns the way out.

        Without any, something around the conversation has changed.
        """
        self._listeners.append(batch)
        return lambda: self._listeners.remove(batch) if batch in self._listeners else None

    def tell(self) -> None:
        """Let every view know that something around the conversation has changed."""
        self._bridge.post(lambda: [listener(()) for listener in list(self._listeners)])

    def steer(self, run: Run, round: Round, text: str) -> None:
        """Let a running round hear the user; one that is over or has not begun makes it a new round."""
        words, for_model = forced(text)
        if run.done or not run.events or (not for_model and self._route.rules.stops(text)):
            self._ask(text)
        elif round.tape is None or round.tape.hiding.hide(words) not in round.tape.steers:
            # What was said when a tape was recorded is said again in its place.
            self._steered(run, round, words)

    def _steered(self, run: Run, round: Round, words: str) -> None:
        if round.tape is not None:
            round.tape.keep_said("steer", words)
        self._hear(run, Steer(words))
        round.steer(words)

    def _replayed(self, run: Run, round: Round, said: Said) -> None:
        """Do what the user did when the tape was recorded, on the agent's loop; a sub-agent has one of its own."""
        if asyncio.get_running_loop() is self._bridge.loop:
            self._said(run, round, said)
        else:
            self._bridge.post(self._said, run, round, said)

    def _said(self, run: Run, round: Round, said: Said) -> None:
        if said.what == "stop":
            round.interrupt("stop")
        elif said.what == "cancel":
            list(round.tasks.values())[int(said.text)]()
        else:
            self._steered(run, round, said.text)

    def _unheard(self, round: Round) -> None:
        """Keep what the user wrote and the round's end left unheard: after a Stop as it is, else as a new round."""
        words, stopped = "\n".join(round.steering), round.interrupted == "stop"
        if words and stopped:
            round.history.say_user(words, round.say("steer_filler"))
            round.history.close("", round.say("stopped_answer"))
        elif words:
            self._ask(f"{FORCE} {words}")

    async def _drive(self, run: Run, round: Round, endpoint: Endpoint) -> None:
        self._turn = self._turn or asyncio.Lock()
        async with self._turn:
            round.driver = asyncio.current_task()
            if round.tape is not None:
                round.tape.told = 0
                round.tape.hear = partial(self._replayed, run, round)
            round.started = time.time()
            clock = round.limits.wall_clock_s
            timer = asyncio.get_running_loop().call_later(clock, round.interrupt, "timeout") if clock else None
            try:
                endpoint = await self._route.settle(round, endpoint)
                self._begun(run, round, endpoint)
                if round.interrupted:
                    self._hear(run, LoopDone("stopped", Usage(), []))
                    return
                async with aclosing(self._route(round, endpoint)) as events:
                    async for event in events:
                        if isinstance(event, LoopDone):
                            self._finish(run, round)
                            event = replace(event, cost=round.budget.cost)
                        self._hear(run, event)
                        if round.tape is not None and isinstance(event, TOLD):
                            self._told(run, round, round.tape)
            except Exception as error:  # a fault of the loop itself: the round ends, visibly
                self._fail(run, round, error)
            finally:
                round.driver = None
                if timer is not None:
                    timer.cancel()
                if not run.done:
                    run.events.append(stamp(LoopDone("error", round.usage, []), run.round_id, len(run.events)))
                    self._bridge.notify()
                self._unheard(round)

    def _begun(self, run: Run, round: Round, endpoint: Endpoint) -> None:
        if not round.interrupted:  # what was stopped before it began takes nothing's place
            self._conversation.set_aside(round.instead)
        round.history.round_id = round.id
        said = round.text + round.attached
        self._hear(run, RoundStart(said, round.mode, round.tier, endpoint.host, len(round.pictures)))
        for fault in self._route.rules.news():
            self._hear(run, Progress(round.say("rule_fault", fault=fault), 0, None))

    def _told(self, run: Run, round: Round, tape: Tape) -> None:
        """Note how far the round's calls have come, and do in a replay what the user did then."""
        tape.told += 1
        for said in tape.due() if tape.replaying else ():
            self._said(run, round, said)

    def _finish(self, run: Run, round: Round) -> None:
        if round.headless and round.unanswered:
            names, seconds = ", ".join(round.unanswered), round.limits.confirm_timeout_s
            words = round.say("approval_headless", tool=names, example=round.unanswered[0], seconds=seconds)
            self._hear(run, StreamChunk(f"\n\n{words}"))
        if any(map(undoable, self._conversation.journal.untaken(round.id).values())):
            self._hear(run, StreamChunk(undo_mark(round.id)))

    def _fail(self, run: Run, round: Round, error: Exception) -> None:
        traceback.print_exception(error, file=sys.__stderr__)
        brief = f"{type(error).__name__}: {error}"
        if not run.events:
            self._hear(run, RoundStart(round.text + round.attached, round.mode, round.tier, ""))
        for event in open_ends(run.events, brief):
            self._hear(run, event)
        self._hear(run, LoopError("internal", f"The round ended by a fault of nephele_nb itself: {brief}", True))
        self._conversation.history.close(round.cut_words(False), round.say("cut_answer", message=brief))
        self._hear(run, LoopDone("error", round.usage, []))

    def _hear(self, run: Run, event: Event) -> None:
        if self._conversation.journal.fault and run.events and not self._unsaved_told:
            self._unsaved_told = True
            unsaved = self._say("unsaved", why=self._conversation.journal.fault)
            self._hear(run, LoopError("journal", unsaved, False))
        event = stamp(event, run.round_id, len(run.events))
        self._conversation.journal.event(event)
        run.events.append(event)
        self._bridge.notify()
        if not self._listeners:
            return
        if not self._batch:
            asyncio.get_running_loop().call_later(BATCH_S, self._show)
        self._batch.append(event)

    def _show(self) -> None:
        batch, self._batch = self._batch, []
        self._conversation.journal.flush()
        for listener in list(self._listeners):
            listener(batch)
