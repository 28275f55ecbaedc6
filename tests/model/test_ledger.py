"""The ledger adds up by tier, round and day, survives a torn line, and takes entries from several writers."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nephele_nb.model.account import Account
from nephele_nb.model.bill import Bill
from nephele_nb.model.ledger import Ledger
from nephele_nb.model.meters import Meters, Quota
from nephele_nb.model.tiers import Endpoint
from nephele_nb.types import Tier, Usage

USED = Usage(input=1500, output=500, total=2000, cached=1000, reasoning=100, steps=1)
OPENAI = Endpoint("byok", "https://api.openai.com/v1", "", "gpt-4.1", "api.openai.com")
LOCAL = Endpoint("byok", "http://127.0.0.1:1/v1", "", "gpt-4.1", "127.0.0.1:1")


def note(ledger: Ledger, round_id: str, tier: Tier = "tempest", usage: Usage = USED) -> dict[str, float]:
    return ledger.record(round_id, Endpoint(tier, model="m"), Bill(usage))


@pytest.mark.parametrize(("tier", "credits_spent"), [("tempest", 2.0), ("zephyr", 1.0), ("byok", 0.0), ("lite", 0.0)])
def test_price(tmp_path: Path, tier: Tier, credits_spent: float) -> None:
    assert note(Ledger(tmp_path), "r1", tier)["credits"] == credits_spent


def test_rounds_are_kept_apart_and_together(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "home")
    assert ledger.spent().steps == 0
    note(ledger, "r1")
    note(ledger, "r1", "zephyr")
    note(ledger, "r2", "byok", Usage(input=10, output=5, steps=1))
    first, second = ledger.spent("r1"), ledger.spent("r2")
    assert (first.credits, first.total, first.cached, first.reasoning, first.steps) == (3.0, 4000, 2000, 200, 2)
    assert (second.credits, second.input, second.output, second.total) == (0.0, 10, 5, 15)
    again = Ledger(tmp_path / "home")
    assert (again.spent().credits, again.spent().total, again.spent().steps) == (3.0, 4015, 3)
    assert again.spent("r3").total == 0
    assert again.today() == {"credits": 3.0, "tokens": 4015.0}


def test_money_is_told_where_the_price_is_known(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    assert ledger.spent().cost == "0"
    ledger.record("r1", LOCAL, Bill(USED))
    assert ledger.spent().cost == "unknown"
    assert "unknown" in repr(ledger.spent())
    ledger.record("r2", OPENAI, Bill(USED))
    spent = 500 * 2e-6 + 1000 * 0.5e-6 + 500 * 8e-6
    assert ledger.spent("r2").money == {"USD": pytest.approx(spent)}
    assert ledger.spent("r2").cost == "0.0055 USD"
    assert ledger.spent().cost == "at least 0.0055 USD"
    assert ledger.today()["USD"] == pytest.approx(spent)


def test_an_estimate_is_marked(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.record("r1", OPENAI, Bill(USED, estimated=True))
    note(ledger, "r1")
    assert ledger.spent("r1").estimated == 1
    assert "1 estimated" in repr(ledger.spent())
    assert [json.loads(line).get("estimated") for line in ledger.path.read_text().splitlines()] == [True, None]


def test_balance_is_what_was_said_last(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    assert ledger.balance is None
    note(ledger, "r1")
    assert ledger.balance is None
    ledger.note_balance(10)
    ledger.note_balance(7.5)
    assert ledger.balance == 7.5


def test_stamina_is_a_window_that_fills_up(tmp_path: Path) -> None:
    one, other = Ledger(tmp_path), Ledger(tmp_path)
    platform = Endpoint("zephyr", model="m")
    assert one.stamina is None
    one.charge("r", platform, Bill(meters=Meters(stamina=Quota(50, 40, 360))))
    assert other.stamina is not None
    assert (other.stamina.limit, other.stamina.remaining) == (50, 40)
    assert 0 < (other.stamina.reset_s or 0) <= 360
    _, events = other.charge("r", platform, Bill(meters=Meters(stamina=Quota(50, 37, 300))))
    assert [getattr(e, "amount", None) for e in events] == [3.0, None]
    account = Account()
    account.add({"at": 1000.0, "stamina": {"limit": 50, "remaining": 3, "reset_s": 60}})
    assert account.stamina(1030.0) == Quota(50, 3, 30.0)
    assert account.stamina(1061.0) == Quota(50, 50, None)


def test_another_day_is_not_today(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    old = {"at": time.time() - 3 * 86400, "round": "r0", "tier": "tempest", "credits": 5.0, "total": 5000}
    ledger.path.write_text(json.dumps(old) + "\n")
    note(ledger, "r1")
    assert ledger.today()["credits"] == 2.0
    assert ledger.spent().credits == 7.0


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    note(ledger, "r1")
    with ledger.path.open("ab") as file:
        file.write(b'{"round": "r1", "credits": 9')
    assert ledger.spent("r1").credits == 2.0
    note(ledger, "r1")
    assert ledger.spent("r1").credits == 4.0


@pytest.mark.parametrize("line", ["[]", '{"at": "x", "round": 1}', '{"stamina": 3}', '{"balance": null}', "\ufffd"])
def test_a_line_of_another_form_is_passed_over(tmp_path: Path, line: str) -> None:
    ledger = Ledger(tmp_path)
    ledger.path.write_text(line + "\n")
    note(ledger, "r1")
    assert ledger.spent("r1").credits == 2.0
    assert ledger.stamina is None


def test_a_ledger_that_was_emptied_begins_anew(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    note(ledger, "r1")
    note(ledger, "r1")
    assert ledger.spent().credits == 4.0
    ledger.path.write_text("")
    note(ledger, "r1")
    assert ledger.spent().credits == 2.0


def test_several_writers_lose_nothing_and_see_each_other(tmp_path: Path) -> None:
    reader = Ledger(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        for _ in pool.map(lambda n: note(Ledger(tmp_path), f"r{n % 4}"), range(200)):
            assert reader.spent().total % 2000 == 0
    assert reader.spent().total == 400_000


def test_what_cannot_be_written_is_kept_in_memory(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    ledger = Ledger(tmp_path)
    note(ledger, "r1")
    assert ledger.fault
    assert ledger.spent("r1").credits == 2.0


def test_what_a_tape_replays_is_not_written(tmp_path: Path) -> None:
    note(Ledger(tmp_path), "r1")
    replayed = Ledger(tmp_path, saved=False)
    note(replayed, "r2")
    assert replayed.spent().credits == 2.0
    assert Ledger(tmp_path).spent("r2").credits == 0.0
