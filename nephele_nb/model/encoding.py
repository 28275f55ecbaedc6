"""Makes the JSON of a request; what a message was made into is kept, since most of a conversation goes out again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")

encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class Kept(Generic[T]):
    """What was made of each object of a list that mostly grows at its end, and whose objects nobody changes."""

    def __init__(self) -> None:
        self._objects: list[Any] = []
        self._made: list[T] = []

    def of(self, objects: Iterable[Any], make: Callable[[Any], T]) -> list[T]:
        """Return what is made of each object, anew only from the first one on that is not as it was last time."""
        now = list(objects)
        pairs = enumerate(zip(now, self._objects, strict=False))
        same = next((n for n, (a, b) in pairs if a is not b and a != b), min(len(now), len(self._objects)))
        self._objects, self._made = now, self._made[:same] + [make(item) for item in now[same:]]
        return self._made


class Made:
    """What was made of a history's messages and of the tools for one endpoint's last request."""

    def __init__(self) -> None:
        self.messages: Kept[Any] = Kept()
        self.tools: Kept[Any] = Kept()


class Encoder:
    """The JSON of one endpoint's requests."""

    def __init__(self) -> None:
        self._messages: Kept[str] = Kept()
        self._tools: Kept[str] = Kept()

    def encode(self, body: Mapping[str, Any]) -> bytes:
        """Return a request body as JSON; its messages and tools must not be changed afterwards."""
        parts = [f'"messages":[{",".join(self._messages.of(body["messages"], encode))}]']
        if "tools" in body:
            parts.append(f'"tools":[{",".join(self._tools.of(body["tools"], encode))}]')
        parts += [f"{encode(name)}:{encode(body[name])}" for name in body if name not in ("messages", "tools")]
        return f"{{{','.join(parts)}}}".encode()
