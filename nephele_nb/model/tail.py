"""Notices an answer that doesn't end: blank for ever, the same words for ever, or simply too long; it shows nothing."""

from __future__ import annotations

from typing import Literal

from .window import counted

Ended = Literal["", "blank", "loop", "long", "cap"]
"""``cap`` is said of a whole reply, never of one text."""
STRIDE = 512
SEEN = 4096
LONGEST_PERIOD = 256
PROBE = 32
LONGEST = 768 * STRIDE


class Tail:
    """The end of one text as it comes in. It is looked at every 512 characters, wherever the text was cut."""

    def __init__(self) -> None:
        self.ended: Ended = ""
        self._seen = ""
        self._count = 0
        self._wide = 0

    @property
    def tokens(self) -> int:
        """About how many tokens the text has taken so far."""
        return counted(self._count, self._wide)

    def take(self, text: str) -> str:
        """Return the text, up to where the answer is taken as ended."""
        if not text.isascii():
            self._wide += sum(not char.isascii() for char in text)
        if not self.ended and len(text) < STRIDE - self._count % STRIDE:
            self._count += len(text)
            self._seen += text
            return text
        given = ""
        while text and not self.ended:
            room = STRIDE - self._count % STRIDE
            piece, text = text[:room], text[room:]
            given += piece
            self._count += len(piece)
            self._seen = (self._seen + piece)[-SEEN:]
            if self._count % STRIDE == 0:
                self.ended = self._verdict()
        return given

    def _verdict(self) -> Ended:
        if not self._seen[-STRIDE:].strip():
            return "blank"
        if len(self._seen) == SEEN:
            period = SEEN - PROBE - self._seen.rfind(self._seen[-PROBE:], 0, -1)
            if period <= LONGEST_PERIOD and self._seen[period:] == self._seen[:-period]:
                return "loop"
        return "long" if self._count >= LONGEST else ""
