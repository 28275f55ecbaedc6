"""Every error of ours, in two families by who reads it; it never formats for a screen.

NepheleError                the user reads it: what happened, why, what to do
 ├─ SettingError            an unknown setting or argument, or a value it can't take
 ├─ LibraryError            the library can't be opened, read or written
 │   └─ StaleError          what was to be changed is no longer what the caller read
 ├─ ModelError              the model endpoint failed; has ``code`` and ``retryable``
 ├─ ApprovalUnanswered      strict headless mode: nobody answered an approval
 └─ ReentryError            ``result()`` was called from inside approved code
ToolError                   the model reads it: what went wrong, why, what to try instead
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class NepheleError(Exception):
    """Something the user should read: what happened, why, and what to do."""


class SettingError(NepheleError, TypeError):
    """An unknown setting or argument, or a value it can't take."""


class LibraryError(NepheleError):
    """The library can't be opened, read or written."""


class StaleError(LibraryError):
    """What was to be changed is no longer what the caller had read; nothing was changed."""


class ModelError(NepheleError):
    """The model endpoint failed.

    ``code`` is one of ``network``, ``auth``, ``not_found``, ``rate_limit``, ``bad_request``, ``server``,
    ``timeout``, ``cut`` (the stream ended early), ``provider`` (an error inside a 200), ``no_model``,
    ``tape`` (the conversation no longer matches its tape).
    """

    def __init__(self, message: str, *, code: str = "server", retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable


class ApprovalUnanswered(NepheleError):
    """Strict headless mode: an action was wanted that nobody approved."""


class ReentryError(NepheleError, RuntimeError):
    """``result()`` was called from inside approved code, where it could only wait for itself."""


class ToolError(Exception):
    """What the model should read so that it can mend its call: what went wrong, why, what to try."""


def slip(word: str, known: Iterable[str]) -> str:
    """Return the known word that a word is, but for one letter too many, too few or wrong, or two swapped; else ""."""
    for right in known:
        typed, meant = word.casefold(), right
        for _ in range(2):  # what they begin with alike, and what they end with alike
            alike = next((n for n, (a, b) in enumerate(zip(typed, meant, strict=False)) if a != b), None)
            alike = min(len(typed), len(meant)) if alike is None else alike
            typed, meant = typed[alike:][::-1], meant[alike:][::-1]
        if max(len(typed), len(meant)) <= 1 or (len(typed) == 2 and typed == meant[::-1]):
            return right
    return ""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the closest known word, or an empty string."""
    close = get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""
