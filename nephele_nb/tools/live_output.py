"""What running code gives before it ends: rich outputs at once, printed lines now and then; the result holds it all."""

from __future__ import annotations

import asyncio

from ..events import ToolOutput
from ..kernel.outputs import is_rich
from ..types import Output
from .registry import Desk

PAUSE_S = 1.0
"""Printed lines wait this long, so that code which ends before tells of none."""
MOST_BATCHES = 60
LONGEST_BATCH = 4_000
"""Characters; of more that is printed in one pause, the end is told."""


class LiveOutput:
    """Tells of one run's outputs on the agent's loop, until it is ended."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lines: dict[str, str] = {}
        self._batches = 0
        self._waiting: asyncio.TimerHandle | None = None

    def hear(self, output: Output) -> None:
        """Take one output as it comes."""
        if is_rich(output):
            self._desk.emit(ToolOutput(self._desk.call_id, output))
        elif output.get("output_type") == "stream" and self._batches < MOST_BATCHES:
            name = str(output["name"])
            self._lines[name] = self._lines.get(name, "") + str(output["text"])
            if self._waiting is None:
                self._waiting = asyncio.get_running_loop().call_later(PAUSE_S, self._tell)

    def end(self) -> None:
        """Tell of nothing more."""
        if self._waiting is not None:
            self._waiting.cancel()
        self._batches = MOST_BATCHES

    def _tell(self) -> None:
        self._waiting = None
        for name, text in list(self._lines.items()):
            # Only whole lines: what must not be seen is looked for in each piece, and may stand across two.
            whole, end, rest = text.rpartition("\n")
            self._lines[name] = rest[-LONGEST_BATCH:]
            if not end:
                continue
            told = whole if len(whole) <= LONGEST_BATCH else "…\n" + whole[-LONGEST_BATCH:].partition("\n")[2]
            self._batches += 1
            piece = {"output_type": "stream", "name": name, "text": f"{told}\n"}
            self._desk.emit(ToolOutput(self._desk.call_id, piece))
