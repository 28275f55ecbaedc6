"""Turns whatever LanceDB and Arrow raise into one LibraryError in words; it decides nothing about trying again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import LibraryError

FOREIGN = (ValueError, TypeError, KeyError, RuntimeError, OSError)
"""What Lance and Arrow raise; all of it means the same to the user and leaves the store as LibraryError."""

_CONFLICT = ("conflict", "concurrent", "retry", "already exists")


@contextmanager
def in_words(what: str, where: str) -> Iterator[None]:
    """Let the body raise LibraryError, chained from the foreign one; ``where`` is the folder or URI of the library."""
    try:
        yield
    except BaseException as error:  # a damaged file can make Lance's Rust panic, which no class of its own tells
        if not isinstance(error, FOREIGN) and not type(error).__module__.startswith("pyo3"):
            raise
        raise LibraryError(
            f"{what}: {_first_line(error)}. If this goes on, look at the disk and at the files in {where}; where some "
            "are damaged or gone, restore the folder from a copy."
        ) from error


def absent(error: LibraryError) -> bool:
    """Whether what Lance said is that there is no such table."""
    return isinstance(error.__cause__, ValueError) and "was not found" in str(error.__cause__)


def met_another(error: LibraryError) -> bool:
    """Whether what Lance said is that somebody else wrote at the same time; only its message tells that."""
    return any(word in str(error.__cause__).casefold() for word in _CONFLICT)


def _first_line(error: BaseException) -> str:
    """Lance's messages end in the path of a source file of its own, which helps nobody here."""
    text = re.split(r",? ?\S*\.rs:\d+|, /|\n", str(error))[0]
    return text[:400].rstrip(".")
