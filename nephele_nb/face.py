"""One view's conversation with its agent, over any channel; it holds no state of the conversation and draws nothing.

Messages go both ways as JSON (js/src/shared/protocol.ts). A view says hello when it is mounted and gets a snapshot;
after that it gets batches. What is heard may come on any thread, so it is only handed over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from .agent import Agent
from .commands.report import taken_back
from .completing import choices
from .errors import NepheleError
from .events import Event, LoopDone, RoundStart
from .freshness import stale
from .pages import page
from .run import Run
from .strings import Strings, language_of
from .threads import brief, in_thread

Send = Callable[[dict[str, Any]], None]


class Face:
    """The kernel's end of one view: of a whole conversation, or of one round where ``only`` is given."""

    def __init__(self, agent: Agent, send: Send, only: Run | None = None) -> None:
        self.agent = agent
        self.only = only
        self._send = send
        self._stale: dict[str, list[str]] = {}

    def show(self, batch: Sequence[Event]) -> bool:
        """Send new events that are this view's; say whether its round began or ended with them.

        Where any round does, the numbers shown here may be out of date.
        """
        if any(isinstance(e, LoopDone | RoundStart) for e in batch):
            self._later(self._refresh())
        mine = [e for e in batch if self.only is None or e.round_id == self.only.round_id]
        if not mine:
            return False
        self._send({"type": "events", "events": [e.to_dict() for e in mine]})
        turned = any(isinstance(e, LoopDone | RoundStart) for e in mine)
        if turned:
            self._state()
        return turned

    def hear(self, content: Mapping[str, Any]) -> None:
        """Take one message of the view's; what goes wrong is told there, since whoever brings it may only log it."""
        with ExitStack() as faults:
            faults.push(self._tell)
            self._take(content)

    def _tell(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None:
            self._state(brief(error))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        """Have work done on the agent's loop; what goes wrong is told in the view, since nobody waits for it."""

        async def told() -> None:
            with ExitStack() as faults:
                faults.push(self._tell)
                await work

        self.agent.bridge.submit(told())

    def _take(self, content: Mapping[str, Any]) -> None:
        kind = content.get("type")
        if kind == "hello":
            self.agent.bridge.post(self._greet)
            self.agent.bridge.notify()
        elif kind == "ask":
            self._ask(content)
        elif kind == "stop":
            self.agent.stop()
        elif kind == "decide":
            self._decide(content)
        elif kind == "open":
            self._later(self._open(content))
        elif kind == "complete":
            self._later(self._complete(str(content.get("prefix", ""))))
        elif kind == "cancel_task":
            for run in self.agent.runs:
                run.cancel(str(content.get("task_id")))
        elif kind == "undo":
            self._later(self._undo(str(content.get("round_id"))))

    def _greet(self) -> None:
        self.agent.journal.flush()
        events = self.only.events if self.only else self.agent.conversation.events
        self._send({"type": "snapshot", "state": self._seen(), "events": [e.to_dict() for e in list(events)]})
        self._later(self._refresh())

    async def _refresh(self) -> None:
        """Look which numbers of past answers are out of date, and tell where that has changed."""
        shown = self.only.events if self.only else self.agent.conversation.events
        found = await in_thread(stale, self.agent, shown)
        if found != self._stale:
            self._stale = found
            self._state()

    async def _open(self, content: Mapping[str, Any]) -> None:
        self._send({"type": "page", "page": await in_thread(page, self.agent, content, strings(self.agent))})

    async def _complete(self, prefix: str) -> None:
        found = await in_thread(choices, self.agent, prefix, strings(self.agent))
        self._send({"type": "choices", "prefix": prefix, "choices": found})

    def _ask(self, content: Mapping[str, Any]) -> None:
        text = str(content.get("text", ""))
        # Pictures themselves, and never a path: a view names no files of this machine.
        images = [i for i in content.get("images") or () if isinstance(i, str) and i.startswith("data:image/")]
        running = next((run for run in self.agent.runs if not run.done), None)
        try:
            # What is said meanwhile has no pictures: a message with some waits its turn.
            if running is not None and not images:
                running.steer(text)
            elif text.strip():
                self.agent.ask(text, mode=None if content.get("research") else content.get("mode"),
                               research=bool(content.get("research")), images=images)  # fmt: skip
        except NepheleError as error:
            self._state(str(error))

    def _decide(self, content: Mapping[str, Any]) -> None:
        wanted = content.get("approval_id")
        found = next((a for run in self.agent.runs for a in run.pending if a.id == wanted), None)
        ok, message = False, ""
        try:
            if found is not None and content.get("action") == "approve":
                ok = found.approve(content.get("code"))
            elif found is not None:
                ok = found.reject(str(content.get("reason") or ""))
        except TypeError as error:
            message = str(error)
        if not ok:
            message = message or strings(self.agent)("decided_already")
        self._send({"type": "decided", "approval_id": wanted, "ok": ok, "message": message})

    async def _undo(self, round_id: str) -> None:
        try:
            # It may have to wait for the main thread, and whoever hears a view must go on hearing.
            report = await in_thread(self.agent.undo, round_id)
            notice = "\n".join(taken_back(report, strings(self.agent)))
        except NepheleError as error:
            notice = str(error)
        self._state(notice)

    def _state(self, notice: str = "") -> None:
        self._send({"type": "state", "state": self._seen() | {"notice": notice}})

    def _seen(self) -> dict[str, Any]:
        return state(self.agent, self.only is not None) | {"stale": self._stale}


def state(agent: Agent, single: bool) -> dict[str, Any]:
    """Return what a view shows around the conversation."""
    endpoint = agent.endpoint
    waiting = sum(not run.done for run in agent.runs)
    return {
        "tier": endpoint.tier,
        "model": endpoint.model,
        "host": endpoint.host,
        "mode": agent.settings.mode,
        "language": strings(agent).language,
        "busy": waiting > 0,
        "queued": max(waiting - 1, 0),
        "library": _holdings(agent),
        "single": single,
        "now": time.time(),
        "notice": "",
    }


def strings(agent: Agent) -> Strings:
    """Speak the language of the conversation's first message: a view does not change it from round to round."""
    first = next((e.text for e in agent.conversation.events if isinstance(e, RoundStart)), "")
    return Strings(language_of(first, agent.settings.language))


def _holdings(agent: Agent) -> dict[str, Any] | None:
    if not agent.library_is_open:
        return None
    counts = agent.library.stats()
    return {"notes": counts["notes"], "tables": len(counts["tables"]), "embedder": counts["embedder"]}
