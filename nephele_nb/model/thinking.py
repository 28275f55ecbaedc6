"""Parts inline thinking from the answer while text streams in; its result never depends on where the text was cut."""

from __future__ import annotations

import re
from typing import Literal

from .delta import Piece, TextDelta, ThinkingDelta

TAGS = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "[THINK]": "[/THINK]",
}
CLOSES = tuple(TAGS.values())
OPEN = re.compile("|".join(re.escape(tag) for tag in TAGS))
CLOSE = re.compile("|".join(re.escape(tag) for tag in CLOSES))


class ThinkingSplitter:
    """Tells thinking from text in one answer.

    An opening tag counts only before any visible text, so a tag that the answer writes about stays text. A closing
    tag without an opening one (some servers eat the first) turns the text before it into thinking, unless it stands
    in code: what was given as text by then is taken back with ``TextDelta.restart``.
    """

    def __init__(self) -> None:
        self.text = ""
        self.thinking = ""
        self.unclosed = False
        self._state: Literal["start", "thinking", "text"] = "start"
        self._close = ""
        self._tagged = False
        self._held = ""

    def feed(self, piece: str) -> list[Piece]:
        """Return what this piece of content makes certain."""
        self._held += piece
        given: list[Piece] = []
        steps = {"start": self._begin, "thinking": self._think_on, "text": self._say_on}
        while self._held and steps[self._state](given):
            pass
        return given

    def finish(self) -> list[Piece]:
        """Return what was held back, now that nothing follows."""
        given: list[Piece] = []
        held, self._held = self._held, ""
        if self._state == "thinking":
            self._think(held, given)
            self.unclosed = True
        elif held.strip():
            self._say(held, given)
        return given

    def _begin(self, given: list[Piece]) -> bool:
        """Read what stands before any visible text; False when more must come first."""
        seen = self._held.lstrip()
        if tag := OPEN.match(seen):
            self._close, self._state, self._tagged = TAGS[tag.group()], "thinking", True
            self._held = seen[tag.end() :]
            return True
        if tag := CLOSE.match(seen):
            self._tagged = True
            self._held = seen[tag.end() :]
            return True
        if any(tag.startswith(seen) for tag in (*TAGS, *CLOSES)):
            return False
        if self._tagged:
            self._held = seen
        self._state = "text"
        return True

    def _think_on(self, given: list[Piece]) -> bool:
        if not self.thinking:
            self._held = self._held.lstrip()
        before, tag, after = self._held.partition(self._close)
        if tag:
            self._think(before, given)
            self._held, self._state = after, "start"
            return True
        ready = self._held[: len(self._held) - _partial(self._held, (self._close,))]
        self._held = self._held[len(ready) :]
        self._think(ready, given)
        return False

    def _say_on(self, given: list[Piece]) -> bool:
        found = None if self._tagged or "/" not in self._held else CLOSE.search(self._held)
        if not found:
            keep = 0 if self._tagged else _partial(self._held, CLOSES)
            ready = self._held[: len(self._held) - keep]
            self._held = self._held[len(ready) :]
            self._say(ready, given)
            return False
        before = self.text + self._held[: found.start()]
        if in_code(before) or OPEN.search(before):
            self._say(self._held[: found.end()], given)
        else:
            self._say(self._held[: found.start()], given)
            self.thinking, self.text, self._tagged, self._state = before, "", True, "start"
            given.append(TextDelta("", restart=True))
        self._held = self._held[found.end() :]
        return True

    def _say(self, text: str, given: list[Piece]) -> None:
        if text:
            self.text += text
            given.append(TextDelta(text))

    def _think(self, text: str, given: list[Piece]) -> None:
        if text:
            self.thinking += text
            given.append(ThinkingDelta(text))


def in_code(text: str) -> bool:
    """Tell whether what follows ``text`` stands inside a markdown fence or inline code."""
    lines = text.split("\n")
    fences = sum(line.lstrip().startswith(("```", "~~~")) for line in lines)
    return fences % 2 == 1 or lines[-1].count("`") % 2 == 1


def _partial(text: str, tags: tuple[str, ...]) -> int:
    """Return how many characters at the end of ``text`` may be the beginning of a tag."""
    begins = max(text.rfind("<"), text.rfind("["))
    if begins < 0:
        return 0
    longest = max(len(tag) for tag in tags) - 1
    ends = range(min(longest, len(text) - begins), 0, -1)
    return next((n for n in ends if any(tag.startswith(text[-n:]) for tag in tags)), 0)
