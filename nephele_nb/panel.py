"""The kernel's end of the side panel: says that it is there and lets each open panel follow the newest agent.

It holds no state of the conversation and draws nothing. An announcement is an open comm, which a front end finds by
asking for the kernel's comms; a panel is a comm that the front end opens. What a panel sends may come on any thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .agent import Agent
from .errors import NepheleError
from .events import Event
from .face import Face
from .kernel.comms import heard_by, keep_on_subshell
from .kernel.front import forbids_stdin, ipython

ANNOUNCE = "nephele_nb.announce"
CHAT = "nephele_nb.chat"
MOST = 8
"""Panels on one kernel: a page that went away without a word leaves one behind."""
_CONTROLLED = ("comm_open", "comm_msg", "comm_close")


class Panel:
    """One open panel, of whichever agent it follows."""

    def __init__(self, comm: Any, closed: Callable[[Panel], None]) -> None:
        self._comm = comm
        self._face: Face | None = None
        self._unlisten: Callable[[], None] = lambda: None
        self._early: list[dict[str, Any]] = []
        self._hello: dict[str, Any] = {"type": "hello"}
        self._lock = threading.Lock()
        keep_on_subshell(comm)
        heard_by(comm, self._heard)
        comm.on_close(lambda _message: closed(self))

    def follow(self, agent: Agent) -> None:
        """Show an agent from now on, and give it what came before there was any."""
        with self._lock:
            if self._face is not None and self._face.agent is agent:
                return
            self._unlisten()
            # A view that opens says hello by itself; one that is open must see that the conversation is another.
            greeting = [self._hello] if self._face is not None else []
            self._face = face = Face(agent, self._comm.send)
            self._unlisten = agent.listen(partial(_show, face))
            early, self._early = self._early, []
        for message in greeting + early:
            face.hear(message)

    def regret(self, why: str) -> None:
        """Say why there is no agent."""
        self._comm.send({"type": "trouble", "message": why})

    def close(self) -> None:
        """Stop listening and close the comm, if the front end has not."""
        self._unlisten()
        self._comm.close()

    def _heard(self, message: dict[str, Any]) -> None:
        content = message["content"]["data"]
        with self._lock:
            if content.get("type") == "hello" and content.get("place") is None:
                self._hello = content
            if self._face is None:
                self._early.append(content)
                return
        self._face.hear(content)


def _show(face: Face, batch: Sequence[Event]) -> None:
    face.show(batch)


class Panels:
    """The panels of one kernel."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._open: list[Panel] = []
        self._announcement: Any = None
        self._lock = threading.Lock()
        manager = kernel.comm_manager
        manager.register_target(CHAT, self._opened)
        # The control channel is heard while a cell runs, also by a kernel without subshells.
        self._ours = {kind: getattr(manager, kind) for kind in _CONTROLLED if kind not in kernel.control_handlers}
        kernel.control_handlers.update(self._ours)

    def announce(self) -> None:
        """Tell the front ends, those open and those to come, that a panel will be answered here."""
        from comm import create_comm

        if self._announcement is None or self._announcement._closed:
            self._announcement = create_comm(target_name=ANNOUNCE)

    def follow(self, agent: Agent) -> None:
        """Let every panel show this agent."""
        with self._lock:
            panels = list(self._open)
        for panel in panels:
            panel.follow(agent)

    def close(self) -> None:
        """Close every panel and take the target, the handlers and the announcement away."""
        with self._lock:
            panels, self._open = self._open, []
        for panel in panels:
            panel.close()
        if self._announcement is not None:
            self._announcement.close()
        self._kernel.comm_manager.targets.pop(CHAT, None)
        for kind, handler in self._ours.items():
            if self._kernel.control_handlers.get(kind) is handler:
                del self._kernel.control_handlers[kind]

    def _opened(self, comm: Any, _message: dict[str, Any]) -> None:
        panel = Panel(comm, self._closed)
        with self._lock:
            self._open.append(panel)
            left, self._open = self._open[:-MOST], self._open[-MOST:]
        for old in left:
            old.close()
        if Agent.latest is not None:
            panel.follow(Agent.latest)
        else:
            # An agent is made on the main thread, in order with the cells.
            self._kernel.io_loop.add_callback(self._introduce, panel)

    def _introduce(self, panel: Panel) -> None:
        try:
            agent = Agent.latest or Agent()
        except (NepheleError, OSError, ValueError) as error:
            panel.regret(str(error))
        else:
            panel.follow(agent)

    def _closed(self, panel: Panel) -> None:
        with self._lock:
            if panel in self._open:
                self._open.remove(panel)
        panel.close()


_here: list[Panels] = []


def announce() -> None:
    """Answer panels from now on, where this is a kernel; a runner without a person is told nothing."""
    kernel = getattr(ipython(), "kernel", None)
    if kernel is None or forbids_stdin():
        return
    if not _here:
        _here.append(Panels(kernel))
    _here[0].announce()


def follow(agent: Agent) -> None:
    """Let the panels of this kernel show the agent last made or shown."""
    if not agent.in_kernel:
        return
    announce()
    for panels in _here:
        panels.follow(agent)


def withdraw() -> None:
    """Close the panels and answer none any more."""
    while _here:
        _here.pop().close()
