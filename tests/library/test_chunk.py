"""Passages keep their span and lose nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.library.chunk import chunk

MARKDOWNISH = st.lists(
    st.sampled_from(
        [
            "# Head\n",
            "## 标题\n",
            "\n\n",
            "word ",
            "A sentence. ",
            "句子。",
            "长" * 40,
            "x" * 70,
            "```\n",
            "# no\n",
            " ",
        ]
    ),
    max_size=60,
).map("".join)


@given(MARKDOWNISH, st.integers(20, 200))
def test_every_visible_character_is_in_exactly_one_passage(text: str, limit: int) -> None:
    passages = chunk(text, limit)
    end = 0
    for p in passages:
        assert p.text == text[p.start : p.end]
        assert p.start >= end
        assert not text[end : p.start].strip()
        end = p.end
    assert not text[end:].strip()


@given(MARKDOWNISH, st.integers(20, 200))
def test_no_passage_is_heavier_than_the_limit_by_more_than_a_character(text: str, limit: int) -> None:
    for p in chunk(text, limit):
        weight = sum(2 if c >= "\u3040" else 1 for c in p.text)
        assert weight <= limit + 1


def test_passages_stand_under_their_heading() -> None:
    text = "intro\n\n# One\n\nfirst\n\n## Two\n\nsecond"
    assert [(p.section, p.text) for p in chunk(text)] == [
        ("", "intro"),
        ("One", "# One\n\nfirst"),
        ("Two", "## Two\n\nsecond"),
    ]


def test_a_comment_in_a_code_fence_is_no_heading() -> None:
    assert [p.section for p in chunk("# Real\n\n```python\n# not a heading\nx = 1\n```\n")] == ["Real"]


def test_long_chinese_text_is_cut_at_sentences() -> None:
    sentence = "华东仓库的乌龙茶在三月断货了十几天。"
    passages = chunk(sentence * 60, limit=200)
    assert len(passages) > 5
    assert all(p.text.endswith("。") and p.text.startswith("华东") for p in passages)


def test_text_without_words_has_no_passages() -> None:
    assert chunk("") == chunk(" \n\n ") == []
