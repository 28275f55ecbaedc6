"""Embeds the queries of searches: an embedder that hangs is waited for once, not by every search."""

from __future__ import annotations

import time
from concurrent.futures import Future

from .embed import Embedder, EmbedderError, begun, embedded_query

WAIT_S = 10.0
"""How long a search waits for its query's vector."""


class Queries:
    """The queries put to one embedder. Safe from several threads.

    After a query that got no answer in time, each search only asks whether it answers again, and goes by text
    meanwhile; the first answer, or error, that comes in time ends that.
    """

    def __init__(self, embedder: Embedder, wait: float = WAIT_S) -> None:
        self._embedder, self._wait = embedder, wait
        self._overdue: Future[list[float]] | None = None
        self._silent_since = 0.0

    def vector(self, text: str) -> list[float]:
        """Return a query's vector; raises EmbedderError for whatever the embedder raises, or where it is silent."""
        overdue = self._overdue
        if overdue is not None:
            if overdue.done() and overdue.exception() is None:
                self._overdue = None
            else:
                if overdue.done():
                    self._overdue = self._begin(text)
                silent = time.monotonic() - self._silent_since
                raise EmbedderError(
                    f"The embedder has been silent for {silent:.0f} s; vectors are left out until it answers."
                )
        began, answer = time.monotonic(), self._begin(text)
        try:
            return answer.result(self._wait)
        except TimeoutError as error:
            self._overdue, self._silent_since = answer, began
            raise EmbedderError(f"The embedder gave no answer to a query within {self._wait:.0f} s.") from error

    def _begin(self, text: str) -> Future[list[float]]:
        return begun(lambda: embedded_query(self._embedder, text))
