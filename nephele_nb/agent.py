"""The agent: builds its parts, queues rounds, and fans their events out; it decides nothing in between.

The journal hears each event first, then whoever holds the run, then, in batches, the views.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

from .approval import check_policy
from .asking import Asking
from .conversation import Conversation, open_ends
from .errors import NepheleError
from .events import Event, LoopDone, LoopError, RoundStart, Steer, StreamChunk, stamp
from .journal import name_for_notebook
from .kernel import attach
from .kernel.front import forbids_stdin, ipython
from .model.ledger import Ledger
from .model.taped import tape_for
from .model.tiers import Endpoint
from .round import Round
from .route import Route
from .run import Answer, Run, undo_mark
from .secrets import Secrets
from .settings import Effective, shared
from .strings import Strings, language_of
from .tools import Toolbox, built_in
from .types import Message, Mode, Usage
from .undo import UndoReport, take_back

if TYPE_CHECKING:
    from .library import Library

BATCH_S = 0.03

Batch = Callable[[Sequence[Event]], None]


class Agent:
    """An agent in this kernel. See ``Nephele`` for the settings that may be given as arguments."""

    face: ClassVar[Callable[[Agent], Any] | None] = None
    """Shows the agent in the running cell; handed in where the package resolves this class."""
    latest: ClassVar[Agent | None] = None
    """The agent last made or shown in this process."""
    _here: ClassVar[WeakSet[Agent]] = WeakSet()

    def __init__(
        self,
        *,
        library: Library | str | Path | None = None,
        home: str | Path | None = None,
        conversation: str | None = None,
        namespace: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        own = {name: value for name, value in settings.items() if value is not None}
        own |= {"home": str(home)} if home is not None else {}
        own |= {"library": str(library)} if isinstance(library, str | Path) else {}
        self.settings = Effective(shared(ipython()), own)
        check_policy(self.settings.approve)
        secrets = Secrets(self.settings)
        tape = tape_for(self.settings, os.environ.get("JPY_SESSION_NAME"), secrets)
        self._given_library = None if isinstance(library, str | Path) else library
        self._kernel = attach(namespace)
        self.home: Path = self.settings.home_folder
        self._say = Strings(language_of("", self.settings.language))
        name = conversation or name_for_notebook(os.environ.get("JPY_SESSION_NAME"))
        self._take_over(name)
        self.conversation = Conversation(self.home / "journal", name, self._say)
        self.runs: list[Run] = []
        self._listeners: list[Batch] = []
        self._batch: list[Event] = []
        self._turn: asyncio.Lock | None = None
        self._route = Route(self.settings, lambda: self.library, lambda: self.tools, self.conversation.started, tape)
        self._asking = Asking(self.settings, self.conversation, secrets, tape, self.ledger.charge, lambda: self.tools)
        self._closed = self._unsaved_told = False
        Agent.latest = self
        Agent._here.add(self)

    def _take_over(self, name: str) -> None:
        """Close an agent of this process that has the conversation and rests: its cell was run again."""
        for other in list(Agent._here):
            same = (other.home, other.conversation.journal.conversation) == (self.home, name)
            if same and all(run.done for run in other.runs):
                other.close()

    def ask(
        self,
        text: str,
        mode: Mode | None = None,
        research: bool = False,
        images: Sequence[Any] = (),
        tier: str | None = None,
    ) -> Run:
        """Begin a round and return at once; a second one waits its turn. Raises SettingError for what can't be."""
        if self._closed:
            raise NepheleError(
                "This agent is closed, or a newer one has its conversation; use that, or make a new one."
            )
        wanted = self._asking.mode(text, mode, research, images)
        endpoint = self._route.endpoint(self.settings.with_(tier=tier) if tier else self.settings)
        round = self._asking.round(text, wanted, endpoint, not self._listeners and forbids_stdin())
        run = Run(
            round,
            self.bridge,
            self.settings.headless == "strict",
            stop=lambda: self.bridge.post(round.interrupt, "stop"),
            steer=lambda words: self.bridge.post(self._steer, run, round, words),
            warn=self._say("deaf_wait") if self._kernel.live and not self.bridge.comms_while_busy else "",
        )
        self.runs.append(run)
        self.bridge.submit(self._drive(run, round, endpoint))
        return run

    def stop(self) -> None:
        """Stop the running round and those that wait."""
        for run in self.runs:
            if not run.done:
                run.stop()

    def undo(self, round_id: str | None = None) -> UndoReport:
        """Take back a round's operations: of the last round that has some left, if none is named."""
        return take_back(self.conversation.journal, round_id, lambda: self.library)

    def close(self) -> None:
        """Stop what runs and let the conversation go."""
        if self._closed:
            return
        self.stop()
        self.bridge.wait(lambda: all(run.done for run in self.runs), 10)
        self._closed = True
        self.conversation.close()
        closing = self.bridge.submit(self._route.close())
        self.bridge.wait(closing.done, 5)
        if not self._kernel.live:
            self.bridge.close()
        if self._given_library is None and self.library_is_open:
            self.library.close()

    @property
    def bridge(self) -> Any:
        return self._kernel.bridge

    @cached_property
    def library(self) -> Library:
        """The library, opened at first use."""
        if self._given_library is not None:
            return self._given_library
        from .library import Library

        where = self.settings.library or self.home / "library"
        return Library(where, embedder=self.settings.embedder)

    @property
    def library_is_open(self) -> bool:
        """True once the library has been used; asking doesn't open it."""
        return self._given_library is not None or "library" in self.__dict__

    @cached_property
    def tools(self) -> Toolbox:
        """The agent's tools by name; ``tools.register(fn)`` adds one."""
        return built_in(lambda: self.library, self._kernel.executor, self.settings.run_timeout_s)

    @cached_property
    def ledger(self) -> Ledger:
        """What was spent."""
        return Ledger(self.home)

    @property
    def journal(self) -> Any:
        return self.conversation.journal

    @property
    def history(self) -> list[Message]:
        """The conversation as Chat Completions messages."""
        return self.conversation.history.public()

    @property
    def endpoint(self) -> Endpoint:
        """Who would answer a message now."""
        return self._route.endpoint(self.settings)

    def listen(self, batch: Batch) -> Callable[[], None]:
        """Have ``batch`` called with new events, on the agent's thread, every 30 ms at most; returns the way out."""
        self._listeners.append(batch)
        return lambda: self._listeners.remove(batch) if batch in self._listeners else None

    def _ipython_display_(self) -> None:
        Agent.latest = self
        if Agent.face is not None and self._kernel.live:
            Agent.face(self)
        else:
            sys.stdout.write(f"{self!r}\n")

    def __repr__(self) -> str:
        return f"Agent(tier={self.endpoint.tier!r}, mode={self.settings.mode!r})"

    def _unheard(self, round: Round) -> None:
        """Keep what the user wrote and the round's end left unheard: after a Stop as it is, else as a new round."""
        words, stopped = "\n".join(round.steering), round.interrupted == "stop"
        if words and stopped:
            round.history.say_user(words, round.say("steer_filler"))
            round.history.close("", round.say("stopped_answer"))
        elif words and not self._closed:
            self.ask(words)

    def _steer(self, run: Run, round: Round, text: str) -> None:
        if run.done or not run.events:
            self.ask(text)
        else:
            self._hear(run, Steer(text))
            round.steer(text)

    async def _drive(self, run: Run, round: Round, endpoint: Endpoint) -> None:
        self._turn = self._turn or asyncio.Lock()
        async with self._turn:
            self._hear(run, RoundStart(round.text, round.mode, round.tier, endpoint.host))
            round.driver = asyncio.current_task()
            round.started = time.time()
            clock = round.limits.wall_clock_s
            timer = asyncio.get_running_loop().call_later(clock, round.interrupt, "timeout") if clock else None
            try:
                if round.interrupted:
                    self._hear(run, LoopDone("stopped", Usage(), []))
                    return
                async with aclosing(self._route(round, endpoint)) as events:
                    async for event in events:
                        if isinstance(event, LoopDone):
                            self._finish(run, round)
                        self._hear(run, event)
            except Exception as error:  # a fault of the loop itself: the round ends, visibly
                self._fail(run, round, error)
            finally:
                round.driver = None
                if timer is not None:
                    timer.cancel()
                if not run.done:
                    run.events.append(stamp(LoopDone("error", round.usage, []), run.round_id, len(run.events)))
                    self.bridge.notify()
                self._unheard(round)

    def _finish(self, run: Run, round: Round) -> None:
        if round.headless and round.unanswered:
            names, seconds = ", ".join(round.unanswered), round.limits.confirm_timeout_s
            words = round.say("approval_headless", tool=names, example=round.unanswered[0], seconds=seconds)
            self._hear(run, StreamChunk(f"\n\n{words}"))
        if any(o.inverse for o in self.conversation.journal.operations(round.id)):
            self._hear(run, StreamChunk(undo_mark(round.id)))

    def _fail(self, run: Run, round: Round, error: Exception) -> None:
        traceback.print_exception(error, file=sys.__stderr__)
        brief = f"{type(error).__name__}: {error}"
        for event in open_ends(run.events, brief):
            self._hear(run, event)
        self._hear(run, LoopError("internal", f"The round ended by a fault of nephele_nb itself: {brief}", True))
        self.conversation.history.close(round.cut_words(False), round.say("cut_answer", message=brief))
        self._hear(run, LoopDone("error", round.usage, []))

    def _hear(self, run: Run, event: Event) -> None:
        if self.conversation.journal.fault and run.events and not self._unsaved_told:
            self._unsaved_told = True
            unsaved = self._say("unsaved", why=self.conversation.journal.fault)
            self._hear(run, LoopError("journal", unsaved, False))
        event = stamp(event, run.round_id, len(run.events))
        self.conversation.journal.event(event)
        run.events.append(event)
        self.bridge.notify()
        if not self._listeners:
            return
        if not self._batch:
            asyncio.get_running_loop().call_later(BATCH_S, self._show)
        self._batch.append(event)

    def _show(self) -> None:
        batch, self._batch = self._batch, []
        self.conversation.journal.flush()
        for listener in list(self._listeners):
            listener(batch)


__all__ = ["Agent", "Answer", "Run"]
