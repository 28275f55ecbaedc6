"""Runs what may fail inside LanceDB: fails in words, and tries a write again that met another's; it asks nothing."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import LibraryError
from .faults import in_words, met_another

T = TypeVar("T")

_ATTEMPTS = 10


class Guard:
    """The guard of one library; ``where`` is its folder or URI. Both ways raise LibraryError, chained from Lance's."""

    def __init__(self, where: str) -> None:
        self._where = where

    def read(self, read: Callable[[], T]) -> T:
        """Return what a reading returns."""
        with in_words("The library could not be read", self._where):
            return read()

    def write(self, write: Callable[[], Any]) -> Any:
        """Return what a writing returns, which is begun anew where another process's commit came between."""
        for attempt in range(_ATTEMPTS):
            try:
                with in_words("The library could not be written", self._where):
                    return write()
            except LibraryError as error:
                if attempt + 1 == _ATTEMPTS or not met_another(error):
                    raise
                time.sleep(random.uniform(0.01, 0.05) * 2 ** min(attempt, 5))
        return None
