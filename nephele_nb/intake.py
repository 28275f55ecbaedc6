"""One taking-in of files that a person asked a view for, by a path they typed; it tells that view how far it is.

It runs on a thread of its own and outlives a view that is closed: what is in stays whole at every moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .commands.report import added, embedding
from .errors import LibraryError
from .strings import Strings

if TYPE_CHECKING:
    from .agent import Agent

_EVERY_S = 0.1
Tell = Callable[[dict[str, Any]], None]
_latest: WeakKeyDictionary[Agent, Intake] = WeakKeyDictionary()


class Cancelled(Exception):
    """The person wants no more files; raised where the library reports its steps, so that it ends between two."""


class Intake:
    """Takes in a file or folder; ``tell`` hears of each step, of the end, and of a fault, on the thread of ``run``."""

    def __init__(self, agent: Agent, path: str, tell: Tell, say: Strings) -> None:
        self.path = path
        self.done = False
        self._agent, self._tell, self._say = agent, tell, say
        self._cancelled = False
        self._last = 0.0
        _latest[agent] = self

    def cancel(self) -> None:
        """End it after the file at hand."""
        self._cancelled = True

    def run(self) -> None:
        """Take everything in, and tell in words what was added and what was skipped and why."""
        self._told("", 0, 0)
        report: list[str] = []
        fault = ""
        try:
            done = self._agent.library.add(Path(self.path), progress=self._step)
            report = [*added(done, self._say), *embedding(self._agent.library.stats(), self._say)]
        except Cancelled:
            report = [self._say("intake_cancelled")]
        except (LibraryError, OSError, RuntimeError) as error:
            fault = str(error)
        finally:
            self.done = True
        self._told("", 0, 0, running=False, report=report, fault=fault)

    def _step(self, label: str, done: int, total: int) -> None:
        if self._cancelled:
            raise Cancelled
        now = time.monotonic()
        if done >= total or now - self._last >= _EVERY_S:
            self._last = now
            self._told(label, done, total)

    def _told(self, label: str, done: int, total: int, **more: Any) -> None:
        step = {"label": label, "done": done, "total": total, "running": True, "report": [], "fault": ""}
        self._tell({"type": "intake", "path": self.path, **step, **more})


def running(agent: Agent) -> Intake | None:
    """Return the taking-in that an agent's library is at, None where it rests."""
    intake = _latest.get(agent)
    return intake if intake is not None and not intake.done else None
