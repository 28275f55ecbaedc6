"""The tags that a note's own text names with a number sign, in any script; it reads text and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_CODE = re.compile(
    r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,}).*?(?:^[ \t]{0,3}(?P=fence)|\Z)"  # a fence
    r"|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"  # code in a line
    r"|^(?: {4}|\t)(?![ \t]*(?:[-*+]|\d+[.)])[ \t]).*?$"  # an indented line that is no item of a list
    r"|<!--.*?(?:-->|\Z)|\$\$.*?\$\$",
    re.MULTILINE | re.DOTALL,
)
_TAG = re.compile(r"(?:^|(?<=[\s(（\[【,，。、；;：:！!？?]))(?<!\]\()#(?P<name>[\w/-]+)", re.MULTILINE)
_COLOUR = re.compile(r"[0-9a-f]{3,4}(?:[0-9a-f]{2,4})?", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")


class Tagged(NamedTuple):
    """A tag without its sign, and where it stands, the sign included: [start, end) in characters of the text."""

    name: str
    start: int
    end: int


def tags_in(text: str) -> Iterator[Tagged]:
    """Yield each tag of a markdown text; code, headings, anchors, numbers and colours (#fff, #123) are none."""
    plain = _CODE.sub(lambda code: " " * len(code.group()), text)
    for m in _TAG.finditer(plain):
        name = m["name"].rstrip("/-_")
        if _LETTER.search(name) and not (len(name) in (3, 4, 6, 8) and _COLOUR.fullmatch(name)):
            yield Tagged(name, m.start(), m.start() + 1 + len(name))
