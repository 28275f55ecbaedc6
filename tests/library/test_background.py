"""Vectors are made behind the work: how far they are can be seen and waited for, and an end loses none of them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.library import Library
from nephele_nb.library.draft import Draft

from .conftest import LetterEmbedder


class Gated(LetterEmbedder):
    """Embeds so many batches, and the rest once the gate is open."""

    def __init__(self, name: str, batches: int) -> None:
        super().__init__(name)
        self.batches, self.gate, self.waiting = batches, threading.Event(), threading.Event()

    def passages(self, texts: list[str]) -> list[list[float]]:
        self.batches -= 1
        if self.batches < 0:
            self.waiting.set()
            assert self.gate.wait(60)
        return super().passages(texts)


def test_a_changed_model_says_how_far_it_is_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    first = Library(tmp_path, embedder=LetterEmbedder("one"))
    for i in range(40):
        first.add_note(f"n{i}", "bamboo", content_id=f"n{i}")
    assert first.wait_embedded(60)
    assert (first.stats()["former_embedder"], first.search("bamboo").without) == ("", "")
    first.close()
    for batches, left in [(2, 40), (1, 16)]:
        embedder = Gated("two", batches)
        lib = Library(tmp_path, embedder=embedder)
        assert embedder.waiting.wait(60)
        assert lib.stats()["former_embedder"] == "one"
        hits = lib.search("bamboo", k=40)
        assert hits.without == f"the model changed from one to two: {8 * batches} of {left} passages re-embedded"
        assert {hit.content_id for hit in hits if "text" in hit.channels} == {f"n{i}" for i in range(40)}
        if left == 40:
            threading.Timer(0.2, embedder.gate.set).start()
            lib.close()
    told: list[Any] = []
    assert lib.wait_embedded(60, progress=lambda *step: told.append(step) or embedder.gate.set())
    assert (len(embedder.seen), told[0], told[-1]) == (16, ("vectors", 8, 16), ("vectors", 16, 16))
    assert (lib.stats()["former_embedder"], lib.stats()["embedded"], lib.search("bamboo").without) == ("", 1.0, "")
    lib.close()


def test_waiting_for_vectors_can_be_interrupted_and_timed_out(tmp_path: Path) -> None:
    embedder = Gated("slow", 0)
    lib = Library(tmp_path, embedder=embedder)
    lib._put([Draft(f"n{i}", f"n{i}", "bamboo") for i in range(20)])
    assert embedder.waiting.wait(60)
    told: list[tuple[str, int, int]] = []

    def interrupt(*step: Any) -> None:
        told.append(step)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lib.wait_embedded(progress=interrupt)
    assert told == [("vectors", 0, 20)]
    assert not lib.wait_embedded(0.01)
    embedder.gate.set()
    assert lib.wait_embedded(60)
    assert lib.stats()["embedded"] == 1.0
    lib.close()
