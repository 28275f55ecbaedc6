"""Which skill a message asks for: by ``/name``, or because its words fit a skill's own; it loads none.

Words fit where the message holds one of the skill's triggers, a phrase its description quotes, or every word of a
name of two words and more. In a trigger ``…`` stands for a few words. Where several fit, the longest phrase decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from .skill import Skill, Words

GAP = r"[^.!?。！？\n]{0,40}?"
LONGEST = 4_000
"""Characters of a message that are looked at: what stands further down is material."""
_CALL = re.compile(r"\s*/([a-z0-9][a-z0-9-]*)(?:\s+(.*))?", re.DOTALL)
_QUOTED = re.compile(r"[\"“「']([^\"”」']{4,60})[\"”」']")


@dataclass(frozen=True, slots=True)
class Brought:
    """A skill that comes into a round: the message without its name, and the phrase it fits by, empty where asked."""

    skill: Skill
    message: str
    phrase: str = ""


def called(message: str, skills: Iterable[Skill]) -> Brought | None:
    """Return the skill that a message calls by ``/name``; a name that no skill has makes it an ordinary message."""
    found = _CALL.fullmatch(message)
    if found is None:
        return None
    skill = next((s for s in skills if s.name == found[1]), None)
    return Brought(skill, (found[2] or "").strip()) if skill is not None else None


def fitting(message: str, skills: Iterable[Skill]) -> Brought | None:
    """Return the skill whose words fit a message, None where none clearly does."""
    text = message[:LONGEST].casefold()
    found = [(len(phrase), skill, phrase) for skill in skills for phrase in _matches(text, skill)]
    if not found:
        return None
    _, skill, phrase = max(found, key=lambda match: match[0])
    return Brought(skill, message, phrase)


def _matches(text: str, skill: Skill) -> Iterable[str]:
    for words in skill.words.values():
        for phrase in _phrases(words):
            if found := _pattern(phrase).search(text):
                yield found.group()
    parts = skill.name.split("-")
    if len(parts) > 1 and all(re.search(rf"(?<![a-z0-9]){re.escape(part)}(?![a-z0-9])", text) for part in parts):
        yield skill.name


def _phrases(words: Words) -> tuple[str, ...]:
    quoted = (q.strip() for q in _QUOTED.findall(words.description))
    return words.triggers + tuple(q for q in quoted if " " in q or not q.isascii())


@lru_cache(maxsize=1024)
def _pattern(phrase: str) -> re.Pattern[str]:
    parts = [re.escape(part.strip()) for part in phrase.casefold().split("…")]
    parts = [rf"(?<![a-z0-9]){part}(?![a-z0-9])" if part.isascii() else part for part in parts]
    return re.compile(GAP.join(parts))
