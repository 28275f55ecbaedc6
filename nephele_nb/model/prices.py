"""What a model's tokens cost, where that is known; it looks prices up and never guesses one.

``prices.json`` beside this module holds the makers' list prices by host, per million tokens, as of the date in it.
A file of the same form in the home folder goes before it, where a price has changed or a host is not in the list::

    {"prices": [{"host": "llm.example.org", "model": "qwen*", "input": 0.4, "output": 1.2, "currency": "CNY"}]}

``host`` and ``model`` may hold ``*``; ``cached`` is what tokens from the provider's cache cost (as ``input`` where it
is missing), and ``up_to`` the longest prompt, in tokens, that a row counts for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from nephele_nb.errors import SettingError
from nephele_nb.types import Usage

from .tiers import TIERS, Endpoint

MILLION = 1_000_000
CREDITS = "credits"
SNAPSHOT = r"-\d{4}-\d\d-\d\d$|-\d{8}$"
"""The date that a maker adds to the name of a model's snapshot, which costs what the model costs."""
BROKEN = (
    "The prices in {path} can't be read ({why}). It holds what nephele_nb/model/prices.json holds: mend it, or take it "
    "away to go by the list prices."
)


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in credits or in a currency."""

    unit: str
    input: float
    output: float
    cached: float

    def cost(self, usage: Usage) -> float:
        """Return what the tokens of a step cost."""
        fresh = max(0, usage.input - usage.cached)
        made = max(usage.output, usage.total - usage.input)
        return (fresh * self.input + usage.cached * self.cached + made * self.output) / MILLION


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    host: str
    model: str
    price: Price
    up_to: float

    def fits(self, endpoint: Endpoint, model: str, prompt_tokens: int) -> bool:
        """Whether the line counts for a request."""
        there = fnmatchcase(endpoint.host, self.host) and fnmatchcase(model, self.model)
        return there and prompt_tokens <= self.up_to


class Prices:
    """The price table of one home folder."""

    def __init__(self, home: Path | None = None) -> None:
        """Read the table; raises SettingError where the home's own one is broken."""
        path = home / "prices.json" if home else None
        own = path.read_text("utf-8") if path and path.is_file() else '{"prices": []}'
        try:
            self._rows = [*_rows(json.loads(own)["prices"]), *_listed()]
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise SettingError(BROKEN.format(path=path, why=f"{type(error).__name__}: {error}")) from error

    def of(self, endpoint: Endpoint, prompt_tokens: int = 0) -> Price | None:
        """Return the price of an endpoint's model for a prompt of that length; None where it isn't known."""
        if endpoint.tier != "byok":
            each = TIERS[endpoint.tier].credits_per_token * MILLION
            return Price(CREDITS, each, each, each)
        model = re.sub(SNAPSHOT, "", endpoint.model.lower().removeprefix("models/"))
        return next((row.price for row in self._rows if row.fits(endpoint, model, prompt_tokens)), None)


def _rows(listed: Sequence[Mapping[str, Any]]) -> list[Row]:
    return [_row(row) for row in listed]


def _row(row: Mapping[str, Any]) -> Row:
    each = float(row["input"])
    price = Price(str(row["currency"]), each, float(row["output"]), float(row.get("cached", each)))
    if min(price.input, price.output, price.cached) < 0:
        raise ValueError(f"a price below nothing for {row['model']}")
    return Row(str(row["host"]), str(row["model"]).lower(), price, float(row.get("up_to", "inf")))


@cache
def _listed() -> tuple[Row, ...]:
    return tuple(_rows(json.loads(files(__package__).joinpath("prices.json").read_text("utf-8"))["prices"]))
