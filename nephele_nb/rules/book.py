"""All rules: the product's, one file a language, and the user's own in ``home/rules``; it never runs a call.

A message is a command only as a whole: one line that fits a phrase from end to end, with at most a word of courtesy
about it. The user's rules come first; a file of theirs that can't be read is named in ``faults`` and left out.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from .phrase import NAMES, OWN
from .rule import Candidate, Rule, Words, read

LANGUAGES = {"en": False, "zh": True}
"""The product's files, and whether their language is written without spaces."""
LONGEST = 200
LARGEST_FILE = 200_000
CJK = "\u3040-\u30ff\u3400-\u9fff"
FORCE = "//"
"""What a message begins with that is for the model whatever it says."""


@dataclass(frozen=True, slots=True)
class _Shelf:
    """One file's rules, with the words of courtesy that may stand about them."""

    rules: tuple[Rule, ...]
    lead: re.Pattern[str] | None = None
    asking: re.Pattern[str] | None = None
    tail: re.Pattern[str] | None = None


@dataclass(slots=True)
class Rulebook:
    """The rules of one home."""

    folder: Path
    faults: list[str] = field(default_factory=list)
    """What can't be used of the user's rules, and why."""
    _own: list[_Shelf] = field(default_factory=list)
    _state: tuple[Any, ...] = ()

    def match(self, text: str) -> list[Candidate]:
        """Return the calls a message may mean, the likeliest first; none for a message that is no plain command."""
        found: dict[tuple[str, str, str], Candidate] = {}
        if len(text) > LONGEST or "\n" in text.strip() or text.lstrip().startswith(FORCE):
            return []
        self._renew()
        text, asked = _plain(text)
        for shelf in [*self._own, *_built_in(bool(re.search(f"[{CJK}]", text)))]:
            for candidate in _candidates(shelf, text, asked):
                found.setdefault((candidate.rule, candidate.name, candidate.wants), candidate)
        return list(found.values())

    def names(self) -> list[str]:
        """Return the names of all rules, the user's own first."""
        self._renew()
        return list(dict.fromkeys(rule.name for shelf in [*self._own, *_built_in(True)] for rule in shelf.rules))

    def _renew(self) -> None:
        """Read the user's rules again where a file has changed."""
        try:
            paths = sorted(p for p in self.folder.iterdir() if p.suffix in (".toml", ".json"))
            state = tuple((p.name, (s := p.stat()).st_mtime_ns, s.st_size) for p in paths)
        except OSError:
            paths, state = [], ()
        if state == self._state:
            return
        self._state, self._own, self.faults = state, [], []
        for path in paths:
            try:
                self._own.append(_Shelf(tuple(self._rules(path))))
            except (OSError, ValueError, RecursionError) as error:
                self.faults.append(f"{path.name}: {error}")

    def _rules(self, path: Path) -> Iterator[Rule]:
        if path.stat().st_size > LARGEST_FILE:
            raise ValueError(f"it is larger than {LARGEST_FILE // 1000} kB")
        text = path.read_text("utf-8-sig")
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        entries = data.get("rule") if isinstance(data, Mapping) else data
        if not isinstance(entries, list):
            raise ValueError("it holds no list of rules; begin each with [[rule]]")
        words = {**_slots(), **_own_slots(data)}
        for number, entry in enumerate(entries, 1):
            try:
                yield read(entry, words, loose=True)
            except ValueError as error:
                label = entry.get("name") if isinstance(entry, Mapping) else None
                self.faults.append(f"{path.name}, rule {label or number}: {error}")


def forced(text: str) -> tuple[str, bool]:
    """Return a message without the sign that forces the model, and whether it had it."""
    bare = text.lstrip()
    return (bare.removeprefix(FORCE).lstrip(), True) if bare.startswith(FORCE) else (text, False)


def _candidates(shelf: _Shelf, text: str, asked: bool) -> Iterator[Candidate]:
    variants = dict.fromkeys([(text, asked), *_without_courtesy(shelf, text, asked)])
    for rule in shelf.rules:
        for variant, asks in [(text, asked)] if rule.bare else variants:
            if rule.asks or not asks:
                yield from rule.candidates(variant)


def _without_courtesy(shelf: _Shelf, text: str, asked: bool) -> Iterable[tuple[str, bool]]:
    """Yield the message without what is said to be polite; "can you …?" is no question then."""
    bare = text
    if shelf.asking and (found := shelf.asking.match(bare)):
        bare, asked = bare[found.end() :], False
    if shelf.lead and (found := shelf.lead.match(bare)):
        bare = bare[found.end() :]
    yield bare, asked
    if shelf.tail and (found := shelf.tail.search(bare)):
        yield bare[: found.start()], asked


def _plain(text: str) -> tuple[str, bool]:
    """Return a message in one form without the sign that ends it, and whether that is a question mark."""
    text = " ".join(unicodedata.normalize("NFKC", text).split())
    asked = text.endswith("?")
    return re.sub(r"(?:\?|[.!。~]{1,3})$", "", text).rstrip(), asked


def _built_in(cjk: bool) -> list[_Shelf]:
    """Return the product's rules; those of a language in Chinese characters only for a message that has some."""
    return [_shelf(language) for language, loose in LANGUAGES.items() if cjk or not loose]


@cache
def _slots() -> Words:
    """Return the words of each slot, in all languages: what the user's own rules may use."""
    merged: dict[str, dict[str, Sequence[str]]] = {}
    for language in LANGUAGES:
        for slot, values in _data(language)["slots"].items():
            for value, words in values.items():
                known = merged.setdefault(slot, {})
                known[value] = [*known.get(value, ()), *words]
    return merged


def _own_slots(data: Any) -> Words:
    """Return the slots of a user's file; raises ValueError where they are none."""
    slots = data.get("slots", {}) if isinstance(data, Mapping) else {}
    for slot, values in slots.items() if isinstance(slots, Mapping) else [("slots", slots)]:
        lists = list(values.values()) if isinstance(values, Mapping) else [None]
        if not all(
            isinstance(words, list) and words and all(isinstance(w, str) and w for w in words) for words in lists
        ):
            raise ValueError(f'slot {slot!r} is a table of words for each value, like oolong = ["oolong", "乌龙茶"]')
        if slot in NAMES or slot in OWN:
            raise ValueError(f"slot {slot!r} has a meaning of its own; give yours another name")
    return slots


def _data(language: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"{language}.toml").read_text("utf-8"))


@cache
def _shelf(language: str) -> _Shelf:
    data, loose = _data(language), LANGUAGES[language]
    gap = r"\s*" if loose else r"[\s,]+"
    lead, asking, tail = (_any_of(data[name]) for name in ("lead", "asking", "tail"))
    rules = tuple(read(entry, data["slots"], loose) for entry in data["rule"])
    return _Shelf(
        rules,
        re.compile(rf"(?:(?:{lead}){gap}){{1,2}}", re.IGNORECASE),
        re.compile(rf"(?:{asking}){gap}", re.IGNORECASE),
        re.compile(rf"(?:{gap}(?:{tail})){{1,2}}$", re.IGNORECASE),
    )


def _any_of(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
