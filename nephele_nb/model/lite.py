"""What tier lite makes of passages: an answer that only quotes them, or few enough of them for a small model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from nephele_nb.types import Hit

Language = Literal["en", "zh"]
MOST_QUOTES = 5
MOST_PER_HIT = 2
LONGEST_QUOTE = 400
MOST_READ = 800
"""Tokens of passages: a machine without a graphics card reads some twenty to fifty a second."""
WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "lead": "These passages of your notes fit best. They are quoted, not written: no model was used.",
        "none": "Your notes hold nothing on this. No model was used.",
    },
    "zh": {
        "lead": "以下是笔记中最相关的原文摘录，未使用模型。",
        "none": "笔记中没有找到相关内容，未使用模型。",
    },
}
SENTENCE = re.compile(r"[^。！？!?.\n]+(?:[.](?=\S)[^。！？!?.\n]*)*[。！？!?.]*[”」』\"')]*")
HEADING = re.compile(r"\s*#{1,6}\s")
NO_PROSE = re.compile(r"\s*(#{1,6}\s|#\S+(\s+#\S+)*\s*$|\||[-:|=\s]+$|(.*\s\|\s){2})")
"""Headings, lines of hashtags, rows of tables, rules."""
WRAPPED = 40
"""Columns from which on a line that ends may have been wrapped."""
BEGINS = re.compile(r"\s*([-*+>]|\d+[.)])\s")
"""What begins anew wherever the line before it ended."""
STOP = frozenset(
    "a an and are as at be by did do does for from had has have how i in is it of on or that the their there this to "
    "was we were what when where which who why will with you your".split()
)
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"


@dataclass(frozen=True, slots=True)
class _Quote:
    n: int
    place: int
    score: float
    text: str


def answer(question: str, hits: Sequence[Hit], language: Language) -> str:
    """Return markdown that quotes the best sentences, each with its hit's number (from 1); it says no model spoke."""
    words = WORDS[language]
    if not hits:
        return words["none"]
    asked = terms(question)
    found = [_found(n, hit, asked) for n, hit in enumerate(hits, 1)]
    quotes = [quote for each in found for quote in _best(each)] or [each[0] for each in found if each][:1]
    if not quotes:
        return words["none"]
    chosen = sorted(quotes, key=lambda q: (-q.score, q.n, q.place))[:MOST_QUOTES]
    lines = [f"> {quote.text} [{quote.n}]" for quote in sorted(chosen, key=lambda q: (q.n, q.place))]
    return "\n\n".join([words["lead"], *lines])


def few(hits: Sequence[Hit]) -> list[Hit]:
    """Return the best hits that a small model can read before the person loses patience, one at least."""
    read, kept = 0.0, list[Hit]()
    for hit in hits:
        read += sum(1.0 if c > "\u2e80" else 0.3 for c in f"{hit.title} {hit.text}")
        if kept and read > MOST_READ:
            break
        kept.append(hit)
    return kept


def terms(text: str) -> set[str]:
    """Return what a text is about: its words without the commonest, and pairs of neighbouring CJK characters."""
    lower = text.lower()
    found = {word for word in re.findall(rf"[^\W_{CJK}]+", lower) if word not in STOP}
    for run in re.findall(f"[{CJK}]+", lower):
        found |= {run[i : i + 2] for i in range(len(run) - 1)} or {run}
    return found


def _found(n: int, hit: Hit, asked: set[str]) -> list[_Quote]:
    """Return a hit's sentences with their scores; what its title and headings hold counts for its first sentence."""
    if hit.kind == "table":
        return []
    lines = hit.text.splitlines()
    headings = " ".join([hit.title, *(line for line in lines if HEADING.match(line))])
    prose = "\n".join("" if NO_PROSE.match(line) else line for line in lines)
    sentences = [s for m in SENTENCE.finditer(_unwrapped(prose)) if len(s := _clean(m.group())) > 1]
    about = 0.5 * _score(headings, asked)
    return [_Quote(n, at, _score(text, asked) + (about if at == 0 else 0), text) for at, text in enumerate(sentences)]


def _unwrapped(prose: str) -> str:
    """Return prose with the lines of a paragraph that was wrapped by hand as one; short lines stand for themselves."""
    whole: list[str] = []
    last = ""
    for line in prose.splitlines():
        goes_on = sum(2 if c > "\u2e80" else 1 for c in last) >= WRAPPED and not last.endswith(("  ", "\\"))
        if goes_on and line.strip() and not BEGINS.match(line):
            between = "" if re.search(f"[{CJK}，、；：]$", last.rstrip()) and line.strip()[0] > "\u2e80" else " "
            whole[-1] = f"{whole[-1].rstrip()}{between}{line.strip()}"
        else:
            whole.append(line)
        last = line
    return "\n".join(whole)


def _best(found: Sequence[_Quote]) -> list[_Quote]:
    """Return the best sentences of one hit, those that fit at all."""
    return sorted((q for q in found if q.score > 0), key=lambda q: (-q.score, q.place))[:MOST_PER_HIT]


def _score(sentence: str, asked: set[str]) -> float:
    """Return how much of the question a sentence holds; a long sentence must hold more of it."""
    held = terms(sentence)
    return len(held & asked) / (len(held) + 8) ** 0.25 if held else 0.0


def _clean(sentence: str) -> str:
    """Return a sentence on one line without marks that would make it a heading, a list item, or a quote."""
    text = re.sub(r"\s+", " ", sentence).strip()
    text = re.sub(r"^(#{1,6}|[-*+>]|\d+\.)\s+", "", text)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE].rstrip()}…"
