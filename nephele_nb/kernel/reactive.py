"""The marimo notebook whose cells this thread runs, where there is one; it never imports marimo and runs no code.

marimo keeps a context on the thread that runs a notebook's cells. Names that code makes there are seen by the user's
cells; what reads them isn't run again, since marimo learns of changes only from cells.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def in_marimo() -> bool:
    """True on the thread that runs a notebook's cells."""
    return _notebook() is not None


def names() -> dict[str, Any] | None:
    """Return the namespace of the notebook's cells, or None outside marimo."""
    here = _notebook()
    if here is None:
        return None
    # A script's cells run in the main module, of which its context gives only a copy.
    found: dict[str, Any] = here.globals if hasattr(here, "session_mode") else vars(sys.modules["__main__"])
    return found


def is_answered() -> bool:
    """True where a person's page shows the notebook: it is no script, and no export, which has no place for files."""
    here = _notebook()
    return getattr(here, "session_mode", None) is not None and bool(here.virtual_files_supported)


def edited_file() -> str | None:
    """Return the path of the notebook being edited; an app has many visitors, each with a conversation of their own."""
    here = _notebook()
    edited = getattr(here, "session_mode", None) == "edit" and here.filename and here.virtual_files_supported
    return str(Path(here.filename).resolve()) if edited else None


def as_markdown(text: str) -> Any:
    """Return markdown as something that marimo shows."""
    return sys.modules["marimo"].md(text)


def say(text: str) -> None:
    """Show markdown in the running cell."""
    sys.modules["marimo"].output.append(as_markdown(text))


def at_end_of_cell(end: Callable[[], object]) -> None:
    """Call a function when the running cell is run again or deleted; no effect outside marimo or its cells."""
    here = _notebook()
    if here is not None:
        here.cell_lifecycle_registry.add(_Ending(end))


def _notebook() -> Any:
    module = sys.modules.get("marimo._runtime.context")
    return module.safe_get_context() if module is not None else None


class _Ending:
    """What marimo asks of something that lives as long as a cell's last run."""

    def __init__(self, end: Callable[[], object]) -> None:
        self._end = end

    def create(self, context: Any) -> None:
        """Nothing is to be made."""

    def dispose(self, context: Any, deletion: bool) -> bool:
        """End it; True says that it need not be tried again."""
        self._end()
        return True
