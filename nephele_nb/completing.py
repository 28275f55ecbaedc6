"""What the word being typed into a chat may become: a skill after ``/``; a variable, table, note or file after ``@``.

It offers names only, and opens nothing that isn't open yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from .kernel.namespace import CODE, describe
from .strings import Strings

if TYPE_CHECKING:
    from .agent import Agent

MOST = 12
ABOUT = 120
LONGEST = 80
MOST_ENTRIES = 2000
"""How much of one folder is looked at."""

Choice = dict[str, str]


def choices(agent: Agent, prefix: str, say: Strings) -> list[Choice]:
    """Return what a word may become, the likeliest first: ``text`` takes its place, ``label`` and ``about`` are shown.

    Names that begin with what is typed come before those that hold it; at most 12 in all.
    """
    sign, typed = prefix[:1], prefix[1:].casefold()
    if len(typed) > LONGEST or sign not in ("/", "@"):
        return []
    found = _skills(agent, say) if sign == "/" else chain(_names(agent), _files(prefix[1:]))
    fitting = [(choice, choice["label"].casefold()) for choice in found if typed in choice["label"].casefold()]
    fitting.sort(key=lambda pair: not pair[1].startswith(typed))
    return [choice for choice, _ in fitting[:MOST]]


def _skills(agent: Agent, say: Strings) -> Iterator[Choice]:
    for skill in agent.skills.usable():
        yield _choice("skill", skill.name, f"/{skill.name} ", skill.in_(say.language).description)


def _names(agent: Agent) -> Iterator[Choice]:
    for variable in describe(agent.namespace):
        if variable.type not in CODE:
            yield _choice("variable", variable.name, f"{variable.name} ", variable.type)
    if not agent.library_is_open:
        return
    for name in agent.library.tables():
        yield _choice("table", name, f"{name} " if name.isidentifier() else f"`{name}` ", "")
    for _, title in agent.library.titles():
        if title:
            yield _choice("note", title, f"[[{title}]] ", "")


def _files(typed: str) -> Iterator[Choice]:
    """Yield what stands in the folder that is typed so far; it lies in the one where code runs, or below."""
    folder = Path(typed.rpartition("/")[0])
    if typed.startswith("/") or folder.is_absolute() or ".." in folder.parts:
        return
    entries: list[os.DirEntry[str]] = []
    with suppress(OSError, ValueError), os.scandir(folder) as found:
        entries = sorted(islice(found, MOST_ENTRIES), key=lambda entry: entry.name.casefold())
    for entry in entries:
        path = (folder / entry.name).as_posix()
        if entry.name.startswith(".") or "`" in path or not path.isprintable():
            continue
        # A folder's name goes on as the word being typed, so that what stands in it is offered next.
        is_folder = entry.is_dir()
        yield _choice("folder", f"{path}/", f"@{path}/", "") if is_folder else _choice("file", path, f"`{path}` ", "")


def _choice(kind: str, label: str, text: str, about: str) -> Choice:
    about = " ".join(about.split())
    return {"kind": kind, "label": label, "text": text, "about": about if len(about) <= ABOUT else f"{about[:ABOUT]}…"}
