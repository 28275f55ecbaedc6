"""Keeps what was spent, one JSON line for each entry in ``home/ledger``; it never stops a request."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nephele_nb.events import CreditsUpdate, Event, RateLimitUpdate, StaminaCost
from nephele_nb.types import Tier, Usage

from .meters import Meters, Quota
from .tiers import Endpoint

CREDITS_PER_TOKEN: dict[Tier, float] = {"tempest": 1 / 1000, "zephyr": 0.5 / 1000, "lite": 0.0, "byok": 0.0}


@dataclass(frozen=True, slots=True)
class Spent:
    """Credits and tokens of one round, or of all."""

    credits: float = 0.0
    input: int = 0
    output: int = 0
    total: int = 0


class Ledger:
    """The account of one home folder; several kernels may write it. A line that was cut short is passed over."""

    def __init__(self, home: Path) -> None:
        self.path = Path(home) / "ledger"
        self.fault = ""
        """Why the last entry could not be written; it is kept in memory then."""
        self._unsaved: list[dict[str, Any]] = []
        self._stamina: float | None = None

    def charge(self, round_id: str, endpoint: Endpoint, usage: Usage, meters: Meters) -> list[Event]:
        """Note one step and what its endpoint said, and return the events that tell it.

        The platform's own word on credits goes before our price; a balance is told only where one is known.
        """
        spent = 0.0
        if usage.steps:
            spent = self.record(round_id, endpoint.tier, endpoint.model, usage, meters.credits_spent)
        events: list[Event] = []
        if endpoint.on_platform:
            known, said = self.balance, meters.credits_balance
            if said is not None:
                self.note_balance(said)
            elif known is not None and spent:
                self.note_balance(said := round(known - spent, 6))
            events += [CreditsUpdate(spent, said)] if said is not None else []
        return events + self._quotas(meters)

    def _quotas(self, meters: Meters) -> list[Event]:
        events: list[Event] = []
        if meters.stamina is not None and meters.stamina.remaining is not None:
            left, before = meters.stamina.remaining, self._stamina
            cost = meters.stamina_cost
            if cost is None and before is not None and before >= left:
                cost = before - left
            self._stamina = left
            events += [StaminaCost(cost, left)] if cost is not None else []
            events.append(_update("stamina", meters.stamina))
        return events + ([_update("provider", meters.provider)] if meters.provider else [])

    def record(self, round_id: str, tier: Tier, model: str, usage: Usage, said: float | None = None) -> float:
        """Note what a step used and return the credits it cost.

        That is what the platform ``said``, else 1 for 1,000 tokens at tempest and half at zephyr.
        """
        total = usage.total or usage.input + usage.output
        spent = round(total * CREDITS_PER_TOKEN[tier] if said is None else said, 6)
        self._append(
            {
                "at": time.time(),
                "round": round_id,
                "tier": tier,
                "model": model,
                "credits": spent,
                "input": usage.input,
                "output": usage.output,
                "cached": usage.cached,
                "reasoning": usage.reasoning,
                "total": total,
            }
        )
        return spent

    def note_balance(self, balance: float) -> None:
        """Note the balance that a platform endpoint has said."""
        self._append({"at": time.time(), "balance": balance})

    def spent(self, round_id: str | None = None) -> Spent:
        """Return what one round has spent, or all rounds together."""
        rows = [row for row in self._rows() if "round" in row and round_id in (None, row["round"])]
        return Spent(
            round(sum(row.get("credits", 0.0) for row in rows), 6),
            *(sum(row.get(name, 0) for row in rows) for name in ("input", "output", "total")),
        )

    @property
    def balance(self) -> float | None:
        """The balance a platform endpoint said last; None while none has said one."""
        said = [float(row["balance"]) for row in self._rows() if "balance" in row]
        return said[-1] if said else None

    def _append(self, row: dict[str, Any]) -> None:
        try:
            self._write(row)
        except OSError as error:
            self.fault = str(error)
            self._unsaved.append(row)

    def _write(self, row: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
        # One write in append mode: lines of several kernels never mix.
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n" if hasattr(os, "pread") else False
            os.write(handle, b"\n" + line if torn else line)
        finally:
            os.close(handle)

    def _rows(self) -> Iterator[dict[str, Any]]:
        yield from self._unsaved
        try:
            lines = self.path.read_bytes().splitlines()
        except OSError:
            return
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row


def _update(scope: str, quota: Quota) -> RateLimitUpdate:
    return RateLimitUpdate(scope, quota.limit, quota.remaining, quota.reset_s)
