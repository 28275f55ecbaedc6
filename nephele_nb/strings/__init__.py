"""The sentences a user or the model reads, one JSON file a language; it never decides which to say."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Language = Literal["en", "zh"]


class Strings:
    """The sentences of one language: ``strings("budget", calls=50)``; ``part`` names a table of its own."""

    def __init__(self, language: Language, part: str = "") -> None:
        self.language = language
        self._table = _table(f"{part}.{language}" if part else language)

    def __call__(self, key: str, **values: Any) -> str:
        return self._table[key].format(**values) if values else self._table[key]


def language_of(text: str, setting: str = "auto") -> Language:
    """Return the language to speak: the setting, else zh where the text holds Chinese characters."""
    if setting in ("en", "zh"):
        return setting  # type: ignore[return-value]
    return "zh" if any("\u4e00" <= c <= "\u9fff" for c in text) else "en"


@cache
def _table(name: str) -> dict[str, str]:
    text = files(__package__).joinpath(f"{name}.json").read_text("utf-8")
    table: dict[str, str] = json.loads(text)
    return table
