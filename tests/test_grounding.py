"""What an answer claims is held against what was opened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.grounding import ChatCheck, CitationCheck, bare, false_quotes

PASSAGES = [
    "Supplier delay\nEast was out of stock from March 8 to March 24; 1,200 bags at 4.50 yuan.",
    "乌龙茶从3月8日起断货，共十七天。",
]


def chat(answer: str, size: int = 5) -> str:
    check = ChatCheck(PASSAGES, "(guess)", "(?)")
    pieces = [check.feed(answer[i : i + size]) for i in range(0, len(answer), size)]
    return "".join([*pieces, check.end()])


def research(answer: str, opened: int = 2, size: int = 3) -> tuple[str, int]:
    check = CitationCheck(lambda: opened)
    pieces = [check.feed(answer[i : i + size]) for i in range(0, len(answer), size)]
    return "".join([*pieces, check.end()]), check.dropped


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("East was out of stock from March 8 to March 24 [1].", None),
        ("It lasted 17 days [1].", "It lasted 17 (?) days [1]."),
        ("There were 1200 bags at 4.5 yuan.", None),
        ("Profits will certainly recover next winter. [1]", None),
        ("Profits will recover next winter. They did [1].", "Profits will recover next winter. (guess) They did [1]."),
        ("乌龙茶从3月8日起断货。", None),
        ("竞争对手明年就会降价促销。", "竞争对手明年就会降价促销。 (guess)"),
        ("1. East was out of stock [1].\n2. Stock was out [1].\n", None),
        ("", None),
    ],
)
def test_chat_is_held_to_its_passages(answer: str, shown: str | None) -> None:
    assert chat(answer) == (answer if shown is None else shown)


@given(st.text(alphabet="ab 1.。!\n[]８五", max_size=60), st.integers(1, 7))
def test_chat_marks_do_not_depend_on_the_cuts(answer: str, size: int) -> None:
    assert chat(answer, size) == chat(answer, 1000)


@pytest.mark.parametrize(
    ("answer", "shown", "dropped"),
    [
        ("Stock ran out [1], later [2].", "Stock ran out [1], later [2].", 0),
        ("Stock ran out [3].", "Stock ran out [?].", 1),
        ("Both [1, 9] and [2，7].", "Both [1][?] and [2][?].", 2),
        ("Code `x[9]` and\n```\ny[7]\n```\nthen [9].", "Code `x[9]` and\n```\ny[7]\n```\nthen [?].", 1),
        ("A list [a] and [link](x) stay, so does [", "A list [a] and [link](x) stay, so does [", 0),
    ],
)
def test_citations_of_nothing_are_dropped(answer: str, shown: str, dropped: int) -> None:
    assert research(answer) == (shown, dropped)


@given(st.text(alphabet="a`[]19, \n", max_size=40), st.integers(1, 6))
def test_citation_checks_do_not_depend_on_the_cuts(answer: str, size: int) -> None:
    assert research(answer, 2, size) == research(answer, 2, 1000)


def test_quotations_must_stand_in_a_source() -> None:
    said = 'He wrote “out of stock from March 8” and "out of  stock\u00a0from March 8", but not “never out of stock”.'
    assert false_quotes(said, PASSAGES) == ["never out of stock"]
    assert false_quotes('`"code is no quotation"`', PASSAGES) == []
    assert false_quotes("笔记写道「乌龙茶从３月８日起断货」。", PASSAGES) == []


@pytest.mark.parametrize(("written", "same"), [("1,200", "1200"), ("4.50", "4.5"), ("-7", "7"), ("3.0", "3")])
def test_one_number_has_many_forms(written: str, same: str) -> None:
    assert bare(written) == bare(same)
