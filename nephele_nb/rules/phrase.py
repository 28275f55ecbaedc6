"""A phrase of a rule as a pattern: words, ``[optional]`` parts, ``(one|other)`` choices, ``{slots}``; it reads no file.

Parts that stand apart want white space between them, parts that touch may be written apart too where the language is
written without spaces. ``{table}``, ``{frame}``, ``{note}`` and ``{item}`` stand for a name; ``{table!}`` for one
after a word that says it is one. ``{n}`` is a number, ``{round}`` a round's id, ``{text}`` any words. A backslash
takes a sign as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

NAMES = ("table", "frame", "note", "item")
"""Slots whose value must be the name of something: of a table, a table or a data frame, a note, a note or a table."""
QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}
QUOTED = "|".join(f"{re.escape(a)}[^{re.escape(b)}]{{1,200}}{re.escape(b)}" for a, b in QUOTES.items())
NAME = rf"(?:{QUOTED}|[^\s\"'`“”‘’「」『』《》][^\"`“”「」『』《》]{{0,100}}?)"
NUMERALS = {**{c: n for n, c in enumerate("一二三四五六七八九十", 1)}, "两": 2}
OWN = {"n": rf"(?:\d{{1,4}}|[{''.join(NUMERALS)}])", "round": r"[0-9a-f]{12}", "text": r"\S.{0,200}?"}
TOKEN = re.compile(r"\\.|[\[\]()|]|\{\w+!?\}|\s+|[^\\\[\](){}|\s]+")
MOST_NAMES = 2


@dataclass(frozen=True, slots=True)
class _Read:
    """A part as a pattern; ``needs`` are words of which every text that fits holds one, none where that isn't known."""

    pattern: str
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Part:
    read: _Read
    optional: bool
    apart: bool
    """True where white space stands before it."""


@dataclass(slots=True)
class _Reader:
    tokens: list[str]
    loose: bool
    words: Mapping[str, Mapping[str, Sequence[str]]]
    slots: list[str] = field(default_factory=list)
    at: int = 0

    def choice(self, end: str) -> _Read:
        """Read alternatives up to ``end``."""
        options = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            options.append(self._sequence())
        if self._peek() != end:
            raise ValueError(f"a {end or 'phrase'!r} is missing" if end else f"{self._peek()!r} opens nothing")
        self.at += 1
        known = all(option.needs for option in options)
        needs = frozenset[str]().union(*(option.needs for option in options)) if known else frozenset[str]()
        return _Read("|".join(option.pattern for option in options), needs)

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _sequence(self) -> _Read:
        parts: list[_Part] = []
        apart = False
        while (piece := self._peek()) not in ("", "|", "]", ")"):
            self.at += 1
            if piece.isspace():
                apart = True
                continue
            optional = piece == "["
            read = self.choice("]" if optional else ")") if piece in "[(" else self._single(piece)
            parts.append(_Part(read, optional, apart))
            apart = False
        if not parts:
            raise ValueError("a part is empty")
        needed = [part.read.needs for part in parts if not part.optional and part.read.needs]
        return _Read(self._joined(parts), min(needed, key=len, default=frozenset()))

    def _single(self, piece: str) -> _Read:
        if piece[0] != "{":
            literal = piece[1] if piece[0] == "\\" else piece
            return _Read(re.escape(literal), frozenset([literal.lower()]))
        name = piece[1:-1].rstrip("!")
        needs: frozenset[str] = frozenset()
        if name in self.words:
            every = sorted((w for words in self.words[name].values() for w in words), key=len, reverse=True)
            body, needs = "|".join(re.escape(word) for word in every), frozenset(word.lower() for word in every)
        elif name in NAMES or name in OWN:
            body = NAME if name in NAMES else OWN[name]
        else:
            raise ValueError(f"there is no slot {piece}; there are {', '.join([*NAMES, *OWN, *self.words])}")
        self.slots.append(piece[1:-1])
        return _Read(f"(?P<s{len(self.slots) - 1}>{body})", needs)

    def _joined(self, parts: Sequence[_Part]) -> str:
        """Return the parts as one pattern; the white space about an optional part belongs to it."""
        out, begun = "", False
        for number, part in enumerate(parts):
            pattern, gap = f"(?:{part.read.pattern})", self._gap(part) if begun else ""
            if not part.optional:
                out, begun = f"{out}{gap}{pattern}", True
            elif begun:
                out += f"(?:{gap}{pattern})?"
            else:
                after = self._gap(parts[number + 1]) if number + 1 < len(parts) else ""
                out += f"(?:{pattern}{after})?"
        return out

    def _gap(self, part: _Part) -> str:
        return r"\s" if part.apart else r"\s?" if self.loose else ""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase as a pattern, with the slots it has, each as it was written."""

    pattern: str
    needs: frozenset[str]
    slots: tuple[str, ...]

    def match(self, text: str) -> re.Match[str] | None:
        """Return how the whole text fits; a pattern is compiled for the first text that holds a word it needs."""
        lower = text.lower()
        return _compiled(self.pattern).fullmatch(text) if any(word in lower for word in self.needs) else None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def read(text: str, loose: bool, words: Mapping[str, Mapping[str, Sequence[str]]]) -> Phrase:
    """Return a phrase, for whole messages; raises ValueError, which says what is wrong with it."""
    tokens = TOKEN.findall(text.strip())
    if "".join(tokens) != text.strip():
        raise ValueError("a brace is missing or stands alone")
    reader = _Reader(tokens, loose, words)
    whole = reader.choice("")
    if not whole.needs or not re.search(r"\w{2}|[^\W\d_a-z]", re.sub(r"\{.*?\}|\[.*?\]", " ", text.lower())):
        raise ValueError("it needs a word of its own that isn't optional, or it would take any message")
    if sum(slot.rstrip("!") in (*NAMES, "text") for slot in reader.slots) > MOST_NAMES:
        raise ValueError(f"it has more than {MOST_NAMES} slots for names or text")
    return Phrase(whole.pattern, whole.needs, tuple(reader.slots))


def unquoted(text: str) -> str:
    """Return a name without the quotes about it."""
    return text[1:-1].strip() if len(text) > 2 and QUOTES.get(text[0]) == text[-1] else text.strip()
