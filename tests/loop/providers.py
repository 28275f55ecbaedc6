"""The rules every request of these tests is held to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.model.providers import STRICT


def alternate(body: Mapping[str, Any]) -> str | None:
    """User and assistant take turns; calls with their results count as a part of the assistant's turn."""
    wanted = "user"
    for place, message in enumerate(body["messages"]):
        role = message["role"]
        if role == "system" and place == 0:
            continue
        if role == "tool" or message.get("tool_calls"):
            wanted = "assistant"
            continue
        if role != wanted:
            return f"messages[{place}]: {role} where {wanted} was wanted"
        wanted = "assistant" if wanted == "user" else "user"
    return None


SESSION = (*STRICT, alternate)
