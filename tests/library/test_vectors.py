"""The nearest vectors: exact while there are few, through an index when there are many, and never of a former model."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nephele_nb.library import Library
from nephele_nb.library.schema import vectors_schema
from nephele_nb.library.store import Store
from nephele_nb.library.vectors import INDEX_FROM, Vectors

from .conftest import LetterEmbedder

DIM = 64
CENTRES = np.random.default_rng(0).standard_normal((100, DIM))


def fill(store: Store, vectors: Vectors, start: int, count: int) -> np.ndarray:
    draw = np.random.default_rng(start)
    # a model's vectors lie in clusters; an index of evenly strewn ones finds much less
    block = (CENTRES[draw.integers(0, 100, count)] + draw.standard_normal((count, DIM))).astype(np.float32)
    ids = [f"p{n}" for n in range(start, start + count)]
    langs = ["zh" if n % 4 == 0 else "en" for n in range(start, start + count)]
    column = pa.FixedSizeListArray.from_arrays(pa.array(block.ravel()), DIM)
    names = [pa.array(ids), pa.array(ids), pa.array(langs), pa.array(["e"] * count)]
    store.table(vectors.name).add(pa.table([*names, column], schema=vectors_schema(DIM)))
    return block


def nearest(block: np.ndarray, query: np.ndarray, only: slice = slice(None)) -> list[str]:
    likeness = block @ query / np.linalg.norm(block, axis=1)
    kept = np.arange(len(block))[only]
    return [f"p{n}" for n in kept[np.argsort(-likeness[kept], kind="stable")][:10]]


@pytest.fixture
def made(tmp_path: Path) -> tuple[Store, Vectors]:
    store = Store(str(tmp_path))
    return store, Vectors(store, LetterEmbedder(dim=DIM))


def asked(vectors: Vectors, query: np.ndarray) -> tuple[list[str], list[str]]:
    near, far = vectors.near_and_far(query.tolist(), "en", None, 10, 10)
    return [r["id"] for r in near], [r["id"] for r in far]


def test_few_vectors_are_compared_exactly_and_fresh_ones_at_once(made: tuple[Store, Vectors]) -> None:
    store, vectors = made
    query = np.ones(DIM, np.float32)
    assert asked(vectors, query) == ([], [])
    block = fill(store, vectors, 0, 300)
    assert asked(vectors, query) == (nearest(block, query), nearest(block, query, slice(0, None, 4)))
    block = np.concatenate([block, fill(store, vectors, 300, 300)])
    assert asked(vectors, query) == (nearest(block, query), nearest(block, query, slice(0, None, 4)))
    rows = vectors.near_and_far(query.tolist(), "en", "id IN ('p1','p4')", 10, 10)
    assert ({r["id"] for r in rows[0]}, {r["id"] for r in rows[1]}) == ({"p1", "p4"}, {"p4"})
    vectors.index()
    assert not store.table(vectors.name).list_indices()


def test_many_vectors_get_an_index_that_finds_nearly_all(made: tuple[Store, Vectors]) -> None:
    store, vectors = made
    block = fill(store, vectors, 0, INDEX_FROM)
    vectors.index()
    assert {i.index_type for i in store.table(vectors.name).list_indices()} == {"IvfRq", "Bitmap"}
    queries = block[:30] + np.random.default_rng(1).standard_normal((30, DIM)).astype(np.float32) * 0.3
    found = 0
    for query in queries:
        near = vectors.near_and_far(query.tolist(), "en", None, 50, 10)[0]
        found += len(set(nearest(block, query)) & {r["id"] for r in near[:10]})
    assert found / 300 >= 0.95
    fresh = fill(store, vectors, INDEX_FROM, 1)[0]
    assert asked(vectors, fresh)[0][0] == f"p{INDEX_FROM}"


def test_a_filter_is_answered_out_of_memory_too_and_follows_every_change(made: tuple[Store, Vectors]) -> None:
    store, vectors = made
    block = fill(store, vectors, 0, 300)
    query = np.ones(DIM, np.float32)
    for start in (300, 340, 3000):
        fresh = fill(store, vectors, start, 40 if start < 3000 else 2500)
        block = np.concatenate([block, fresh])
        assert asked(vectors, query)[0] == [id_of(block, place, start) for place in ranked(block, query)[:10]]
    store.delete(vectors.name, "id IN ('p0','p1','p2')")
    gone = {"p0", "p1", "p2"}
    assert not gone & {r["id"] for r in vectors.near_and_far(query.tolist(), "en", None, 3000, 0)[0]}
    rows = vectors.near_and_far(query.tolist(), "en", "id IN ('p2','p4','p5','p3000')", 10, 10)
    assert {r["id"] for r in rows[0]} == {"p4", "p5", "p3000"}
    assert {r["id"] for r in rows[1]} == {"p4", "p3000"}
    assert [r["_distance"] for r in rows[0]] == sorted(r["_distance"] for r in rows[0])
    assert vectors.near_and_far(query.tolist(), "en", "id = 'nothing'", 10, 10) == ([], [])


def ranked(block: np.ndarray, query: np.ndarray) -> list[int]:
    return np.argsort(-(block @ query / np.linalg.norm(block, axis=1)), kind="stable").tolist()


def id_of(block: np.ndarray, place: int, start: int) -> str:
    return f"p{place if start < 3000 or place < 380 else place - 380 + 3000}"


def test_those_of_other_languages_are_found_however_far_down_they_are(made: tuple[Store, Vectors]) -> None:
    store, vectors = made
    block = fill(store, vectors, 0, INDEX_FROM)
    vectors.index()
    store.upsert(vectors.name, [far_row(n, block[0]) for n in range(5)], key="id")
    near, far = vectors.near_and_far(block[0].tolist(), "en", "lang <> 'zh'", 50, 10)
    assert len(near) == 50
    assert {r["id"] for r in far} == {f"ja{n}" for n in range(5)}
    assert {r["lang"] for r in near} == {"en"}
    assert vectors.near_and_far(block[0].tolist(), "en", "lang <> 'zh'", 50, 10, least=0.5)[1] == []


def far_row(n: int, close: np.ndarray) -> dict[str, Any]:
    away = -close + np.random.default_rng(n).standard_normal(DIM) * 0.1
    return {"id": f"ja{n}", "content_id": f"ja{n}", "lang": "ja", "embedder": "e", "vector": away.tolist()}


def test_a_library_says_whose_vectors_it_had_before(tmp_path: Path) -> None:
    for name, before in [("one", ""), ("one", ""), ("two", "one")]:
        store = Store(str(tmp_path))
        vectors = Vectors(store, LetterEmbedder(name, 4))
        assert vectors.former() == before
        vectors.remember()
        assert vectors.former() == ""


def test_a_new_model_embeds_everything_anew_while_text_goes_on(tmp_path: Path) -> None:
    first = LetterEmbedder("one", 4)
    lib = Library(tmp_path, embedder=first)
    lib.add_note("a", "bamboo", content_id="a")
    assert lib.wait_embedded(60)
    lib.close()
    second: Any = LetterEmbedder("two", 5)
    lib = Library(tmp_path, embedder=second)
    assert "text" in lib.search("bamboo")[0].channels
    assert lib.wait_embedded(60)
    assert (lib.embedder, lib.stats()["embedded"], len(second.seen)) == ("two", 1.0, 1)
    assert "vector" in lib.search("bamboo")[0].channels
    lib.close()


def test_vectors_of_another_model_go_once_it_wrote_none_for_long(tmp_path: Path) -> None:
    for model in (LetterEmbedder("former", 8), LetterEmbedder("present")):
        lib = Library(tmp_path, embedder=model)
        lib.add_note("one", "bamboo", content_id="a")
        assert lib.wait_embedded(60)
        lib.close()
    lib = Library(tmp_path, embedder=model)
    assert lib.wait_embedded(60)
    lib.compact()
    store = Store(str(tmp_path))
    held = [name for name in store.names() if name.startswith("vectors_")]
    assert len(held) == 2  # who goes back soon need not embed anew
    present = Vectors(store, model)
    present.sweep(timedelta(0))
    assert [name for name in store.names() if name.startswith("vectors_")] == [present.name]
    assert (present.share(), lib.stats()["embedded"]) == (1.0, 1.0)
    lib.close()
