"""A stream that gives a run's own text to the run and all other text to the stream it stands in for."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, TextIO

from .interrupt import CURRENT, Run


class Router(io.TextIOBase):
    """Stands in for ``sys.stdout`` or ``sys.stderr``; what is not the run's own, or comes late, goes to ``other()``."""

    def __init__(self, run: Run, other: Callable[[], TextIO], heard: Callable[[str], object]) -> None:
        super().__init__()
        self._run = run
        self._other = other
        self._heard = heard

    def write(self, text: str) -> int:
        """Send the text where it belongs, decided by the context that writes."""
        if CURRENT.get() is self._run and self._run.active:
            self._heard(text)
            return len(text)
        return self._other().write(text)

    def flush(self) -> None:
        """Flush the stream this stands in for."""
        self._other().flush()

    def writable(self) -> bool:
        """Writing is all it can."""
        return True

    def isatty(self) -> bool:
        """No terminal, whatever the other is."""
        return False

    def fileno(self) -> int:
        """The other's descriptor: what goes there directly is not caught."""
        return self._other().fileno()

    def __getattr__(self, name: str) -> Any:
        """Whatever else the other stream can, as a kernel's own can more than a file."""
        return getattr(self._other(), name)
