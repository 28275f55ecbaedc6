"""How closely a passage answers a query, judged by its words alone, rare ones most; it never asks the library."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from .query import Query
from .words import grams, is_cjk, normal, pieces

MANY = 1_000
"""How many passages a word is looked for among: a library of fewer says little about how rare a word is."""

NEED_WORDS, NEED_PAIRS = 0.42, 1 / 3
"""The share of a query's weight that a passage must hold to be an answer; pairs of characters overlap, so fewer do."""

ALWAYS_ENOUGH = 18.0
"""The weight of three rare words: a long question needn't be matched further."""

WORDS = 60
"""How many of a long question's words are weighed; ten thousand would take a second."""

OPENING = 40
"""How many words (or pairs of characters) open a passage; what it is about is mostly said there."""


class Closeness:
    """Weighs passages against one query. ``pool`` holds the index words of what full text found.

    Full text finds the rarest words first, so a word that the pool lacks is in no passage at all.
    """

    def __init__(self, query: Query, pool: Collection[frozenset[str]]) -> None:
        known = frozenset[str]().union(*pool)
        self._forms = {word: _forms(word, known) for word in query.words[:WORDS]}
        self._weights: dict[str, float] = {}
        for word, forms in self._forms.items():
            holding = sum(not forms.isdisjoint(words) for words in pool)
            self._weights[word] = math.log(1 + (MANY - holding + 0.5) / (holding + 0.5))
        self._all = sum(self._weights.values())
        self._need = sum(w * (NEED_PAIRS if _pair(word) else NEED_WORDS) for word, w in self._weights.items())

    def answers(self, words: frozenset[str]) -> bool:
        """Say whether a passage with these index words holds enough of the query to count as found by its text."""
        return bool(self._all) and self._held(words) >= min(self._need, ALWAYS_ENOUGH)

    def opening(self, text: str) -> float:
        """Return the share of the query's weight that the first words of a passage hold, 0 to 1."""
        return self._held(frozenset(_opening(text))) / self._all if self._all else 0.0

    def _held(self, words: frozenset[str]) -> float:
        return sum(w for word, w in self._weights.items() if not self._forms[word].isdisjoint(words))


def _forms(word: str, known: Iterable[str]) -> frozenset[str]:
    """Return the words that full text may take for this one: its own letters, or the same beginning in other forms."""
    if is_cjk(word):
        return frozenset((word,))
    stem = word[: max(4, len(word) - 3)]
    return frozenset((word, *(x for x in known if x.startswith(stem) and abs(len(x) - len(word)) <= 3)))


def _pair(word: str) -> bool:
    return len(word) > 1 and is_cjk(word)


def _opening(text: str) -> list[str]:
    out: list[str] = []
    for piece in pieces(normal(text[: OPENING * 12])):
        out += grams(piece) if is_cjk(piece) else (piece,)
        if len(out) >= OPENING:
            break
    return out[:OPENING]
