"""A search waits once for an embedder that hangs, goes by text meanwhile, and comes back to it."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import pytest

from nephele_nb.library.embed import EmbedderError
from nephele_nb.library.queries import Queries

from .conftest import LetterEmbedder


class Hanging(LetterEmbedder):
    """Hangs at a query while its gate is shut; an error may be what the hanging ends in."""

    def __init__(self) -> None:
        super().__init__("hanging")
        self.gate, self.error, self.asked = threading.Event(), "", 0

    def query(self, text: str) -> list[float]:
        self.asked += 1
        assert self.gate.wait(60)
        if self.error:
            raise RuntimeError(self.error)
        return super().query(text)


def eventually_answered(queries: Queries, embedder: LetterEmbedder) -> None:
    """Ask until a vector comes, as searches do."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(EmbedderError):
            assert queries.vector("words") == LetterEmbedder.query(embedder, "words")
            return
    raise AssertionError("no answer was taken")


def test_an_embedder_that_hangs_is_waited_for_once_and_used_again_when_it_answers() -> None:
    embedder = Hanging()
    queries = Queries(embedder, wait=0.05)
    with pytest.raises(EmbedderError, match="no answer to a query within"):
        queries.vector("words")
    patient = Queries(embedder, wait=3600)
    patient._overdue = queries._overdue
    for _ in range(3):  # not waited for: the test would hang
        with pytest.raises(EmbedderError, match="silent"):
            patient.vector("words")
    assert embedder.asked == 1
    embedder.gate.set()
    eventually_answered(patient, embedder)


def test_a_query_that_fails_after_its_time_is_put_again_without_waiting() -> None:
    embedder = Hanging()
    queries = Queries(embedder, wait=0.05)
    with pytest.raises(EmbedderError):
        queries.vector("words")
    embedder.error = "timed out"
    embedder.gate.set()
    overdue = queries._overdue
    assert overdue is not None
    assert "timed out" in str(overdue.exception(60))
    embedder.error = ""
    with pytest.raises(EmbedderError, match="silent"):
        queries.vector("words")
    eventually_answered(queries, embedder)


def test_a_query_that_fails_in_time_says_why_each_time() -> None:
    embedder = Hanging()
    embedder.error = "boom"
    embedder.gate.set()
    queries = Queries(embedder)
    for _ in range(2):
        with pytest.raises(EmbedderError, match="boom"):
            queries.vector("words")
