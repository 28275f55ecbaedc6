"""A passage answers where it holds what is rare in a question; one common word is no answer."""

from __future__ import annotations

import pytest

from nephele_nb.library.closeness import OPENING, WORDS, Closeness
from nephele_nb.library.query import parse
from nephele_nb.library.words import index_words


def held(text: str) -> frozenset[str]:
    return frozenset(index_words(text).split(" "))


def closeness(question: str, *texts: str) -> Closeness:
    return Closeness(parse(question), [held(text) for text in texts])


@pytest.mark.parametrize(
    ("question", "text", "answered"),
    [
        ("league standings", "the standings of the league", True),
        ("bamboo growth", "bamboo", True),
        ("football league standings", "a standing order", False),
        ("robot cat wedding", "the category of cats", False),
        ("indexing passages", "an index of each passage", True),
        ("红烧肉的做法", "另一种做法", False),
        ("红烧肉的做法", "这样红烧的肉很好，红烧肉", True),
        ("图书馆会议", "图书馆的会议", True),
        ("云朵挖掘税", "数据挖掘", False),
        ("quantum pizza", "nothing of it", False),
    ],
)
def test_rare_words_make_an_answer(question: str, text: str, answered: bool) -> None:
    assert closeness(question, text).answers(held(text)) is answered


def test_a_word_that_all_hold_is_worth_less_than_one_that_few_do() -> None:
    texts = ["the system starts"] * 49 + ["the system sleeps in winter"]
    weighed = closeness("system winter", *texts)
    assert not weighed.answers(held("the system starts"))
    assert weighed.answers(held("winter"))
    assert weighed.opening("winter") > weighed.opening("system")


def test_three_rare_words_are_enough_of_a_long_question() -> None:
    question = " ".join(f"word{n}abc" for n in range(40))
    text = "word1abc word2abc word3abc"
    weighed = closeness(question, text)
    assert weighed.answers(held(text))
    assert not weighed.answers(held("word1abc"))


def test_only_the_opening_of_a_passage_counts_as_one() -> None:
    weighed = closeness("bamboo 竹子", "bamboo 竹子")
    assert weighed.opening("Bamboo, 竹子 and more") == 1.0
    assert weighed.opening("word " * OPENING + "bamboo 竹子") == 0.0
    assert weighed.opening("") == 0.0


def test_a_question_without_words_is_answered_by_nothing() -> None:
    weighed = closeness("the", "the")
    assert not weighed.answers(held("the"))
    assert weighed.opening("the") == 0.0


def test_only_the_first_words_of_a_very_long_question_are_weighed() -> None:
    words = [f"{n:04}word" for n in range(5_000)]
    weighed = closeness(" ".join(words), " ".join(words))
    assert weighed.opening(words[0]) == pytest.approx(1 / WORDS)
    assert weighed.opening(words[WORDS]) == 0.0
