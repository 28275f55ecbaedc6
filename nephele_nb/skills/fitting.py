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
        pattern = _pattern(words)
        yield from (found.group() for found in (pattern.finditer(text) if pattern else ()))
    parts = skill.name.split("-")
    if len(parts) > 1 and all(part in text and re.search(_alone(part), text) for part in parts):
        yield skill.name


def _phrases(words: Words) -> tuple[str, ...]:
    quoted = (q.strip() for q in _QUOTED.findall(words.description))
    phrases = (*words.triggers, *(q for q in quoted if " " in q or not q.isascii()))
    return tuple(p for p in phrases if _tells(p))


def _tells(phrase: str) -> bool:
    """True for a phrase that is more than a gap and a letter or two, which any message would hold."""
    parts = [part.strip() for part in phrase.split("…")]
    return all(parts) and len("".join(parts)) >= (3 if phrase.isascii() else 2)


@lru_cache(maxsize=512)
def _pattern(words: Words) -> re.Pattern[str] | None:
    """Return a pattern of all phrases at once, the longest first; None where there are none."""
    phrases = sorted(_phrases(words), key=len, reverse=True)
    found = [GAP.join(_alone(part.strip()) for part in phrase.casefold().split("…")) for phrase in phrases]
    return re.compile("|".join(found)) if found else None


def _alone(part: str) -> str:
    """Return a pattern of a phrase that is no part of a longer word; Chinese has no words to be part of."""
    part = re.escape(part)
    return rf"(?<![a-z0-9]){part}(?![a-z0-9])" if part.isascii() else part
