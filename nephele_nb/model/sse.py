"""Server-sent events: bytes in any cut become data payloads; it never looks inside a payload."""

from __future__ import annotations

import codecs
import re

DONE = "[DONE]"
LINE_END = re.compile(r"\r\n|\n|\r")


class EventReader:
    """Reads one stream; lenient about missing blank lines, a missing final newline, and a byte order mark."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._tail = ""
        self._data: list[str] = []
        self._started = False

    def feed(self, data: bytes) -> list[str]:
        """Return the payloads that these bytes complete, in order."""
        return self._take(self._decoder.decode(data))

    def close(self) -> list[str]:
        """Return what the stream's end completes."""
        payloads = self._take(self._decoder.decode(b"", True) + "\n\n", last=True)
        self._tail = ""
        return payloads

    def _take(self, text: str, *, last: bool = False) -> list[str]:
        text = self._tail + text
        if text and not self._started:
            text = text.removeprefix("\ufeff")
            self._started = True
        # A carriage return at the very end may be half of a line end.
        held = "\r" if text.endswith("\r") and not last else ""
        lines = LINE_END.split(text[: len(text) - len(held)])
        self._tail = lines.pop() + held
        payloads: list[str] = []
        for line in lines:
            self._line(line, payloads)
        return payloads

    def _line(self, line: str, payloads: list[str]) -> None:
        if not line:
            self._flush(payloads)
            return
        name, _, value = line.partition(":")
        if name != "data":
            return
        value = value.removeprefix(" ")
        if self._data and self._data[-1].endswith("}") and value.startswith(("{", DONE)):
            # Inside one JSON text a "}" is never followed by "{": a server that leaves out blank lines.
            self._flush(payloads)
        self._data.append(value)

    def _flush(self, payloads: list[str]) -> None:
        payload = "\n".join(self._data)
        self._data.clear()
        if payload.strip():
            payloads.append(payload)
