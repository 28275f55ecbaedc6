"""The small table of what is known about models by name; what it doesn't know is learnt from the server's answers."""

from __future__ import annotations

import re

WINDOWS: tuple[tuple[str, int], ...] = (
    (r"gpt-4\.1", 1_047_576),
    (r"gpt-5", 272_000),
    (r"gpt-4o|gpt-4-turbo|chatgpt-4o", 128_000),
    (r"gpt-4-32k", 32_768),
    (r"gpt-4(-0\d{3})?$", 8_192),
    (r"gpt-3\.5", 16_385),
    (r"\bo[134](-mini|-pro)?\b", 200_000),
    (r"deepseek-(chat|reasoner)", 128_000),
    (r"claude", 200_000),
    (r"gemini", 1_000_000),
    (r"mistral-(large|medium|small)|codestral", 128_000),
    (r"qwen-?(max|plus|turbo|flash)", 128_000),
)
"""Patterns on a model's name, the first that fits counts, and the tokens its makers say it takes.

Open models are not in it: how long a conversation they take is set where they are served.
"""


def window(model: str) -> int | None:
    """Return how many tokens a model is known to take, or None."""
    name = model.lower().rpartition("/")[2]
    return next((tokens for pattern, tokens in WINDOWS if re.search(pattern, name)), None)
