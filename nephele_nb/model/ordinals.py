"""Puts ordinals in the place of what differs from run to run: ids, nonces, times, durations; all else stays as it is.

What a run makes up itself gets the number of its first appearance, so that two runs of the same conversation read the
same and a mix-up still shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from nephele_nb.events import Event
from nephele_nb.types import Message

MADE_UP = re.compile(
    r"(?P<mark>(?<=<<)\w+ [0-9a-f]{12}(?=>>))"
    r"|(?P<note>\bn-[0-9a-f]{10}\b)"
    r"|(?P<address>\b0x[0-9a-f]{6,16}\b)"
    r"|(?P<round>(?<=<!--UNDO:)[0-9a-f]+(?=-->))"
    r"|(?P<time>(?<=<round-context>\n)[^\n<]+(?=\n))"
    r"|(?P<file>(?<=full text in )[^\n]*?[0-9a-f]{12}\.txt)"
    r"|(?P<took>(?<=CPU times: )[^\n]+|(?<=Wall time: )[^\n]+)"
)
STARTED = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d(?: [A-Z]{2,5}|[+-]\d\d(?::?\d\d)?)?")
STANDING = re.compile(r"(?s)<(memory-cards|skills)>\n.*?\n</\1>")
"""What a system prompt tells of the user's home, which is no part of the conversation."""
SURROUNDINGS = re.compile(r"\A(<round-context>\n[^\n]*\n)(?:(?!</round-context>)[^\n]*\n)+(?=</round-context>)")
"""The variables that a message of the user's comes with: whatever else stood in the kernel when it was said."""
ID_FIELDS = ("round_id", "call_id", "approval_id", "tool_call_id", "id", "task_id")
TIME_FIELDS = ("elapsed_s", "expires_at", "reset_s", "host")


class Ordinals:
    """The numbers given so far, by kind."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}

    def number(self, kind: str, value: str) -> str:
        """Return what stands for a value, the same each time."""
        count = sum(k == kind for k, _ in self._given) + 1
        return self._given.setdefault((kind, value), f"{kind}-{count}")

    def text(self, text: str) -> str:
        """Return a text with what was made up in it numbered."""
        return MADE_UP.sub(self._found, text)

    def message(self, message: Message) -> Message:
        """Return a message of a request, without what is no part of the conversation.

        Of a system prompt the date is numbered, and what is in the home left out; of a user's message the variables.
        """
        numbered: Message = self.value(message)
        if message.get("role") == "user":
            numbered["content"] = _alone(numbered["content"])
        if message.get("role") == "system" and isinstance(numbered["content"], str):
            text = STANDING.sub(r"<\1>…</\1>", numbered["content"])
            numbered["content"] = STARTED.sub(lambda m: self.number("time", m.group()), text)
        return numbered

    def value(self, value: Any, field: str = "") -> Any:
        """Return any JSON value with ids, times and texts in it numbered."""
        if isinstance(value, Mapping):
            return {name: self.value(inside, name) for name, inside in value.items()}
        if isinstance(value, list):
            return [self.value(inside) for inside in value]
        if field in TIME_FIELDS:
            return "…"
        if not isinstance(value, str):
            return value
        kind = "call" if field in ("id", "tool_call_id", "call_id") else field.removesuffix("_id")
        return self.number(kind, value) if field in ID_FIELDS else self.text(value)

    def _found(self, match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        if kind == "time":
            return "time"  # rounds of one minute and of two must read the same
        if kind == "mark":
            label, _, nonce = match.group().partition(" ")
            return f"{label} {self.number('nonce', nonce)}"
        return self.number(kind, match.group())


def _alone(content: Any) -> Any:
    """Return what the user said without the variables that stood in the kernel then."""
    if isinstance(content, str):
        return SURROUNDINGS.sub(r"\1…\n", content)
    if isinstance(content, list):
        return [part | {"text": _alone(part["text"])} if "text" in part else part for part in content]
    return content


def plain_events(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return events as two runs of the same conversation would both have them."""
    ordinals = Ordinals()
    return [ordinals.value(event.to_dict()) for event in events]
