"""Which of an agent's tools the model gets whole in one round, and which by name; it never runs one.

Core tools are whole in every request, the user's own while they are few. The rest stand in the description of
``load_tools``, by category, and become whole for the rest of the round when the model loads or calls one, or when the
user's message speaks of their category. A box without ``load_tools`` is whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property

from ..errors import ToolError
from ..prompt import sections, wording
from ..strings import Language, Strings
from .registry import YOURS, Tool, Toolbox

FEW = 8
"""Tools of the user's own that go to the model whole; of more only their names."""


class Offer(Mapping[str, Tool]):
    """One round's tools: all can be called, ``whole()`` are those the model sees with their parameters."""

    def __init__(self, box: Toolbox, say: Strings, message: str = "") -> None:
        self._box, self._say = box, say
        own = [t for t in box.values() if t.category == YOURS]
        wanted = spoken_of(message)
        always = {"core"} | ({YOURS} if len(own) <= FEW else set())
        self._loaded = dict.fromkeys(n for n, t in box.items() if t.category in always)
        self._loaded |= dict.fromkeys(n for n, t in box.items() if t.category in wanted or _named(t, message))
        if "load_tools" not in box:
            self._loaded = dict.fromkeys(box)

    def whole(self) -> list[Tool]:
        """Return the tools the model gets with their parameters, in an order that only grows within a round."""
        return [self._catalogue if n == "load_tools" else self._box[n] for n in self._loaded]

    def load(self, names: Sequence[str]) -> str:
        """Make tools whole for the rest of the round, and say which; raises ToolError where none is known."""
        found: list[str] = []
        unknown: list[str] = []
        for name in dict.fromkeys(names):
            category = [n for n, t in self._box.items() if t.category == name]
            for each in category or [name]:
                (found if each in self._box else unknown).append(each)
        if not found:
            raise ToolError(self._say("load_none", names=", ".join(unknown), known=", ".join(self._box)))
        self._loaded |= dict.fromkeys(found)
        words = self._say("loaded_tools", names=", ".join(found))
        return f"{words} {self._say('load_unknown', names=', '.join(unknown))}" if unknown else words

    def find(self, name: str, say: Strings) -> Tool:
        """Return a tool that is called, loaded or not; raises ToolError that names the real ones."""
        tool = self._box.find(name, say)
        self._loaded.setdefault(tool.name)
        return tool

    def __getitem__(self, name: str) -> Tool:
        return self._box[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._box)

    def __len__(self) -> int:
        return len(self._box)

    @cached_property
    def _catalogue(self) -> Tool:
        """``load_tools`` with the names that may be loaded; the text is the same all through the round."""
        tool = self._box["load_tools"]
        language = self._say.language
        lines = [f"- {category}: {', '.join(names)}" for category, names in self._by_category().items()]
        return replace(tool, description="\n".join([wording(language)[tool.name].description, *lines]))

    def _by_category(self) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for name, tool in self._box.items():
            if tool.category != "core":
                groups.setdefault(tool.category, []).append(name)
        return groups


def spoken_of(message: str) -> set[str]:
    """Return the categories whose words a message holds, in either language."""
    return {name for name in sections("categories", "en") if mentions("categories", name, message)}


def mentions(file: str, section: str, message: str) -> bool:
    """Say whether a message holds a word that a section of a prompt file lists, in either language."""
    return _pattern(file, section).search(message.casefold()) is not None


def _named(tool: Tool, message: str) -> bool:
    return tool.category != "core" and tool.name.casefold() in message.casefold()


@cache
def _pattern(file: str, section: str) -> re.Pattern[str]:
    languages: tuple[Language, ...] = ("en", "zh")
    lists = [sections(file, language)[section].parameters["words"] for language in languages]
    words = [re.escape(word.strip()) for each in lists for word in each.split(",")]
    return re.compile("|".join(rf"\b{w}\b" if w.isascii() else w for w in words))
