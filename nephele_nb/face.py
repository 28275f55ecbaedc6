"""One view's conversation with its agent, over any channel; it holds no state of the conversation and draws nothing.

Messages go both ways as JSON (js/src/shared/protocol.ts). A view says hello when it is mounted and gets a snapshot;
after that it gets batches. What is heard may come on any thread, so it is only handed over.
"""

from __future__ import annotations

import asyncio
import os
import platform
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args

from .agent import Agent
from .errors import ModelError
from .events import ApprovalRequest, Event, LoopDone, RoundStart
from .freshness import stale
from .run import Run
from .strings import Language, Strings
from .threads import brief, in_thread
from .twin import spoken
from .types import Tier
from .wishes import WISHES

Send = Callable[[dict[str, Any]], None]
WATCH_S = 0.3


class Face:
    """The kernel's end of one view: of a whole conversation, or of one round where ``only`` is given."""

    def __init__(self, agent: Agent, send: Send, only: Run | None = None) -> None:
        self.agent = agent
        self.only = only
        self.send = send
        self._language: Language | None = None
        self._stale: dict[str, list[str]] = {}
        self._watching = self._held = False

    @property
    def say(self) -> Strings:
        """The sentences of the page's language where its view named one, else of the conversation's."""
        wanted = self._language if self.agent.settings.language == "auto" else None
        return Strings(wanted) if wanted else strings(self.agent)

    def at(self, place: str) -> Face:
        """Return the end of one place of this view's: what is asked from there is answered there alone."""
        face = Face(self.agent, lambda message: self.send(message | {"place": place}), self.only)
        face._language, face._stale = self._language, self._stale
        return face

    def show(self, batch: Sequence[Event]) -> bool:
        """Send new events that are this view's; say whether its round began or ended with them.

        Where any round does, the numbers shown here may be out of date.
        """
        if not batch:
            self.tell()
            return True
        if any(isinstance(e, LoopDone | RoundStart) for e in batch):
            self.later(self._refresh())
        mine = [e for e in batch if self.only is None or e.round_id == self.only.round_id]
        if not mine:
            return False
        self.send({"type": "events", "events": [e.to_dict() for e in mine]})
        if any(isinstance(e, ApprovalRequest) for e in mine):
            self.later(self._watch())
        turned = any(isinstance(e, LoopDone | RoundStart) for e in mine)
        if turned:
            self.tell()
        return turned

    def hear(self, content: Mapping[str, Any]) -> None:
        """Take one message of the view's; what goes wrong is told there, since whoever brings it may only log it."""
        face = self if content.get("place") is None else self.at(str(content["place"]))
        with ExitStack() as faults:
            faults.push(face._tell)
            face._take(content)

    def _tell(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None:
            self.tell(brief(error))

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Have work done on the agent's loop; what goes wrong is told in the view, since nobody waits for it."""

        async def told() -> None:
            with ExitStack() as faults:
                faults.push(self._tell)
                await work

        self.agent.bridge.submit(told())

    def _take(self, content: Mapping[str, Any]) -> None:
        kind = content.get("type")
        if kind == "hello":
            self._language = _known(content.get("language"))
            self.agent.bridge.post(self._greet)
            self.agent.bridge.notify()
        elif kind in WISHES:
            WISHES[kind](self, content)

    def _greet(self) -> None:
        self.agent.journal.flush()
        events = self.only.events if self.only else self.agent.conversation.events
        self.send({"type": "snapshot", "state": self._seen(), "events": [e.to_dict() for e in list(events)]})
        self.later(self._refresh())
        self.later(self._watch())

    async def _watch(self) -> None:
        """Tell, while an approval waits, when a cell of the user's begins or ends before what is approved can run."""
        while not self._watching and any(run.pending for run in self.agent.runs):
            self._watching = True
            if self._held != self.agent.bridge.held_up:
                self.tell()
            await asyncio.sleep(WATCH_S)
            self._watching = False

    async def _refresh(self) -> None:
        """Look which numbers of past answers are out of date, and tell where that has changed."""
        shown = self.only.events if self.only else self.agent.conversation.events
        found = await in_thread(stale, self.agent, shown)
        if found != self._stale:
            self._stale = found
            self.tell()

    def tell(self, notice: str = "") -> None:
        """Send what stands around the conversation, with a notice where there is something to say."""
        seen = self._seen()
        self.send({"type": "state", "state": seen | {"notice": notice or seen["notice"]}})

    def _seen(self) -> dict[str, Any]:
        self._held = held = self.agent.bridge.held_up
        about: dict[str, Any] = {"single": self.only is not None, "language": self.say.language, "stale": self._stale}
        return state(self.agent) | about | {"place": place(self.agent, self.say), "cell_running": held}


def state(agent: Agent) -> dict[str, Any]:
    """Return what every view shows around the conversation."""
    waiting = sum(not run.done for run in agent.runs)
    return {
        **_answerer(agent),
        "tiers": [_tier(agent, tier) for tier in get_args(Tier)],
        "aside": dict(agent.conversation.aside),
        "mode": agent.settings.mode,
        "busy": waiting > 0,
        "queued": max(waiting - 1, 0),
        "library": _holdings(agent),
        "now": time.time(),
    }


def place(agent: Agent, say: Strings) -> str:
    """Name where code runs: the notebook whose kernel this is, else the process."""
    name = Path(agent.notebook or "").name or say("place_process", pid=os.getpid())
    return f"{name} · Python {platform.python_version()}"


def _answerer(agent: Agent) -> dict[str, str]:
    """Return who answers; where nobody does, why."""
    try:
        found = agent.endpoint
    except ModelError as error:
        return {"tier": agent.settings.tier, "model": "", "host": "", "notice": str(error)}
    return {"tier": found.tier, "model": found.model, "host": found.host, "notice": ""}


def _tier(agent: Agent, tier: Tier) -> dict[str, str]:
    """Return one tier as it may be chosen here: where its messages would go, or why it can't be."""
    try:
        return {"tier": tier, "host": agent.endpoint_of(tier).host, "why": ""}
    except ModelError as error:
        return {"tier": tier, "host": "", "why": str(error)}


def strings(agent: Agent) -> Strings:
    """Return what is said around a conversation, in its language."""
    return spoken(agent.conversation.events, agent.settings.language)


def _known(language: object) -> Language | None:
    return "en" if language == "en" else "zh" if language == "zh" else None


def _holdings(agent: Agent) -> dict[str, Any] | None:
    if not agent.library_is_open:
        return None
    library = agent.library
    return {"notes": library.note_count(), "tables": len(library.tables()), "embedder": library.embedder}
