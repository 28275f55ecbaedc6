"""Adds the ledger's lines up: by round, by day and in all; it never writes one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .meters import Quota
from .prices import CREDITS

TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Spent:
    """What one round has spent, or all: credits of the platform, money by currency, tokens.

    ``unpriced`` counts the steps whose price isn't known, ``estimated`` those whose tokens the server didn't tell.
    """

    credits: float = 0.0
    input: int = 0
    output: int = 0
    total: int = 0
    cached: int = 0
    reasoning: int = 0
    steps: int = 0
    money: Mapping[str, float] = field(default_factory=dict)
    unpriced: int = 0
    estimated: int = 0

    @property
    def cost(self) -> str:
        """The money in words: ``unknown`` where no price is known, ``at least`` where one is missing."""
        known = " + ".join(f"{amount:.4f} {currency}" for currency, amount in self.money.items())
        if self.unpriced:
            return f"at least {known}" if known else "unknown"
        return known or "0"

    def __repr__(self) -> str:
        parts = [f"{self.total} tokens in {self.steps} steps", f"credits: {self.credits:g}", f"money: {self.cost}"]
        parts += [f"{self.estimated} estimated"] if self.estimated else []
        return f"Spent({', '.join(parts)})"


class Sum:
    """Lines added up."""

    def __init__(self) -> None:
        self.units: dict[str, float] = {}
        """Credits, tokens, and money by currency."""
        self._counts: dict[str, int] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Take one line that tells of a step."""
        for unit, amount in units(row).items():
            self.units[unit] = self.units.get(unit, 0.0) + amount
        unpriced = row.get("tier") == "byok" and not row.get("currency")
        counts = {name: int(row.get(name, 0)) for name in ("input", "output", "total", "cached", "reasoning")}
        counts |= {"steps": 1, "unpriced": int(unpriced), "estimated": int(bool(row.get("estimated")))}
        for name, count in counts.items():
            self._counts[name] = self._counts.get(name, 0) + count

    def spent(self) -> Spent:
        """Return what was added."""
        money = {unit: round(amount, 9) for unit, amount in self.units.items() if unit not in (CREDITS, TOKENS)}
        return Spent(round(self.units.get(CREDITS, 0.0), 6), **self._counts, money=money)


class Account:
    """All lines of one ledger so far."""

    def __init__(self) -> None:
        self.balance: float | None = None
        self.all = Sum()
        self.rounds: dict[str, Sum] = {}
        self.days: dict[str, Sum] = {}
        self._stamina: tuple[Quota, float] | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Take one line; what is in it beyond what this version knows changes nothing."""
        at = float(row.get("at", 0.0))
        if "round" in row:
            day = self.days.setdefault(day_of(at), Sum())
            for total in (self.all, day, self.rounds.setdefault(str(row["round"]), Sum())):
                total.add(row)
        if "balance" in row:
            self.balance = float(row["balance"])
        if "stamina" in row:
            self._stamina = Quota(*(row["stamina"].get(name) for name in ("limit", "remaining", "reset_s"))), at

    def stamina(self, now: float) -> Quota | None:
        """Return what is left of the window at ``now`` (Unix seconds); a window that is over is full again."""
        if self._stamina is None:
            return None
        quota, at = self._stamina
        if quota.reset_s is None:
            return quota
        left = at + quota.reset_s - now
        return Quota(quota.limit, quota.remaining, left) if left > 0 else Quota(quota.limit, quota.limit, None)


def units(row: Mapping[str, Any]) -> dict[str, float]:
    """Return what a line spends, by unit."""
    spent = {CREDITS: float(row.get("credits", 0.0)), TOKENS: float(row.get("total", 0))}
    if row.get("currency"):
        spent[str(row["currency"])] = float(row.get("money", 0.0))
    return spent


def day_of(at: float) -> str:
    """Return the day, here, of a time in Unix seconds."""
    return time.strftime("%Y-%m-%d", time.localtime(at))
