"""A request that would pass a cap is not made, whoever else spends from the same cap at that moment."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.model.bill import Bill
from nephele_nb.model.budget import LEAST_ANSWER, SIDE_BY_SIDE, Budget, CapReached, Caps, Grant
from nephele_nb.model.ledger import Ledger
from nephele_nb.model.tiers import Endpoint
from nephele_nb.types import Usage

TEMPEST = Endpoint("tempest", "https://p/v1", "", "axioma-tempest", "p")
OPENAI = Endpoint("byok", "https://api.openai.com/v1", "", "gpt-4.1", "api.openai.com")
UNKNOWN = Endpoint("byok", "https://h/v1", "", "m", "h")


def budget(home: Path, **caps: float) -> Budget:
    return Budget("r1", Caps(**caps), Ledger(home))  # type: ignore[arg-type]


def spend(budget: Budget, endpoint: Endpoint, asked: int, answered: int) -> None:
    grant = budget.ask(endpoint, lambda: asked)
    budget.settle(grant, endpoint, Bill(Usage(asked, answered, total=asked + answered, steps=1)))


def test_without_caps_nothing_is_counted(tmp_path: Path) -> None:
    def never() -> int:
        raise AssertionError

    assert budget(tmp_path).ask(UNKNOWN, never).answer_tokens is None


def test_credits_of_a_round(tmp_path: Path) -> None:
    round = budget(tmp_path, round=5)
    spend(round, TEMPEST, 1000, 1000)
    grant = round.ask(TEMPEST, lambda: 2000)
    assert grant.answer_tokens == 1000
    round.settle(grant, TEMPEST, Bill(Usage(2000, 500, total=2500, steps=1)))
    with pytest.raises(CapReached) as stopped:
        round.ask(TEMPEST, lambda: 1000)
    assert stopped.value.room.left == pytest.approx(0.5)
    assert stopped.value.needed == pytest.approx(1.256)


def test_money_goes_by_the_price(tmp_path: Path) -> None:
    round = budget(tmp_path, round=0.01)
    assert round.ask(OPENAI, lambda: 1000).answer_tokens == 1000
    with pytest.raises(CapReached):
        budget(tmp_path, round=0.01).ask(OPENAI, lambda: 5000)


def test_where_no_price_is_known_tokens_stand_for_money(tmp_path: Path) -> None:
    with pytest.raises(CapReached) as stopped:
        budget(tmp_path, round=1.0).ask(UNKNOWN, lambda: 10)
    assert stopped.value.room.unit == ""
    assert budget(tmp_path, round=1.0, tokens_round=1000).ask(UNKNOWN, lambda: 10).answer_tokens == 990
    with pytest.raises(CapReached):
        budget(tmp_path, day=1.0, tokens_round=1000).ask(UNKNOWN, lambda: 10)


def test_a_day_is_shared_by_rounds_and_kernels(tmp_path: Path) -> None:
    spend(budget(tmp_path, day=5), TEMPEST, 3000, 1000)
    with pytest.raises(CapReached) as stopped:
        budget(tmp_path, day=5).ask(TEMPEST, lambda: 1000)
    assert (stopped.value.room.per, stopped.value.room.spent) == ("day", 4.0)


def test_a_tree_of_sub_agents_spends_from_its_own_cap_and_from_the_rounds(tmp_path: Path) -> None:
    round = budget(tmp_path, tokens_round=10_000)
    tree = round.part(Caps(tokens_round=6000))
    one, other = tree.part(Caps()), tree.part(Caps())
    spend(one, UNKNOWN, 3000, 1000)
    with pytest.raises(CapReached) as stopped:
        other.ask(UNKNOWN, lambda: 2000)
    assert stopped.value.room.per == "tasks"
    spend(other, UNKNOWN, 500, 500)
    spend(round, UNKNOWN, 4000, 500)
    with pytest.raises(CapReached):
        tree.ask(UNKNOWN, lambda: 500)
    assert Ledger(tmp_path).spent("r1").total == 9500


def test_what_the_server_counts_corrects_the_next_estimate(tmp_path: Path) -> None:
    round = budget(tmp_path, tokens_round=10_000)
    grant = round.ask(UNKNOWN, lambda: 1000)
    round.settle(grant, UNKNOWN, Bill(Usage(3000, 500, total=3500, steps=1)))
    assert round.ask(UNKNOWN, lambda: 1200).answer_tokens == 10_000 - 3500 - 3600
    other = budget(tmp_path, tokens_round=10_000)
    other.settle(other.ask(UNKNOWN, lambda: 1000), UNKNOWN, Bill(Usage(3000, 0, total=3000, steps=1), estimated=True))
    assert other.ask(UNKNOWN, lambda: 1200).answer_tokens == 10_000 - 3000 - 1200


def test_requests_in_flight_are_held_back_until_they_are_settled(tmp_path: Path) -> None:
    round = budget(tmp_path, tokens_round=8000)
    one, other = round.part(Caps()), round.part(Caps())
    first = one.ask(UNKNOWN, lambda: 1000)
    second = other.ask(UNKNOWN, lambda: 1000)
    assert (first.answer_tokens, second.answer_tokens) == (SIDE_BY_SIDE, 8000 - 1000 - SIDE_BY_SIDE - 1000)
    with pytest.raises(CapReached):
        round.ask(UNKNOWN, lambda: 10)
    one.settle(first, UNKNOWN, Bill())
    other.settle(second, UNKNOWN, Bill())
    assert round.ask(UNKNOWN, lambda: 1000).answer_tokens == 7000


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 9000)), min_size=1, max_size=12))
def test_what_is_spent_stays_within_the_cap(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, int]]
) -> None:
    home = tmp_path_factory.mktemp("home")
    cap, round = 9000, budget(home, tokens_round=9000)

    def step(asked: int, wanted: int) -> None:
        part = round.part(Caps())
        try:
            grant: Grant = part.ask(UNKNOWN, lambda: asked)
        except CapReached:
            return
        assert grant.answer_tokens is not None
        assert grant.answer_tokens >= LEAST_ANSWER
        made = min(wanted, grant.answer_tokens)
        part.settle(grant, UNKNOWN, Bill(Usage(asked, made, total=asked + made, steps=1)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda pair: step(*pair), steps))
    assert Ledger(home).spent("r1").total <= cap
