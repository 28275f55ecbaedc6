"""The one normal form of text and its search words, for Latin and CJK scripts alike; it never stores.

Traditional characters are compared as simplified ones and letters without their accents, in the index and in the
query, so either way of writing finds both.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u3005\U00020000-\U0003134f"
_PIECE = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")
_IN_CJK = re.compile(f"[{CJK}]").match
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_LATIN = re.compile(r"[a-zA-Z]")

_MARKED = re.compile("[\u00c0-\u03ff\u0401\u0451\u0591-\u05c7\u0610-\u0670\u1e00-\u1fff]")
_SIGNS = "\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
_MARKS = re.compile(
    f"(?<=[a-z\u0370-\u03ffе])[\u0300-\u036f{_SIGNS}]+|(?<=[аиоуыэюя])[\u0300\u0301{_SIGNS}]+|[{_SIGNS}]"
)
"""The accents of Latin and Greek letters, Cyrillic stress and the dots of its yo, Hebrew and Arabic vowel signs."""
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ı": "i", "œ": "oe", "æ": "ae"}
)
"""Letters with a stroke, and joined ones, that have no accent to take off."""

STOP_WORDS = frozenset(
    "a about all also am an and any are as at be been but by can could did do does for from had has have he her his"
    " how i if in into is it its me my no not of on or our should she so some such than that the their them then there"
    " these they this those to us was we were what when where which who whom whose why will with would you your".split()
)
"""English words that say nothing about a subject; used on queries only, the index keeps every word."""

STOP_RUNS = re.compile("为什么|什么|怎么|怎样|如何|哪些|哪个|是否|有没有|多少|请问|告诉我|关于|的|了|吗|呢|吧")
"""Chinese question words and particles, as ``normal`` writes them; a query's run is cut at them."""


def whole(text: str) -> str:
    """Return text with a mark in the place of each half of a character (a lone surrogate)."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def normal(text: str) -> str:
    """Return text as it is compared: NFKC, case folded, without accents, simplified, white space as single spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).casefold()
        if _MARKED.search(text):
            text = _MARKS.sub("", unicodedata.normalize("NFD", text).translate(_LETTERS))
        text = unicodedata.normalize("NFC", text).translate(_simplified())
    return " ".join(text.casefold().split())


@cache
def _simplified() -> dict[int, str]:
    """OpenCC's table from traditional characters to simplified ones; of several choices the first, which is usual."""
    out: dict[int, str] = {}
    for line in files("opencc").joinpath("dictionary", "TSCharacters.txt").read_text("utf-8").splitlines():
        old, _, new = line.partition("\t")
        new = new.split(" ")[0]
        if len(old) == len(new) == 1:
            out[ord(old)] = new
    return out


def is_cjk(piece: str) -> bool:
    """Say whether a piece (of one script) is Chinese, Japanese or Korean."""
    return not piece.isascii() and _IN_CJK(piece) is not None


def pieces(text: str) -> list[str]:
    """Cut normal text into runs of CJK characters and words of other scripts, in order."""
    return _PIECE.findall(text)


def grams(run: str) -> list[str]:
    """Return the overlapping pairs of characters of a CJK run; a run of one character is itself."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def index_words(text: str) -> str:
    """Return the space-separated words the full-text index holds: words, and for CJK single characters and pairs."""
    out: list[str] = []
    for piece in pieces(normal(text)):
        if not is_cjk(piece):
            out.append(piece)
            continue
        for i, char in enumerate(piece):
            out.append(char)
            if i + 1 < len(piece):
                out.append(piece[i : i + 2])
    return " ".join(out)


def count_words(text: str) -> int:
    """Count words: one for each CJK character and each word of another script."""
    return sum(len(p) if is_cjk(p) else 1 for p in pieces(text))


def language(text: str) -> str:
    """Guess the language from the script: "ja", "ko", "zh", "en" (any Latin script) or ""."""
    if len(_HANGUL.findall(text)) * 5 > len(text):
        return "ko"
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    if kana and kana * 10 > kana + han:
        return "ja"
    latin = len(_LATIN.findall(text))
    if han and han * 3 > latin:
        return "zh"
    return "en" if latin else ""
