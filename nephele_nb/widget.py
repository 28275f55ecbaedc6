"""The inline chat: an anywidget whose view is a function of the agent's events; it holds no state of the conversation.

Messages go both ways as JSON (js/src/shared/protocol.ts). A view says hello when it is mounted and gets a snapshot;
after that it gets batches. Handlers may run on a subshell's thread, so they only hand over.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from .agent import Agent
from .errors import NepheleError
from .events import Event, LoopDone, RoundStart
from .kernel.comms import keep_on_subshell
from .kernel.front import forbids_stdin, publish
from .pages import page
from .run import Run
from .strings import Strings, language_of
from .threads import in_thread
from .twin import markdown

STATIC = Path(__file__).parent / "static"
CHAT_MIME = "application/vnd.nephele-nb.chat+json"
WIDGET_MIME = "application/vnd.jupyter.widget-view+json"


class ChatWidget(anywidget.AnyWidget):
    """A view of one agent's conversation, or of one round where ``only`` is given."""

    _esm = traitlets.Unicode((STATIC / "widget.js").read_text("utf-8") if STATIC.exists() else "").tag(sync=True)
    _css = traitlets.Unicode((STATIC / "widget.css").read_text("utf-8") if STATIC.exists() else "").tag(sync=True)

    def __init__(self, agent: Agent, only: Run | None = None) -> None:
        if not (STATIC / "widget.js").exists():
            raise NepheleError("The chat's JavaScript is not built. Run `make js`, or install a wheel.")
        super().__init__()
        self.agent = agent
        self.only = only
        self.greeted = False
        self.display_id = uuid4().hex
        self._first = len(agent.runs)
        # What was said before this kernel: the cell that shows it now no longer holds the output that told of it.
        self._reopened = [] if only or agent.runs else list(agent.conversation.events)
        keep_on_subshell(self.comm)
        self.on_msg(self._heard)
        self._unlisten = agent.listen(self._show)

    def close(self) -> None:
        """Close the view and stop listening."""
        self._unlisten()
        super().close()

    def bundle(self) -> dict[str, Any]:
        """Return what stands in the notebook: the live view, and the transcript for where there is none."""
        text = markdown(self._shown(), self.agent.settings.language) or _strings(self.agent)("twin_empty")
        live = {"version_major": 2, "version_minor": 1, "model_id": self.model_id}
        return {WIDGET_MIME: live} | saved(text)

    def show(self) -> None:
        """Display the view in the running cell."""
        publish(self.bundle(), self.display_id)

    def save(self) -> None:
        """Put the transcript as it is now beside the view."""
        publish(self.bundle(), self.display_id, update=True)

    def _shown(self) -> list[Event]:
        runs = [self.only] if self.only else self.agent.runs[self._first :]
        return [*self._reopened, *(event for run in runs for event in run.events)]

    def _show(self, batch: Sequence[Event]) -> None:
        mine = [e for e in batch if self.only is None or e.round_id == self.only.round_id]
        if not mine:
            return
        self.send({"type": "events", "events": [e.to_dict() for e in mine]})
        if any(isinstance(e, LoopDone | RoundStart) for e in mine):
            self.send({"type": "state", "state": state(self.agent, self.only is not None)})
            self.save()

    def _heard(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        kind = content.get("type")
        if kind == "hello":
            self.greeted = True
            self.agent.bridge.post(self._greet)
            self.agent.bridge.notify()
        elif kind == "ask":
            self._ask(content)
        elif kind == "stop":
            self.agent.stop()
        elif kind == "decide":
            self._decide(content)
        elif kind == "open":
            self.agent.bridge.submit(self._open(content))
        elif kind == "cancel_task":
            for run in self.agent.runs:
                run.cancel(str(content.get("task_id")))
        elif kind == "undo":
            self._undo(str(content.get("round_id")))

    def _greet(self) -> None:
        self.agent.journal.flush()
        events = self.only.events if self.only else self.agent.conversation.events
        self.send(
            {
                "type": "snapshot",
                "state": state(self.agent, self.only is not None),
                "events": [e.to_dict() for e in list(events)],
            }
        )

    async def _open(self, content: dict[str, Any]) -> None:
        self.send({"type": "page", "page": await in_thread(page, self.agent, content, _strings(self.agent))})

    def _ask(self, content: dict[str, Any]) -> None:
        text = str(content.get("text", ""))
        running = next((run for run in self.agent.runs if not run.done), None)
        try:
            if running is not None:
                running.steer(text)
            elif text.strip():
                self.agent.ask(text, mode=None if content.get("research") else content.get("mode"),
                               research=bool(content.get("research")))  # fmt: skip
        except NepheleError as error:
            self.send({"type": "state", "state": state(self.agent, False) | {"notice": str(error)}})

    def _decide(self, content: dict[str, Any]) -> None:
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
            message = message or _strings(self.agent)("decided_already")
        self.send({"type": "decided", "approval_id": wanted, "ok": ok, "message": message})

    def _undo(self, round_id: str) -> None:
        try:
            report = self.agent.undo(round_id)
            notice = _strings(self.agent)(
                "undone", restored=len(report.restored), left=len(report.not_restored)
            ) + "".join(f"\n{n.operation}: {n.reason}" for n in report.not_restored)
        except NepheleError as error:
            notice = str(error)
        self.send({"type": "state", "state": state(self.agent, self.only is not None) | {"notice": notice}})


def state(agent: Agent, single: bool) -> dict[str, Any]:
    """Return what a view shows around the conversation."""
    endpoint = agent.endpoint
    waiting = sum(not run.done for run in agent.runs)
    return {
        "tier": endpoint.tier,
        "model": endpoint.model,
        "host": endpoint.host,
        "mode": agent.settings.mode,
        "language": _strings(agent).language,
        "busy": waiting > 0,
        "queued": max(waiting - 1, 0),
        "library": _holdings(agent),
        "single": single,
        "now": time.time(),
        "notice": "",
    }


def saved(text: str) -> dict[str, Any]:
    """Return what stays in a saved notebook: a transcript, the same with and without a front end."""
    return {CHAT_MIME: {"version": 1, "markdown": text}, "text/markdown": text, "text/plain": text}


def show(agent: Agent, only: Run | None = None) -> ChatWidget | None:
    """Display an agent in the running cell; where no front end can answer, words instead of a widget."""
    if forbids_stdin():
        strings = _strings(agent)
        publish(saved(markdown(only.events, agent.settings.language) if only else strings("twin_empty")))
        return None
    widget = ChatWidget(agent, only)
    widget.show()
    return widget


def _holdings(agent: Agent) -> dict[str, Any] | None:
    if not agent.library_is_open:
        return None
    counts = agent.library.stats()
    return {"notes": counts["notes"], "tables": len(counts["tables"]), "embedder": counts["embedder"]}


def _strings(agent: Agent) -> Strings:
    """Speak the language of the conversation's first message: a view does not change it from round to round."""
    first = next((e.text for e in agent.conversation.events if isinstance(e, RoundStart)), "")
    return Strings(language_of(first, agent.settings.language))
