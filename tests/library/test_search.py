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


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("臺灣的圖書館會議紀錄", "图书馆会议"), ("台湾的图书馆会议纪录", "圖書館會議"), ("機器學習", "机器学习"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"), ("plain width", "ｗｉｄｔｈ"), ("Cafe\u0301 crème", "caf\u00e9"),
        ("caf\u00e9", "CAFE\u0301"), ("用 pandas 读取数据", "pandas读取"), ("发布 🎉 庆祝", "🎉 发布"),
    ],
)  # fmt: skip
def test_every_way_of_writing_a_word_finds_it(lib: Library, text: str, query: str) -> None:
    lib.add_note("other", "nothing of the kind")
    lib.add_note("", text, content_id="it")
    assert [hit.content_id for hit in lib.search(query)] == ["it"]


def test_traditional_titles_tags_and_links_are_one_with_simplified(lib: Library) -> None:
    lib.add_note("資料庫", "內容", tags=["臺灣"], content_id="t")
    assert lib.read("资料库").content_id == "t"
    assert "title" in lib.search("资料库")[0].channels
    assert {h.content_id for h in lib.search("内容", tags=["台湾"])} == {"t"}


@pytest.mark.parametrize("query", ["🎉", "？！……", "…" * 50, "的了吗", "the of and", "bamboo " * 1500, "竹子" * 5000])
def test_odd_queries_give_hits_or_a_reason(lib: Library, query: str) -> None:
    lib.add_note("one", "bamboo 竹子")
    hits = lib.search(query)
    assert bool(hits) != bool(hits.reason)
    assert bool(hits) == ("bamboo" in query or "竹子" in query)


def test_each_channel_says_why(lib: Library) -> None:
    lib.add_note("Tea", "The ticket #682 is about bamboo shoots.", tags=["plants"], content_id="t")

    def why(query: str) -> dict[str, str]:
        hit = lib.search(query)[0]
        return dict(zip(hit.channels, hit.why, strict=True))

    assert why("bamboo shoot") == {"text": "bamboo shoot", "substring": "bamboo shoot"}
    assert why("#682")["substring"] == "#682"
    assert why("tea")["title"] == "the whole title"
    assert why("plants") == {"tag": "a tag"}
    assert why("latest notes") == {"recent": "newest"}


def test_an_identifier_is_found_inside_a_word(lib: Library) -> None:
    lib.add_note("one", "set MAX_RETRY_COUNT to 3", content_id="one")
    lib.add_note("two", "count the retries", content_id="two")
    assert lib.search("AX_RETRY_COU")[0].content_id == "one"


def test_a_fresh_note_is_found_at_once_among_indexed_ones(lib: Library) -> None:
    for n in range(3):
        lib.add_note(f"n{n}", f"bamboo number {n}")
    lib.compact()
    lib.add_note("fresh", "bamboo and wisteria", content_id="fresh")
    assert [h.content_id for h in lib.search("wisteria")] == ["fresh"]
    lib.remove("fresh")
    assert not lib.search("wisteria")


def test_a_broad_filter_leaves_out_the_few(lib: Library) -> None:
    for n in range(5):
        lib.add_note(f"n{n}", "bamboo", tags=["odd"] if n == 4 else ["even"])
    lib.add_table("bamboo", [{"a": 1}])
    assert {h.kind for h in lib.search("bamboo", kinds=["note"])} == {"note"}
    assert [h.kind for h in lib.search("bamboo", kinds=["table"])] == ["table"]
    assert len(lib.search("bamboo", tags=["even"])) == 4
    assert lib.search("bamboo", tags=["absent"]).reason == "none"


def test_titles_and_tags_fill_up(lib: Library) -> None:
    lib.add_note("Quarterly report", "nothing about it here", tags=["金融"])
    assert "title" in lib.search("quarterly rep")[0].channels
    assert "tag" in lib.search("金融")[0].channels


def test_what_opens_with_the_words_comes_before_what_names_them_on_the_way(lib: Library) -> None:
    lib.add_note("one", "filler " * 50 + "bamboo harvest bamboo harvest bamboo harvest", content_id="one")
    lib.add_note("two", "The bamboo harvest of the year. " + "filler " * 90, content_id="two")
    hits = lib.search("bamboo harvest")
    assert [hit.content_id for hit in hits] == ["two", "one"]
    assert hits[0].score > hits[1].score


def test_a_section_that_begins_with_its_heading_counts_as_an_opening(lib: Library) -> None:
    parts = ["# Preface\n\n" + "filler " * 120, "# Bamboo harvest\n\n" + "straw " * 120]
    lib.add_note("Year", "\n\n".join([*parts, "# End\n\n" + "filler " * 100 + "bamboo harvest"]))
    assert lib.search("bamboo harvest")[0].text.startswith("# Bamboo harvest")


def test_one_common_word_of_several_is_no_answer(lib: Library) -> None:
    for n in range(20):
        lib.add_note(f"n{n}", f"the plan of day {n} and its standings")
    assert lib.search("football league standings").reason == "none"
    assert lib.search("知识竞赛 standings").reason == "none"
    assert lib.search("plan standings")


def test_a_query_is_taken_apart() -> None:
    query = parse('为什么 "O\'Brien said" 三月销售下降 Min-K%Prob the tickets')
    assert "o'brien said" in query.phrases
    assert "min-k%prob" in query.phrases
    assert ("三月", "月销", "销售", "售下", "下降") in query.runs
    assert ("tickets",) in query.runs
    assert ("the",) not in query.runs
