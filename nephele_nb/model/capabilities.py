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

SEEING = (
    r"gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-4-vision|gpt-5|chatgpt-4o",
    r"\bo1(?!-(mini|preview))|\bo3(?!-mini)|\bo4",
    r"claude-(3|opus|sonnet|haiku|fable|mythos)",
    r"gemini",
    r"qwen[\d.]*-?(vl|omni)|qvq",
    r"glm-4(\.\d)?v",
    r"pixtral|mistral-(medium-3|small-3\.[1-9])|magistral",
    r"llama-?4|llama-?3\.2-(11b|90b)|llava|bakllava",
    r"gemma-?3(?!-?(270m|1b))|paligemma",
    r"grok-(2-vision|vision|4)",
    r"internvl|minicpm-v|minicpm-o|moondream|molmo|idefics|smolvlm|kimi-vl|step-1v|cogvlm|deepseek-vl",
    r"phi-(3|3\.5)-vision|phi-4-multimodal",
    r"[-_]v(l|ision)\b|^scripted$",
)
"""Patterns on the names of models that take pictures; the scripted model takes what it is given."""


def window(model: str) -> int | None:
    """Return how many tokens a model is known to take, or None."""
    name = model.lower().rpartition("/")[2]
    return next((tokens for pattern, tokens in WINDOWS if re.search(pattern, name)), None)


def sees(model: str) -> bool:
    """Tell whether a model is known to take pictures."""
    name = model.lower().rpartition("/")[2]
    return any(re.search(pattern, name) for pattern in SEEING)
