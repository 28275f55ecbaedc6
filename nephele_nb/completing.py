"""What the word being typed into a chat may become: a skill after ``/``, a variable, note or table after ``@``.

It offers names only, and opens nothing that isn't open yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .kernel.namespace import CODE, describe
from .strings import Strings

if TYPE_CHECKING:
    from .agent import Agent

MOST = 12
ABOUT = 120
LONGEST = 80

Choice = dict[str, str]


def choices(agent: Agent, prefix: str, say: Strings) -> list[Choice]:
    """Return what a word may become, the likeliest first: ``text`` takes its place, ``label`` and ``about`` are shown.

    Names that begin with what is typed come before those that hold it; at most 12 in all.
    """
    sign, typed = prefix[:1], prefix[1:].casefold()
    if len(typed) > LONGEST or sign not in ("/", "@"):
        return []
    found = _skills(agent, say) if sign == "/" else _names(agent)
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
    for name in agent.library.stats()["tables"]:
        yield _choice("table", name, f"{name} " if name.isidentifier() else f"`{name}` ", "")
    for _, title in agent.library.titles():
        if title:
            yield _choice("note", title, f"[[{title}]] ", "")


def _choice(kind: str, label: str, text: str, about: str) -> Choice:
    about = " ".join(about.split())
    return {"kind": kind, "label": label, "text": text, "about": about if len(about) <= ABOUT else f"{about[:ABOUT]}…"}
