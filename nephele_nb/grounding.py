"""What an answer may claim: citations, numbers, sentences and quotations held against what was opened; pure text.

Plain chat is held to its passages: a number that stands in none is flagged, a sentence with no support is marked as a
guess. Research is held to its sources: a citation of something that was not opened is dropped and marked, and a
quotation must stand in a source to the letter, after Unicode normalisation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,:]\d+)*(?![\w])|\d+(?:[.,:]\d+)*")
CITED = re.compile(r"\[(\d{1,3}(?:\s*[,，、]\s*\d{1,3})*)\]")
OPEN = re.compile(r"\[[\d\s,，、]{0,12}$")
AFTER = r"(?:[ \t]*\[[\d\s,，、]{1,12}\])*"
SENTENCE = re.compile(rf".*?(?:[。！？]+[”」』）)]*{AFTER}|[.!?]+[\"”')]*{AFTER}(?=\s|$)|\n+)", re.DOTALL)
QUOTED = re.compile(r"[“「『\"]([^“”「」『』\"\n]{8,400})[”」』\"]")
PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
SUPPORT = 0.5
"""The share of a sentence's words that must stand in the passages; below it an uncited sentence is a guess."""


def folded(text: str) -> str:
    """Return text in the one form that quotations and words are compared in."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()


class ChatCheck:
    """Takes the stream of a chat answer and gives it back sentence by sentence, with its marks."""

    def __init__(self, passages: Sequence[str], guess: str, unknown: str) -> None:
        """``guess`` follows an unsupported sentence; ``unknown`` follows a number that stands in no passage."""
        self._text = folded("\n".join(passages))
        self._words = words(self._text)
        self._numbers = {bare(n) for n in NUMBER.findall(self._text)}
        self._count = len(passages)
        self._guess, self._unknown = guess, unknown
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what is whole by now."""
        self._held += text
        out: list[str] = []
        while (found := SENTENCE.match(self._held)) is not None and _goes_on(self._held[found.end() :]):
            out.append(self._marked(found.group()))
            self._held = self._held[found.end() :]
        return "".join(out)

    def end(self) -> str:
        """Return the rest."""
        rest, self._held = self._held, ""
        return "".join(self._marked(part) for part in _sentences(rest))

    def _marked(self, sentence: str) -> str:
        body = sentence.rstrip()
        cited = [int(n) for group in CITED.findall(body) for n in re.split(r"\D+", group)]
        plain = CITED.sub("", folded(body))
        flagged = self._flag_numbers(body)
        supported = any(1 <= n <= self._count for n in cited) or self._supports(plain)
        mark = "" if supported else f" {self._guess}"
        return f"{flagged}{mark}{sentence[len(body) :]}"

    def _supports(self, sentence: str) -> bool:
        said = words(sentence)
        return len(said) < 3 or sum(w in self._words for w in said) >= SUPPORT * len(said)

    def _flag_numbers(self, body: str) -> str:
        safe = [found.span() for found in CITED.finditer(body)]

        def flag(found: re.Match[str]) -> str:
            inside = any(a <= found.start() < b for a, b in safe)
            listed = not body[: found.start()].strip() and body[found.end() : found.end() + 1] in (".", ")", "、")
            known = bare(unicodedata.normalize("NFKC", found.group())) in self._numbers
            return found.group() if inside or listed or known else f"{found.group()} {self._unknown}"

        return NUMBER.sub(flag, body)


class CitationCheck:
    """Takes the stream of a research answer and drops each citation of something that was not opened."""

    def __init__(self, opened: Callable[[], int] | None) -> None:
        """``opened`` tells how many sources the round has numbered so far; with None nothing is checked."""
        self._opened = opened
        self._held = ""
        self._fence = ""
        self.dropped = 0

    def feed(self, text: str) -> str:
        """Return what can be shown; an unfinished citation is held until it is whole."""
        if self._opened is None:
            return text
        text = self._held + text
        cut = len(text)
        if (ticks := re.search(r"`+$", text)) is not None:
            cut = ticks.start()
        elif not self._fence and (found := OPEN.search(text)) is not None:
            cut = found.start()
        self._held = text[cut:]
        return self._checked(text[:cut])

    def end(self) -> str:
        """Return the rest."""
        rest, self._held = self._held, ""
        return self._checked(rest)

    def _checked(self, text: str) -> str:
        pieces = re.split(r"(`+)", text)
        for n, piece in enumerate(pieces):
            if n % 2 and (not self._fence or self._fence == piece):
                self._fence = "" if self._fence else piece
            elif n % 2 == 0 and not self._fence:
                pieces[n] = CITED.sub(self._known, piece)
        return "".join(pieces)

    def _known(self, found: re.Match[str]) -> str:
        numbers = [int(n) for n in re.split(r"\D+", found.group(1))]
        opened = self._opened() if self._opened else 0
        kept = [n for n in numbers if 1 <= n <= opened]
        if len(kept) == len(numbers):
            return found.group()
        self.dropped += len(numbers) - len(kept)
        return (f"[{', '.join(map(str, kept))}]" if kept else "") + "[?]"


def false_quotes(answer: str, texts: Sequence[str]) -> list[str]:
    """Return the quotations of an answer that stand in none of ``texts``, in order."""
    sources = [folded(text) for text in texts]
    quotes = [found.group(1) for found in QUOTED.finditer(re.sub(r"`[^`]*`", "", answer))]
    return [quote for quote in quotes if not any(folded(quote) in text for text in sources)]


def words(text: str) -> set[str]:
    """Return the words of a text that can support a sentence: Latin words, and pairs of CJK characters."""
    lower = text.lower()
    pairs = (lower[i : i + 2] for i in range(len(lower) - 1))
    return set(re.findall(r"[a-z]{4,}", lower)) | {p for p in pairs if PAIR.fullmatch(p)}


def bare(number: str) -> str:
    """Return a number without its sign, its thousands' marks and its trailing zeros."""
    digits = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", number.lstrip("+-"))
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _goes_on(rest: str) -> bool:
    """True where what follows a sentence can't belong to it any more, as a citation still could."""
    following = rest.lstrip(" \t")
    return bool(following) and not following.startswith("[") and rest[0] not in ".!?。！？\"”')」』）\n"


def _sentences(text: str) -> list[str]:
    parts: list[str] = []
    while text:
        found = SENTENCE.match(text)
        end = found.end() if found and found.end() else len(text)
        parts.append(text[:end])
        text = text[end:]
    return parts
