"""The list of built-in tools; each stands in a file of its own name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..kernel.seen import Seen
from ..references import Arxiv, Commons, Crossref, Folder, Notes, OpenAlex, Source, Tables
from ..types import Hit
from .create_note import create_note
from .delegate_tasks import delegate_tasks
from .find_references import find_references
from .get_stats import get_stats
from .graph_query import graph_query
from .inspect_variables import inspect_variables
from .load_skill import load_skill
from .load_tools import load_tools
from .memory_read import memory_read
from .memory_write import memory_write
from .offer import Offer
from .open_view import open_view
from .read_note import read_note
from .registry import Desk, Tool, Toolbox
from .run_python import run_python
from .scan_table import scan_table
from .search_notes import search_notes

if TYPE_CHECKING:
    from ..kernel.executor import Executor
    from ..library import Library
    from ..memory import Memory
    from ..skills import Skills

RESEARCH = ("search_notes", "read_note", "scan_table", "graph_query", "get_stats", "create_note")
"""The tools of research mode."""


@dataclass(frozen=True, slots=True)
class Organs:
    """What the built-in tools work on.

    ``run_timeout_s()`` is how long code may run, ``hide`` marks the secrets that are known, ``network()`` says whether
    the open web may be asked.
    """

    library: Callable[[], Library]
    executor: Executor
    run_timeout_s: Callable[[], float]
    memory: Memory
    skills: Skills
    hide: Callable[[str], str]
    network: Callable[[], bool] = lambda: False


def built_in(organs: Organs) -> Toolbox:
    """Return the built-in tools over the organs they need."""
    library, executor, seen = organs.library, organs.executor, Seen()
    box = Toolbox()
    for tool in (
        search_notes(library),
        read_note(library),
        scan_table(library, executor.lookup),
        graph_query(library),
        get_stats(library),
        create_note(library),
        run_python(executor, organs.run_timeout_s, seen),
        inspect_variables(executor, seen),
        find_references(lambda: sources_of(library), organs.network),
        delegate_tasks(),
        memory_read(organs.memory),
        memory_write(organs.memory, organs.hide),
        load_skill(organs.skills),
        open_view(library),
        load_tools(),
    ):
        box.put(tool)
    return box


def sources_of(library: Callable[[], Library]) -> list[Source]:
    """Return where references are looked for: in what is the user's own first."""

    def search(query: str, count: int, kinds: Sequence[str]) -> Sequence[Hit]:
        return library().search(query, count, kinds)

    return [Notes(search), Tables(search), Folder(Path.cwd()), Arxiv(), Crossref(), OpenAlex(), Commons()]


__all__ = ["RESEARCH", "Desk", "Offer", "Organs", "Tool", "Toolbox", "built_in"]
