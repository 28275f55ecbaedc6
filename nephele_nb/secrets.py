"""Values that must stay on this machine, and the mark that takes their place in a text; it never stores one.

Known to be secret are the keys in the settings and in the keyring, a password or a key in an address, and each
variable of the environment whose name says so. Values of fewer than eight characters are no secrets worth the words
they would blot out.
"""

from __future__ import annotations

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
        found = {value.strip() for value in found if len(value.strip()) >= SHORTEST}
        # An address shows a value in its own spelling.
        return sorted(found | {quote(value, safe="") for value in found}, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """Return the text with each secret value replaced by a mark."""
        return _hidden(text, self.values())

    def hide_pieces(self, pieces: Sequence[str]) -> list[str]:
        """Return the pieces of one text with its secrets replaced, those too that are cut between pieces."""
        joined = "".join(pieces)
        stands: list[str] = list(joined)
        for value in self.values():
            for found in re.finditer(re.escape(value), joined):
                stands[found.start() : found.end()] = [MARK, *[""] * (len(value) - 1)]
        ends = list(accumulate((len(piece) for piece in pieces), initial=0))
        return ["".join(stands[start:end]) for start, end in pairwise(ends)]

    def hide_in(self, value: Any) -> Any:
        """Return a value of lists and mappings with the secrets in all its strings replaced."""
        return _deep(value, self.values())


def _deep(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        return _hidden(value, secrets)
    if isinstance(value, Mapping):
        return {_deep(k, secrets): _deep(v, secrets) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_deep(v, secrets) for v in value)
    return value


def _hidden(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, MARK)
    return text


def _inside(address: str) -> set[str]:
    """Return what is secret in an address, as it is written there and as it is meant."""
    try:
        parts = urlsplit(address)
        password = parts.password or ""
    except ValueError:
        return set()
    return {password, unquote(password), *(value for _, value in parse_qsl(parts.query))}
