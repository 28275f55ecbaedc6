"""Quotas, credits and stamina are read in all the spellings that are about, and nonsense counts as not said."""

from __future__ import annotations

import time

import pytest

from nephele_nb.model.meters import Meters, Quota, read_fields, read_meters, seconds


@pytest.mark.parametrize(
    ("text", "value"),
    [("12", 12.0), ("1.5s", 1.5), ("6m0s", 360.0), ("20ms", 0.02), ("1h2m3s", 3723.0), ("soon", None), (None, None)],
)
def test_times(text: str | None, value: float | None) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize("unit", [1, 1000])
def test_a_point_in_time_is_a_time_until_then(unit: int) -> None:
    assert 80 < (seconds(str(int((time.time() + 100) * unit))) or 0) < 101


def test_the_tightest_limit_is_told() -> None:
    headers = {
        "x-ratelimit-limit-requests": "10",
        "x-ratelimit-remaining-requests": "1",
        "x-ratelimit-limit-tokens": "1000",
        "x-ratelimit-remaining-tokens": "900",
    }
    assert read_meters(headers, platform=False).provider == Quota(10.0, 1.0, None)


@pytest.mark.parametrize("value", ["", "many", "nan", "inf"])
def test_nonsense_is_not_said(value: str) -> None:
    headers = {"x-nephele-credits-balance": value, "x-ratelimit-remaining": value}
    assert not read_meters(headers, platform=True)


def test_fields_of_a_chunk_say_the_same() -> None:
    assert read_fields({"credits_balance": 3, "stamina_remaining": 4}) == Meters(
        credits_balance=3.0, stamina=Quota(None, 4.0, None)
    )
    assert read_fields("none") == Meters()


def test_what_is_said_later_counts() -> None:
    assert Meters(credits_balance=1.0, stamina_cost=2.0) | Meters(credits_balance=0.0) == Meters(
        credits_balance=0.0, stamina_cost=2.0
    )
