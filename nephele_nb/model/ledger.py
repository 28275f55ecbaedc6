"""Keeps what was spent, one JSON line for each entry in ``home/ledger``; it never stops a request."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

from nephele_nb.events import CreditsUpdate, Event, RateLimitUpdate, StaminaCost

from .account import Account, Spent, Sum, day_of, units
from .bill import Bill
from .meters import Meters, Quota
from .prices import CREDITS, Price, Prices
from .tiers import Endpoint

__all__ = ["Ledger", "Spent"]


class Ledger:
    """The account of one home folder; several kernels may write it, any thread. A line that was cut is passed over."""

    def __init__(self, home: Path, *, saved: bool = True) -> None:
        """Without ``saved`` the account begins empty and stays in memory, as where a tape is replayed.

        Raises SettingError where the home's price table is broken.
        """
        self.path = Path(home) / "ledger"
        self.fault = ""
        """Why the last entry could not be written; it is kept in memory then."""
        self._saved = saved
        self._prices = Prices(Path(home))
        self._lock = threading.Lock()
        self._account = Account()
        self._read_to = 0

    def price(self, endpoint: Endpoint, prompt_tokens: int = 0) -> Price | None:
        """Return what the endpoint's model costs for a prompt of that length; None where it isn't known."""
        return self._prices.of(endpoint, prompt_tokens)

    def charge(self, round_id: str, endpoint: Endpoint, bill: Bill) -> tuple[dict[str, float], list[Event]]:
        """Note one step and what its endpoint said; return what it cost, by unit, and the events that tell it.

        The platform's own word on credits goes before our price; a balance is told only where one is known.
        """
        spent = self.record(round_id, endpoint, bill) if bill.usage.steps else {}
        events: list[Event] = []
        if endpoint.on_platform:
            known, said, cost = self.balance, bill.meters.credits_balance, spent.get(CREDITS, 0.0)
            if said is not None:
                self.note_balance(said)
            elif known is not None and cost:
                self.note_balance(said := round(known - cost, 6))
            events += [CreditsUpdate(cost, said)] if said is not None else []
        return spent, events + self._quotas(bill.meters)

    def record(self, round_id: str, endpoint: Endpoint, bill: Bill) -> dict[str, float]:
        """Note what a step used and return what it cost, by unit; money only where the price is known."""
        used, price = bill.usage, self.price(endpoint, bill.usage.input)
        row: dict[str, Any] = {"at": time.time(), "round": round_id, "tier": endpoint.tier, "model": endpoint.model}
        row |= {"host": endpoint.host, "credits": 0.0, "input": used.input, "output": used.output}
        row |= {"cached": used.cached, "reasoning": used.reasoning, "total": used.total or used.input + used.output}
        if price is not None and price.unit == CREDITS:
            said = bill.meters.credits_spent
            row["credits"] = round(price.cost(used) if said is None else said, 6)
        elif price is not None:
            row |= {"money": round(price.cost(used), 9), "currency": price.unit}
        if bill.estimated:
            row["estimated"] = True
        self._append(row)
        return units(row)

    def note_balance(self, balance: float) -> None:
        """Note the balance that a platform endpoint has said."""
        self._append({"at": time.time(), "balance": balance})

    def spent(self, round_id: str | None = None) -> Spent:
        """Return what one round has spent, or all rounds together."""
        account = self._up_to_date()
        return (account.all if round_id is None else account.rounds.get(round_id, Sum())).spent()

    def today(self) -> dict[str, float]:
        """Return what was spent since midnight, by unit: ``credits``, ``tokens``, and each currency."""
        return dict(self._up_to_date().days.get(day_of(time.time()), Sum()).units)

    @property
    def balance(self) -> float | None:
        """The balance a platform endpoint said last; None while none has said one."""
        return self._up_to_date().balance

    @property
    def stamina(self) -> Quota | None:
        """What is left of the stamina of this window, as it was said last; None while nothing was said."""
        return self._up_to_date().stamina(time.time())

    def _quotas(self, meters: Meters) -> list[Event]:
        events: list[Event] = []
        if meters.stamina is not None and meters.stamina.remaining is not None:
            left, before = meters.stamina.remaining, self.stamina
            cost = meters.stamina_cost
            if cost is None and before is not None and before.remaining is not None and before.remaining >= left:
                cost = before.remaining - left
            said = {name: getattr(meters.stamina, name) for name in ("limit", "remaining", "reset_s")}
            self._append({"at": time.time(), "stamina": said})
            events += [StaminaCost(cost, left)] if cost is not None else []
            events.append(_update("stamina", meters.stamina))
        return events + ([_update("provider", meters.provider)] if meters.provider else [])

    def _append(self, row: dict[str, Any]) -> None:
        if self._saved:
            try:
                self._write(row)
                return
            except OSError as error:
                self.fault = str(error)
        with self._lock:
            self._account.add(row)

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

    def _up_to_date(self) -> Account:
        """Return the account with what this kernel and others have written since it was read last."""
        with self._lock:
            if self._saved:
                for line in self._new_lines():
                    try:
                        self._account.add(json.loads(line))
                    except (ValueError, TypeError, AttributeError):
                        continue
            return self._account

    def _new_lines(self) -> list[bytes]:
        try:
            with self.path.open("rb") as file:
                if file.seek(0, os.SEEK_END) < self._read_to:
                    # Somebody has emptied the ledger or begun a new one.
                    self._account, self._read_to = Account(), 0
                file.seek(self._read_to)
                whole, end, _ = file.read().rpartition(b"\n")
        except OSError:
            return []
        self._read_to += len(whole + end)
        return whole.splitlines()


def _update(scope: str, quota: Quota) -> RateLimitUpdate:
    return RateLimitUpdate(scope, quota.limit, quota.remaining, quota.reset_s)
