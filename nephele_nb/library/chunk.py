"""Cuts a note's text into passages that keep their span; pure, it never changes a character."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

LIMIT = 900
"""The weight a passage aims not to exceed: a CJK character weighs two, any other one."""

_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,3}(```+|~~~+)", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n")


class Passage(NamedTuple):
    """One piece of a note: ``text == note[start:end]``, and the heading it stands under."""

    start: int
    end: int
    text: str
    section: str


def chunk(text: str, limit: int = LIMIT) -> list[Passage]:
    """Cut text by headings, then paragraphs, then sentences; every visible character is in exactly one passage."""
    out: list[Passage] = []
    for start, end, section in _sections(text):
        for a, b in _packed(text, _blocks(text, start, end, limit), limit):
            a, b = _trimmed(text, a, b)
            if a < b:
                out.append(Passage(a, b, text[a:b], section))
    return out


def heading(line: str) -> str:
    """Return a heading's words, given all that follows its number signs; signs that close it stand apart (not C#)."""
    words = line.rstrip()
    bare = words.rstrip("#")
    return bare.rstrip() if bare.endswith((" ", "\t")) else words


def _weight(text: str) -> int:
    return len(text) + len(_WIDE.findall(text))


def _sections(text: str) -> Iterator[tuple[int, int, str]]:
    fenced = _fenced(text)
    heads = [m for m in _HEADING.finditer(text) if not any(a <= m.start() < b for a, b in fenced)]
    if not heads or heads[0].start() > 0:
        yield 0, heads[0].start() if heads else len(text), ""
    for i, head in enumerate(heads):
        yield head.start(), heads[i + 1].start() if i + 1 < len(heads) else len(text), heading(head.group(1))


def _fenced(text: str) -> list[tuple[int, int]]:
    """A line that starts with # inside a code fence is a comment, not a heading."""
    spans: list[tuple[int, int]] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence.group(1).startswith(opened.group(1)):
            spans.append((opened.start(), fence.end()))
            opened = None
    if opened is not None:
        spans.append((opened.start(), len(text)))
    return spans


def _blocks(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Yield touching spans, none heavier than the limit: paragraphs, else sentences, else hard cuts."""
    for a, b in _split(text, start, end, _PARAGRAPH):
        if _weight(text[a:b]) <= limit:
            yield a, b
            continue
        for c, d in _split(text, a, b, _SENTENCE):
            if _weight(text[c:d]) <= limit:
                yield c, d
            else:
                yield from _hard(text, c, d, limit)


def _split(text: str, start: int, end: int, at: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    left = start
    for m in at.finditer(text, start, end):
        if m.end() > left:
            yield left, m.end()
            left = m.end()
    if left < end:
        yield left, end


def _hard(text: str, start: int, end: int, limit: int) -> Iterator[tuple[int, int]]:
    """Cut a run without a sentence's end, at a space near the limit where there is one."""
    left, weight, space = start, 0, -1
    for i in range(start, end):
        weight += 2 if _WIDE.match(text[i]) else 1
        if text[i].isspace():
            space = i + 1
        if weight >= limit:
            cut = space if space > left + (i - left) // 2 else i + 1
            yield left, cut
            left, space = cut, -1
            weight = _weight(text[left : i + 1])
    if left < end:
        yield left, end


def _packed(text: str, blocks: Iterator[tuple[int, int]], limit: int) -> Iterator[tuple[int, int]]:
    """Join neighbours while they fit, so that a heading stays with its first paragraph."""
    held: tuple[int, int] | None = None
    weight = 0
    for a, b in blocks:
        added = _weight(text[a:b])
        if held is not None and weight + added <= limit:
            held, weight = (held[0], b), weight + added
            continue
        if held is not None:
            yield held
        held, weight = (a, b), added
    if held is not None:
        yield held


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())
