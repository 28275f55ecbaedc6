"""Prices are found by host and model; a home's own table goes first, and what is in neither is unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.errors import SettingError
from nephele_nb.model.prices import Price, Prices
from nephele_nb.model.tiers import Endpoint
from nephele_nb.types import Usage


def at(host: str, model: str) -> Endpoint:
    return Endpoint("byok", f"https://{host}/v1", "", model, host)


@pytest.mark.parametrize("model", ["gpt-4o-mini", "GPT-4o-mini", "gpt-4o-mini-2024-07-18"])
def test_a_listed_model(model: str) -> None:
    assert Prices().of(at("api.openai.com", model)) == Price("USD", 0.15, 0.6, 0.075)


@pytest.mark.parametrize(
    ("host", "model"),
    [("api.openai.com", "gpt-4o-mini-audio"), ("127.0.0.1:8000", "gpt-4o-mini"), ("openrouter.ai", "openai/gpt-4o")],
)
def test_no_price_is_guessed(host: str, model: str) -> None:
    assert Prices().of(at(host, model)) is None


def test_a_long_prompt_has_a_price_of_its_own() -> None:
    endpoint = at("generativelanguage.googleapis.com", "models/gemini-2.5-pro")
    short, long = Prices().of(endpoint, 200_000), Prices().of(endpoint, 200_001)
    assert (short and short.input, long and long.input) == (1.25, 2.5)


def test_the_platform_is_priced_in_credits() -> None:
    assert Prices().of(Endpoint("zephyr")) == Price("credits", 500, 500, 500)
    assert Prices().of(Endpoint("tempest")) == Price("credits", 1000, 1000, 1000)
    assert Prices().of(Endpoint("lite")) == Price("credits", 0, 0, 0)


def own(home: Path, *rows: Any) -> Prices:
    (home / "prices.json").write_text(json.dumps({"prices": rows}), "utf-8")
    return Prices(home)


def test_a_table_of_ones_own_goes_first(tmp_path: Path) -> None:
    mine = {"host": "*", "model": "gpt-4o*", "input": 1, "output": 2, "currency": "EUR"}
    prices = own(tmp_path, mine)
    assert prices.of(at("api.openai.com", "gpt-4o-mini")) == Price("EUR", 1, 2, 1)
    assert prices.of(at("api.openai.com", "gpt-4.1")) == Price("USD", 2, 8, 0.5)


@pytest.mark.parametrize("row", [{"model": "x"}, "x", {"host": "h", "model": "m", "input": "a", "output": 1}])
def test_a_broken_table_is_said_with_its_name(tmp_path: Path, row: Any) -> None:
    with pytest.raises(SettingError, match=r"prices\.json can't be read"):
        own(tmp_path, row)


def test_a_price_below_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="below nothing"):
        own(tmp_path, {"host": "h", "model": "m", "input": -1, "output": 1, "currency": "USD"})


def test_cost_counts_the_cache_once_and_thinking_outside_of_the_output() -> None:
    price = Price("USD", 1.0, 10.0, 0.1)
    assert price.cost(Usage(1_000_000, 0, 400_000, total=1_000_000)) == pytest.approx(0.64)
    assert price.cost(Usage(100, 50, total=150)) == pytest.approx(600e-6)
    assert price.cost(Usage(100, 50, reasoning=30, total=180)) == pytest.approx(900e-6)
