"""A number of an answer is tied to the result it came out of, and to nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.numbers import Finding, numbers, tie


def tied(answer: str, *results: str) -> dict[str, str]:
    return {link.text: link.call_id for link in tie(answer, [Finding(f"c{n}", r) for n, r in enumerate(results)])}


@pytest.mark.parametrize(
    ("answer", "result", "text"),
    [
        ("The mean is 3.14.", "3.14159", "3.14"),
        ("There are 1,234 rows.", "1234", "1,234"),
        ("共1234行。", "shape: (1234, 3)", "1234"),
        ("总额为 1.2 万元", "total 12000", "1.2 万"),
        ("It rose by 12.5%.", "growth=0.125", "12.5%"),
        ("It rose by 12.5%.", "12.5", "12.5%"),
        ("It rose by 13%.", "0.1251", "13%"),
        ("It fell to -40.", "min -40.0", "-40"),
        ("It fell to \u221240.", "min -40.0", "\u221240"),
        ("About 3 million.", "3000000 rows", "3 million"),
        ("x = 6.02e23", "6.02e+23", "6.02e23"),
        ("Rows: 5", "| 5 |", "5"),
        ("It is 2.5, or 2.50.", "2.5", "2.5"),
        ("| a | 17 |\n|---|---|", "a 17", "17"),
    ],
)
def test_the_same_value_is_tied_however_it_is_written(answer: str, result: str, text: str) -> None:
    assert text in tied(answer, result)


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("The mean is 3.15.", "3.14159"),
        ("About 3.", "3.14159"),
        ("See [1] and [12].", "1 12"),
        ("On 2024-01-05 at 10:30.", "2024 01 05 10 30"),
        ("Use `x = 17` or\n```\n17\n```", "17"),
        ("1. first\n2. second", "1 2"),
        ("df2 has v3.2.1", "2 3.2 1"),
        ("It is 17.", "170 1.7 017x"),
        ("<!--UNDO:17-->", "17"),
        ("https://example.com/17", "17"),
        ("No numbers here.", "17"),
        ("It is 12%.", "12.9"),
    ],
)
def test_what_stands_in_no_result_or_is_no_number_is_left_alone(answer: str, result: str) -> None:
    assert tied(answer, result) == {}


def test_the_last_exact_result_counts_and_a_rounded_one_only_without_it() -> None:
    assert tied("It is 17.", "17", "17 again", "16.9") == {"17": "c1"}
    assert tied("It is 16.9.", "16.88", "16.9", "16.93") == {"16.9": "c1"}
    assert tied("It is 16.9.", "16.88", "16.93", "") == {"16.9": "c1"}


def test_a_link_says_what_its_result_was_made_of() -> None:
    (link,) = tie("It is 17.", [Finding("c", "17", {"variable df": "f1"})])
    assert link.reads == {"variable df": "f1"}


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    found = list(numbers(text))
    assert all(number.text.strip() in text for number in found)
    tie(text, [Finding("c", text)])


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_a_value_is_tied_to_its_own_text_with_and_without_commas(value: object) -> None:
    assert tied(f"It is {value} in all", f"{value}")
    assert tied(f"It is {value:,} in all", f"{value}")


@pytest.mark.parametrize("text", ["9" * 5000, "1e99999999", "1e-99999999", "0." + "3" * 5000, "1e4000"])
def test_a_monstrous_number_ends_no_round(text: str) -> None:
    assert [link.text for link in tie(f"It is 42, or {text}.", [Finding("c1", f"{text}\n42")])] == ["42"]
    assert tie(text, [Finding("c1", "42")]) == []


@pytest.mark.parametrize(
    ("written", "exact"), [("3.2 million", "3,214,567"), ("3.2万", "32,145"), ("12.3%", "0.12345")]
)
def test_a_rounded_number_with_a_unit_is_tied(written: str, exact: str) -> None:
    assert [link.text for link in tie(f"about {written} of them", [Finding("c1", exact)])] == [written]


def test_many_numbers_are_looked_up_not_compared_one_by_one() -> None:
    answer = " ".join(f"{n}.25" for n in range(1000))
    results = [Finding(str(c), " ".join(f"{n}.2549" for n in range(3000))) for c in range(3)]
    assert len(tie(answer, results)) == 200
