"""Reads what a person or a model typed into the search box; any string is fine and none of it is syntax."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from unicodedata import category

from .words import STOP_RUNS, STOP_WORDS, grams, is_cjk, language, normal, pieces, whole

_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』')
_EDGES = " \t\"'`“”‘’「」『』()[]{}<>《》【】,.;:!?。，；：！？、…"
_MARKS = re.compile(r"[#%=:\\/+_.@&$~^|*-]")
_WORD = re.compile(r"\w")
_RECENT = re.compile("最近|最新|近期|近来|\\b(?:latest|newest|recent|recently|last)\\b")
_ITEMS = re.compile(
    "笔记|文档|记录|文件|内容|资料|一些|几|\\b(?:notes?|documents?|docs?|files?|entries|items|added)\\b"
)


@dataclass(frozen=True, slots=True)
class Query:
    """A query, taken apart.

    ``words`` go to the full-text index; each of ``runs`` is one word, or the character pairs of one CJK word;
    ``phrases`` are wanted letter by letter (quoted, identifiers, short CJK words); ``fault`` is "" or why there is
    nothing to search for: ``no_words`` or ``too_general``; ``recent`` asks for the newest notes and nothing else.
    """

    text: str
    plain: str
    words: tuple[str, ...]
    runs: tuple[tuple[str, ...], ...]
    phrases: tuple[str, ...]
    lang: str
    fault: str = ""
    recent: bool = False

    def shared(self, held: AbstractSet[str]) -> list[str]:
        """Return the words of the query that a passage with these index words holds, or holds another form of."""
        return [word for word in self.words if word in held or (not is_cjk(word) and _enough((word,), held))]


def _enough(run: tuple[str, ...], held: AbstractSet[str]) -> bool:
    if not is_cjk(run[0]):
        stem = run[0][: max(3, len(run[0]) - 3)]
        return any(word.startswith(stem) for word in held)
    shared = sum(pair in held for pair in run)
    wanted = -(-2 * len(run) // 3) if len(run) <= 4 else max(3, len(run) // 3)
    return shared >= wanted


def parse(text: str) -> Query:
    """Take a query apart; never raises."""
    text = whole(text)
    plain = normal(text)
    runs = _runs(plain)
    quotes = tuple(p for m in _QUOTED.finditer(plain) if _WORD.search(p := next(g for g in m.groups() if g).strip()))
    phrases = tuple(dict.fromkeys((*quotes, *_identifiers(plain), *_pictures(plain), *_short(runs))))
    words = tuple(dict.fromkeys(w for run in runs for w in run))
    fault, recent = "", False
    if not _WORD.search(plain) and not phrases:
        fault = "no_words"
    elif _RECENT.search(plain) and not _runs(_ITEMS.sub(" ", _RECENT.sub(" ", plain))):
        recent = True
    elif not words and not phrases:
        if len(pieces(plain)) >= 3:
            phrases = (plain.strip(_EDGES),)  # "to be or not to be" is no subject, but it is a phrase
        else:
            fault = "too_general"
    return Query(text, plain, words, runs, phrases, language(text), fault, recent)


def _runs(plain: str) -> tuple[tuple[str, ...], ...]:
    out: list[tuple[str, ...]] = []
    for piece in pieces(STOP_RUNS.sub(" ", plain)):
        if is_cjk(piece):
            out.append(tuple(grams(piece)))
        elif piece not in STOP_WORDS and (len(piece) > 1 or piece.isdigit() or not piece.isascii()):
            out.append((piece,))
    return tuple(dict.fromkeys(out))


def _identifiers(plain: str) -> tuple[str, ...]:
    """Chunks such as ``#682``, ``min-k%prob``, ``b=128`` or ``c++`` that word indexes cut to pieces."""
    chunks = (chunk.strip(_EDGES) for chunk in plain.split())
    return tuple(c for c in chunks if _WORD.search(c) and _MARKS.search(c) and len(c) > 1)


def _pictures(plain: str) -> tuple[str, ...]:
    """Chunks of emoji and other symbols that stand for a thing, which hold no word at all."""
    return tuple(c for c in plain.split() if not _WORD.search(c) and any(category(x) == "So" for x in c))


def _short(runs: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """A query that is one CJK word of up to three characters, which is certain only as a substring."""
    if len(runs) > 1:
        return ()
    joined = (run[0] + "".join(pair[1:] for pair in run[1:]) for run in runs if is_cjk(run[0]))
    return tuple(word for word in joined if len(word) <= 3)
