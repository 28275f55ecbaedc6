"""Search finds words of every script, takes any text, and says when there is nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nephele_nb.library import Library
from nephele_nb.library.query import parse

from .conftest import FIXTURES

QUERIES = json.loads((FIXTURES / "queries.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory):
    library = Library(tmp_path_factory.mktemp("search"), embedder="none")
    for line in (FIXTURES / "notes.jsonl").read_text("utf-8").splitlines():
        note = json.loads(line)
        library.add_note(note["title"], note["text"], content_id=note["id"])
    yield library
    library.close()


@pytest.mark.parametrize("case", QUERIES, ids=lambda c: f"{c['case'][:3]}-{c['q']}")
def test_words_are_found_by_text_alone(notes: Library, case: dict) -> None:
    hits = notes.search(case["q"], k=5)
    assert set(case["must"]) <= {hit.content_id for hit in hits}
    assert bool(hits) != bool(hits.reason)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "no_words"), ("  ", "no_words"), ("*", "no_words"), ('""', "no_words"), ("the", "too_general"),
        ("dogs OR cats", "none"), ("zebra", "none"), ("量子披萨", "none"), ("玻璃海怪", "none"),
    ],
)  # fmt: skip
def test_nothing_to_find_is_said_with_its_reason(notes: Library, query: str, reason: str) -> None:
    hits = notes.search(query)
    assert (list(hits), hits.reason) == ([], reason)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40) | st.text(alphabet="\"'\\*+-:(){}[]^~?|&OR AND%_;`词 a", max_size=20))
def test_no_text_is_syntax(notes: Library, text: str) -> None:
    hits = notes.search(text)
    assert len(hits) <= 8
    assert all(hit.span[0] <= hit.span[1] for hit in hits)


def test_hits_name_their_channels_and_their_span(notes: Library) -> None:
    hit = notes.search("会議")[0]
    assert {"text", "title", "substring"} <= set(hit.channels)
    assert notes.read(hit.content_id).text[slice(*hit.span)] == hit.text


def test_recent_answers_only_when_asked_for(notes: Library) -> None:
    assert [h.content_id for h in notes.search("latest notes", k=2)] == ["n9", "n8"]
    assert notes.search("最近的笔记", k=1)[0].channels == ("recent",)
    assert not notes.search("latest zebra")


def test_one_long_note_does_not_crowd_out_the_rest(lib: Library) -> None:
    lib.add_note("Long", "\n\n".join(f"# Part {i}\n\nbamboo " + "filler " * 120 for i in range(9)))
    lib.add_note("Short", "also bamboo")
    hits = lib.search("bamboo", k=5)
    assert [h.title for h in hits].count("Long") == 2
    assert "Short" in [h.title for h in hits]


def test_filters(lib: Library, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "one.md").write_text("---\ndate: 2025-01-10\nupdated: 2025-01-11\ntags: [Tea, x]\n---\nbamboo one")
    (folder / "two.md").write_text("---\ndate: 2025-03-10\nupdated: 2025-03-10\n---\nbamboo two")
    lib.add(folder)
    lib.add_table("bamboo", [{"a": 1}])

    def found(**filters: object) -> set[str]:
        return {h.content_id for h in lib.search("bamboo", **filters)}

    assert found() == {"in/a/one.md", "in/two.md", "table:bamboo"}
    assert found(kinds=["table"]) == {"table:bamboo"}
    assert found(tags=["tea"]) == found(folder="in/a") == {"in/a/one.md"}
    assert found(tags=["tea", "y"]) == set()
    assert found(since="2025-03-01", until="2025-03-31") == {"in/two.md"}
    assert found(until="2025-01-10") == {"in/a/one.md"}


def test_titles_and_tags_fill_up(lib: Library) -> None:
    lib.add_note("Quarterly report", "nothing about it here", tags=["金融"])
    assert "title" in lib.search("quarterly rep")[0].channels
    assert "tag" in lib.search("金融")[0].channels


def test_a_query_is_taken_apart() -> None:
    query = parse('为什么 "O\'Brien said" 三月销售下降 Min-K%Prob the tickets')
    assert "o'brien said" in query.phrases
    assert "min-k%prob" in query.phrases
    assert ("三月", "月销", "销售", "售下", "下降") in query.runs
    assert ("tickets",) in query.runs
    assert ("the",) not in query.runs
