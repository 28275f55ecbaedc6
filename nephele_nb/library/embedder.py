"""What the library asks of an embedder, and the one error of all of them; it runs none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from ..errors import LibraryError


class Embedder(Protocol):
    """``id`` names model and version, vectors have ``dim`` numbers; two embedders of one id give the same vectors.

    ``floor`` and ``far_floor``, where it has them, are the similarities below which a passage is no find: in the
    query's own language, and across languages. A passage it can't embed is None.
    """

    @property
    def id(self) -> str: ...
    @property
    def dim(self) -> int: ...
    def passages(self, texts: list[str]) -> Iterable[Any]: ...
    def query(self, text: str) -> Any: ...


class EmbedderError(LibraryError):
    """An embedder could not start or gave no answer."""
