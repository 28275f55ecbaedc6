"""A table is tidied after few writes while it is small and after more when it is large; each table on its own."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nephele_nb.library.files import LITTLE, LOOKUP_FROM, MANY_FILES
from nephele_nb.library.schema import EDGES, META, NOTES, PASSAGES
from nephele_nb.library.store import Store, any_of
from nephele_nb.library.upkeep import FOLDED, LEAST_ROWS, LEAST_WRITES, Upkeep


def test_a_table_is_due_after_many_writes_or_rows_and_only_that_one() -> None:
    upkeep = Upkeep()
    for _ in range(LEAST_WRITES - 1):
        upkeep.wrote("a", 1)
    assert upkeep.due(lambda _: 0) == []
    upkeep.wrote("a", 1)
    upkeep.wrote("b", LEAST_ROWS)
    upkeep.wrote("c", 1)
    assert upkeep.due(lambda _: 0) == ["a", "b"]
    upkeep.tidied("a")
    upkeep.wants("c")
    assert upkeep.due(lambda _: 0) == ["b", "c"]
    upkeep.tidied("b")
    upkeep.tidied("c")
    assert upkeep.due(lambda _: 0) == []


@pytest.mark.parametrize(("held", "writes"), [(0, 20), (1_600, 20), (10_000, 50), (1_000_000, 500)])
def test_a_larger_table_waits_for_more_writes(held: int, writes: int) -> None:
    upkeep = Upkeep()
    for _ in range(writes - 1):
        upkeep.wrote("a", 1)
    assert upkeep.due(lambda _: held) == []
    upkeep.wrote("a", 1)
    assert upkeep.due(lambda _: held) == ["a"]


def row(key: str, value: int) -> dict[str, object]:
    return {"id": key, "source": f"s{value % 7}", "kind": "wiki", "label": f"l{value}", "start": value, "end": value,
            "evidence": ""}  # fmt: skip


@pytest.mark.parametrize("alone", [True, False])
def test_what_is_written_is_what_is_read_through_appending_merging_tidying_and_indexes(
    tmp_path: Path, alone: bool
) -> None:
    rng, store = random.Random(4), Store(str(tmp_path))
    held = {f"e{n}": n for n in range(LOOKUP_FROM)}
    store.upsert(EDGES, [row(k, v) for k, v in held.items()])
    store.files.tidy()
    indexed = {c for i in store.table(EDGES).list_indices() for c in i.columns}
    assert indexed == {"source", "label"}
    for turn in range(40):
        fresh = {f"e{rng.randrange(LOOKUP_FROM + 400)}": rng.randrange(10_000) for _ in range(rng.choice([1, 3, 30]))}
        rows = [row(k, v) for k, v in fresh.items()]
        if alone:
            with store.pen.hold([]):
                store.upsert(EDGES, rows)
        else:
            store.upsert(EDGES, rows)
        held |= fresh
        if turn % 5 == 4:
            gone = rng.sample(sorted(held), 5)
            store.delete(EDGES, any_of("id", gone))
            held = {k: v for k, v in held.items() if k not in gone}
        if turn % 15 == 14:
            store.files.tidy_due()
            store.files.tidy()
        source = f"s{turn % 7}"
        found = {r["id"]: r["start"] for r in store.rows(EDGES, ["id", "start"], any_of("source", [source]))}
        assert found == {k: v for k, v in held.items() if v % 7 == turn % 7}
    every = store.rows(EDGES, ["id", "start"])
    assert len(every) == len(held)
    assert {r["id"]: r["start"] for r in every} == held


def test_a_large_table_that_lacks_its_indexes_gets_them(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.upsert(EDGES, [row(f"e{n}", n) for n in range(LOOKUP_FROM)])
    assert not store.table(EDGES).list_indices()
    again = Store(str(tmp_path))
    assert not again.files.untidy
    again.count(EDGES)
    assert again.files.untidy
    again.files.tidy_due()
    assert not again.files.untidy
    assert {c for i in again.table(EDGES).list_indices() for c in i.columns} == {"source", "label"}
    assert store.rows(EDGES, ["id"], "label = 'l77'") == [{"id": "e77"}]


def test_a_tidying_looks_only_at_what_was_written(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for name in (NOTES, PASSAGES, EDGES):
        store.table(name)
    before = {name: store.version(name) for name in (NOTES, PASSAGES, EDGES)}
    for n in range(LEAST_WRITES):
        store.upsert(META, [{"key": f"k{n}", "value": "v"}])
    assert store.files.untidy
    store.files.tidy_due()
    assert not store.files.untidy
    assert {name: store.version(name) for name in before} == before
    assert store.table(META).stats()["fragment_stats"]["num_fragments"] == 1


def pieces(store: Store, name: str) -> int:
    return int(store.table(name).stats()["fragment_stats"]["num_fragments"])


def test_many_small_writes_leave_few_files_and_every_row_as_it_was_last_written(tmp_path: Path) -> None:
    rng, store = random.Random(2), Store(str(tmp_path))
    store.upsert(EDGES, [row(f"e{n}", n) for n in range(200)])
    held = {f"e{n}": n for n in range(200)}
    for n in range(FOLDED**2 + 2 * FOLDED):
        key, value = f"e{rng.choice([n + 200, rng.randrange(n + 200)])}", rng.randrange(10_000)
        with store.pen.hold([]):
            store.files.fold()
            store.upsert(EDGES, [row(key, value)])
        held[key] = value
        if n % 50 == 0:
            gone = rng.choice(sorted(held))
            store.delete(EDGES, any_of("id", [gone]))
            del held[gone]
    assert pieces(store, EDGES) <= 3 * FOLDED
    assert store.count(EDGES) == len(held)
    assert {r["id"]: r["start"] for r in store.rows(EDGES, ["id", "start"])} == held


def test_nothing_is_folded_without_the_pen_nor_what_is_large(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for n in range(2 * FOLDED):
        store.upsert(EDGES, [row(f"e{n}", n)])
    store.files.fold()
    assert pieces(store, EDGES) == 2 * FOLDED
    for n in range(2 * FOLDED):
        with store.pen.hold([]):
            store.upsert(PASSAGES, [passage(n, "x" * LITTLE)], new=True)
            store.files.fold()
    assert pieces(store, PASSAGES) == 2 * FOLDED


def passage(n: int, text: str) -> dict[str, object]:
    return {"id": f"p{n}", "content_id": f"c{n}", "n": 0, "title": "", "head": "", "text": text, "start": 0,
            "end": len(text), "words": "", "plain": "", "lang": "", "updated": 1.0}  # fmt: skip


def test_a_fold_takes_back_nothing_that_another_process_wrote_in_between(tmp_path: Path) -> None:
    mine, other = Store(str(tmp_path)), Store(str(tmp_path))
    for n in range(FOLDED):
        with mine.pen.hold([]):
            mine.upsert(EDGES, [row(f"e{n}", n)])
    with other.pen.hold([]):
        other.upsert(EDGES, [row("e3", 77)])
        other.delete(EDGES, any_of("id", ["e4"]))
    with mine.pen.hold([]):
        mine.files.fold()
    assert pieces(mine, EDGES) == 1
    assert {r["id"]: r["start"] for r in other.rows(EDGES, ["id", "start"])} == {
        f"e{n}": 77 if n == 3 else n for n in range(FOLDED) if n != 4
    }


def test_what_many_short_processes_wrote_is_tidied_by_the_next(tmp_path: Path) -> None:
    for n in range(MANY_FILES + 1):
        Store(str(tmp_path)).upsert(EDGES, [row(f"e{n}", n)])
    store = Store(str(tmp_path))
    assert store.count(EDGES) == MANY_FILES + 1
    assert store.files.untidy
    store.files.tidy_due()
    assert pieces(store, EDGES) == 1
    assert not store.files.untidy
