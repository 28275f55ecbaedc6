"""The inline chat: an anywidget whose view is a function of the agent's events; it holds no state of the conversation.

Its handlers may run on a subshell's thread. Jupyter is shown a bundle with a transcript; marimo
shows a widget by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from .agent import Agent
from .errors import NepheleError
from .events import Event
from .face import Face, strings
from .kernel.comms import heard_by, keep_on_subshell
from .kernel.front import forbids_stdin, publish
from .kernel.reactive import as_markdown, at_end_of_cell, in_marimo
from .run import Run
from .twin import markdown

STATIC = Path(__file__).parent / "static"
MODULES = ("editor", "math")
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
        self._face = Face(agent, self.send, only)
        self.display_id = uuid4().hex
        self._first = len(agent.runs)
        # What was said before this kernel: the cell that shows it now no longer holds the output that told of it.
        self._reopened = [] if only or agent.runs else list(agent.conversation.events)
        keep_on_subshell(self.comm)
        heard_by(self.comm, self._handle_msg)
        self.on_msg(self._heard)
        self._unlisten = agent.listen(self._show)
        at_end_of_cell(self.close)

    def close(self) -> None:
        """Close the view and stop listening."""
        self._unlisten()
        super().close()

    def bundle(self) -> dict[str, Any]:
        """Return what stands in the notebook: the live view, and the transcript for where there is none."""
        aside = self.agent.conversation.aside
        text = markdown(self._shown(), self.agent.settings.language, aside) or strings(self.agent)("twin_empty")
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
        if self._face.show(batch) and self.agent.in_kernel:
            self.save()

    def _heard(self, widget: Any, content: dict[str, Any], buffers: Any) -> None:
        if content.get("type") == "module":
            self.send({"type": "module", "name": content.get("name"), "source": module(content.get("name"))})
        else:
            self._face.hear(content)


def module(name: object) -> str | None:
    """Return the source of what a view loads when it needs it, or None where that isn't built."""
    source = STATIC / f"{name}.js"
    return source.read_text("utf-8") if name in MODULES and source.exists() else None


def saved(text: str) -> dict[str, Any]:
    """Return what stays in a saved notebook: a transcript, the same with and without a front end."""
    return {CHAT_MIME: {"version": 1, "markdown": text}, "text/markdown": text, "text/plain": text}


def show(agent: Agent, only: Run | None = None) -> ChatWidget | None:
    """Display an agent in the running cell; where no front end can answer, words instead of a widget."""
    if forbids_stdin():
        say = strings(agent)
        publish(saved(markdown(only.events, agent.settings.language) if only else say("twin_empty")))
        return None
    widget = ChatWidget(agent, only)
    widget.show()
    return widget


def displayed(agent: Agent) -> Any:
    """Show an agent as the last value of a cell; returns what marimo is to show in its place."""
    if agent.in_kernel:
        show(agent)
    elif not in_marimo():
        sys.stdout.write(f"{agent!r}\n")
    elif forbids_stdin():
        return as_markdown(markdown(agent.conversation.events, agent.settings.language) or strings(agent)("twin_empty"))
    else:
        return ChatWidget(agent)
    return None
