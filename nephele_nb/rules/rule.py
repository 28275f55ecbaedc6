"""One rule: its phrases, and the call they stand for; it never looks up whether what they name is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import nearest
from ..events import plain
from . import phrase as phrases
from .phrase import NAMES, NUMERALS, Phrase, unquoted

FIELDS = {"name": str, "phrases": list, "call": str, "arguments": dict, "bare": bool, "asks": bool}
Words = Mapping[str, Mapping[str, Sequence[str]]]
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Candidate:
    """A call a message may mean. Where ``name`` is given, something of the kind ``wants`` must bear it.

    ``sure`` says that the message can't well mean anything else, whether it bears that name or not. In ``arguments``
    ``{name}`` and ``{kind}`` stand for what is found.
    """

    rule: str
    call: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    wants: str = ""
    sure: bool = True

    def filled(self, kind: str, name: str) -> dict[str, Any]:
        """Return the arguments for what was found under the name."""
        marks = {"{kind}": kind, "{name}": name}
        return {
            key: marks.get(value, value) if isinstance(value, str) else value for key, value in self.arguments.items()
        }


@dataclass(frozen=True, slots=True)
class Ruling:
    """The call that a message turned out to stand for; ``again``: the approval that is asked once more."""

    call: str
    arguments: Mapping[str, Any]
    again: str = ""

    def __str__(self) -> str:
        given = ", ".join(f"{k}={json.dumps(plain(v), ensure_ascii=False)}" for k, v in self.arguments.items())
        return f"{self.call}({given})"


@dataclass(frozen=True, slots=True)
class Rule:
    """Phrases that stand for one call.

    ``bare`` phrases take no words of courtesy about them; a message that ``asks`` may end in a question mark.
    """

    name: str
    call: str
    phrases: tuple[Phrase, ...]
    arguments: Mapping[str, Any]
    words: Words
    bare: bool = False
    asks: bool = False

    def candidates(self, text: str) -> Iterator[Candidate]:
        """Yield the calls that a text stands for, by each phrase that fits."""
        for phrase in self.phrases:
            if found := phrase.match(text):
                yield self._candidate(phrase, found)

    def _candidate(self, phrase: Phrase, found: re.Match[str]) -> Candidate:
        values: dict[str, Any] = {}
        name, wants, sure = "", "", True
        for number, slot in enumerate(phrase.slots):
            value, bare = found[f"s{number}"], slot.rstrip("!")
            if value is not None and bare in NAMES:
                name, wants = unquoted(value), bare
                one_word = slot != bare and _is_one_word(found.string, found.start(f"s{number}"), value)
                sure = name != value.strip() or one_word
            elif value is not None:
                values[bare] = self._value(bare, value)
        return Candidate(self.name, self.call, self._arguments(values, bool(name)), name, wants, sure)

    def _value(self, slot: str, text: str) -> Any:
        if slot == "n":
            return int(NUMERALS.get(text, text))
        for value, words in self.words.get(slot, {}).items():
            if text.casefold() in (word.casefold() for word in words):
                return value
        return unquoted(text)

    def _arguments(self, values: Mapping[str, Any], named: bool) -> dict[str, Any]:
        given = self.arguments or {slot: f"{{{slot}}}" for slot in values} | ({"name": "{name}"} if named else {})
        marks = {f"{{{slot}}}": value for slot, value in values.items()}
        filled = {key: marks.get(value, value) if isinstance(value, str) else value for key, value in given.items()}
        # What an optional slot left open is the tool's to choose.
        return {k: v for k, v in filled.items() if not _is_open(v)}


def read(data: Any, words: Words, loose: bool) -> Rule:
    """Return a rule from its data; raises ValueError, which says what is wrong."""
    if not isinstance(data, Mapping):
        raise ValueError("a rule is a table with name, phrases and call")
    for key, value in data.items():
        if key not in FIELDS:
            raise ValueError(f"{key!r} is no part of a rule{nearest(key, FIELDS)}; it has {', '.join(FIELDS)}")
        if not isinstance(value, FIELDS[key]):
            raise ValueError(f"{key} must be a {FIELDS[key].__name__}")
    for key in ("name", "phrases", "call"):
        if not data.get(key):
            raise ValueError(f"{key} is missing")
    read_phrases = []
    for text in data["phrases"]:
        try:
            read_phrases.append(phrases.read(text, loose, words))
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"phrase {text!r}: {error}") from error
    return Rule(
        data["name"], data["call"], tuple(read_phrases), data.get("arguments", {}), words,
        data.get("bare", False), data.get("asks", False),
    )  # fmt: skip


def _is_one_word(text: str, start: int, value: str) -> bool:
    """Tell whether a name is one word that stands apart from the word before it, or is in other letters."""
    apart = start == 0 or text[start - 1].isspace() or value.isascii()
    return apart and len(value) <= LONGEST_NAME and not any(c.isspace() for c in value)


def _is_open(value: Any) -> bool:
    return isinstance(value, str) and value[:1] == "{" and value[-1:] == "}" and value not in ("{name}", "{kind}")
