"""The list of built-in tools; each stands in a file of its own name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .create_note import create_note
from .get_stats import get_stats
from .graph_query import graph_query
from .inspect_variables import inspect_variables
from .load_tools import load_tools
from .offer import Offer
from .read_note import read_note
from .registry import Desk, Tool, Toolbox
from .run_python import run_python
from .scan_table import scan_table
from .search_notes import search_notes

if TYPE_CHECKING:
    from ..kernel.executor import Executor
    from ..library import Library

RESEARCH = ("search_notes", "read_note", "scan_table", "graph_query", "get_stats", "create_note")
"""The tools of research mode."""


def built_in(library: Callable[[], Library], executor: Executor, run_timeout_s: float) -> Toolbox:
    """Return the built-in tools over the organs they need."""
    box = Toolbox()
    for tool in (
        search_notes(library),
        read_note(library),
        scan_table(library, executor.lookup),
        graph_query(library),
        get_stats(library),
        create_note(library),
        run_python(executor, run_timeout_s),
        inspect_variables(executor),
        load_tools(),
    ):
        box.put(tool)
    return box


__all__ = ["RESEARCH", "Desk", "Offer", "Tool", "Toolbox", "built_in"]
