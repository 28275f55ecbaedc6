"""Values that must stay on this machine, and the mark that takes their place in a text; it never stores one.

Known to be secret are the keys in the settings and in the keyring, a password or a key in an address, and each
variable of the environment whose name says so. Values of fewer than eight characters are no secrets worth the words
they would blot out.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from . import keys
from .settings import Effective, Nephele

MARK = "[secret]"
SHORTEST = 8
PLACEHOLDERS = {"lm-studio", "not-needed", "not-required", "no-key-required", "sk-no-key-required", "placeholder"}
"""What local servers are told in place of a key: words that code may hold, and no secrets."""
TELLING = re.compile(r"KEY(?!BOARD)|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL", re.IGNORECASE)


class Secrets:
    """What is secret at the moment of use: code of the user's may have set a variable since."""

    def __init__(self, settings: Effective, environ: Mapping[str, str] = os.environ) -> None:
        self._settings = settings
        self._environ = environ

    def values(self) -> list[str]:
        """Return the secret values, the longest first."""
        found = {value for name, value in self._environ.items() if TELLING.search(name)}
        found |= {getattr(self._settings, name) for name in Nephele.class_trait_names(secret=True)}
        found |= set(keys.known())
        for address in (self._settings.base_url, self._settings.platform_url, self._environ.get("OPENAI_BASE_URL")):
            found |= _inside(address or "")
        found = {value.strip() for value in found if len(value.strip()) >= SHORTEST} - PLACEHOLDERS
        return sorted({spelt for value in found for spelt in _spellings(value)}, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """Return the text with each secret value replaced by a mark."""
        return _hidden(text, self.values())

    def hide_pieces(self, pieces: Sequence[str]) -> list[str]:
        """Return the pieces of one text with its secrets replaced, those too that are cut between pieces."""
        joined = "".join(pieces)
        stands: list[str] = list(joined)
        for start, end in _spans(joined, self.values()):
            stands[start:end] = [MARK, *[""] * (end - start - 1)]
        ends = list(accumulate((len(piece) for piece in pieces), initial=0))
        return ["".join(stands[start:end]) for start, end in pairwise(ends)]

    def hide_in(self, value: Any) -> Any:
        """Return a value of lists and mappings with the secrets in all its strings replaced."""
        return _deep(value, self.values())

    def hide_json(self, text: str) -> str:
        """Return JSON with the secrets in all its strings replaced, however they are escaped; a text if it is none."""
        try:
            value = json.loads(text)
            hidden = self.hide_in(value)
        except (ValueError, RecursionError):
            return self.hide(text)
        return text if hidden == value else json.dumps(hidden, ensure_ascii=False)

    def sieve(self) -> Sieve:
        """Return what hides the secrets there are now in a text that is still coming."""
        return Sieve(self.values())


class Sieve:
    """Hides the secrets of a text that comes in pieces; it holds back no more than an end that may begin one."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what can be told of the text so far."""
        text = self._held + text
        cut = min((_beginning(text, value) for value in self._values), default=len(text))
        for start, end in reversed(_spans(text, self._values)):
            cut = start if start < cut < end else cut
        self._held = text[cut:]
        return _hidden(text[:cut], self._values)

    def end(self) -> str:
        """Return the rest."""
        return _hidden(self.drop(), self._values)

    def drop(self) -> str:
        """Forget what is held back, and return it as it came."""
        held, self._held = self._held, ""
        return held


def _beginning(text: str, value: str) -> int:
    """Return where the end of a text begins that a secret may begin with; the text's length where there is none."""
    at = text.find(value[0], max(0, len(text) - len(value) + 1))
    while at >= 0 and not value.startswith(text[at:]):
        at = text.find(value[0], at + 1)
    return at if at >= 0 else len(text)


def _spellings(value: str) -> set[str]:
    """Return a value as it stands in a text, in an address, in JSON, and in JSON inside JSON."""
    spelt = {value, quote(value, safe="")}
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        spelt |= {once, json.dumps(once, ensure_ascii=ascii_only)[1:-1]}
    return spelt


def _spans(text: str, secrets: Sequence[str]) -> list[tuple[int, int]]:
    """Return where secrets stand in a text, in order; those that overlap as one."""
    merged: list[tuple[int, int]] = []
    found = (match.span() for value in secrets if value in text for match in re.finditer(re.escape(value), text))
    for start, end in sorted(found):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _deep(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, str):
        return _hidden(value, secrets)
    if isinstance(value, Mapping):
        return {_deep(k, secrets): _deep(v, secrets) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_deep(v, secrets) for v in value)
    return value


def _hidden(text: str, secrets: Sequence[str]) -> str:
    for start, end in reversed(_spans(text, secrets)):
        text = text[:start] + MARK + text[end:]
    return text


def _inside(address: str) -> set[str]:
    """Return what is secret in an address, as it is written there and as it is meant."""
    try:
        parts = urlsplit(address)
        password = parts.password or ""
    except ValueError:
        return set()
    return {password, unquote(password), *(value for _, value in parse_qsl(parts.query))}
