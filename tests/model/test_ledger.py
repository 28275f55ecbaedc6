"""The ledger adds up by tier and by round, survives a torn line, and takes entries from several writers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nephele_nb.model.ledger import Ledger, Spent
from nephele_nb.types import Tier, Usage

USED = Usage(input=1500, output=500, total=2000)


@pytest.mark.parametrize(("tier", "credits_spent"), [("tempest", 2.0), ("zephyr", 1.0), ("byok", 0.0), ("lite", 0.0)])
def test_price(tmp_path: Path, tier: Tier, credits_spent: float) -> None:
    assert Ledger(tmp_path).record("r1", tier, "m", USED) == credits_spent


def test_rounds_are_kept_apart_and_together(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "home")
    assert ledger.spent() == Spent()
    ledger.record("r1", "tempest", "m", USED)
    ledger.record("r1", "zephyr", "m", USED)
    ledger.record("r2", "byok", "m", Usage(input=10, output=5))
    assert ledger.spent("r1") == Spent(3.0, 3000, 1000, 4000)
    assert ledger.spent("r2") == Spent(0.0, 10, 5, 15)
    assert Ledger(tmp_path / "home").spent() == Spent(3.0, 3010, 1005, 4015)
    assert ledger.spent("r3") == Spent()


def test_balance_is_what_was_said_last(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    assert ledger.balance is None
    ledger.record("r1", "tempest", "m", USED)
    assert ledger.balance is None
    ledger.note_balance(10)
    ledger.note_balance(7.5)
    assert ledger.balance == 7.5


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.record("r1", "tempest", "m", USED)
    with ledger.path.open("ab") as file:
        file.write(b'{"round": "r1", "credits": 9')
    assert ledger.spent("r1").credits == 2.0
    ledger.record("r1", "tempest", "m", USED)
    assert ledger.spent("r1").credits == 4.0


def test_several_writers_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: Ledger(tmp_path).record(f"r{n % 4}", "tempest", "m", USED), range(200)))
    assert Ledger(tmp_path).spent().total == 400_000
