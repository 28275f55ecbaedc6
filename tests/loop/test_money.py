"""Each step is one entry in the ledger, and what the endpoint says of credits, stamina and limits becomes events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb.events import CreditsUpdate, Event, LoopError, RateLimitUpdate, StaminaCost
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session

Start = Callable[..., Session]
USAGE = {"prompt_tokens": 1500, "completion_tokens": 500, "total_tokens": 2000}
STATS = Call("get_stats")


def platform(start: Start, script: Any, tier: str) -> Session:
    """Return a session whose scripted model is the platform."""
    s = start(script)
    agent = nn.Agent(
        tier=tier,
        platform_url=s.model.base_url,
        platform_key="pk-0123456789",
        home=s.agent.home,
        library=s.agent.library,
        namespace={},
        conversation="paid",
    )
    s.agent.close()
    return Session(agent, s.model, {})


def told(run: Any) -> list[Event]:
    kinds = (CreditsUpdate, StaminaCost, RateLimitUpdate)
    return [e for e in run.events if isinstance(e, kinds)]


def values(events: list[Event], kind: type[Event]) -> list[tuple[Any, ...]]:
    names = [n for n in kind.__dataclass_fields__ if n not in ("round_id", "seq")]
    return [tuple(getattr(e, n) for n in names) for e in events if isinstance(e, kind)]


@pytest.mark.parametrize(("tier", "each"), [("zephyr", 1.0), ("tempest", 2.0)])
def test_each_step_is_charged_at_the_tiers_price(session: Start, tier: str, each: float) -> None:
    first = {"x-nephele-credits-balance": "100"}
    s = platform(session, [Step(calls=[STATS], usage=USAGE, headers=first), Step(say="Done.", usage=USAGE)], tier)
    run, answer = s.ask()
    assert values(told(run), CreditsUpdate) == [(each, 100.0), (each, 100.0 - each)]
    assert s.agent.ledger.spent(answer.round_id).credits == 2 * each
    assert s.agent.ledger.balance == 100.0 - each
    assert s.agent.ledger.spent().total == 4000
    s.agent.close()


def test_the_platforms_own_word_goes_before_the_price(session: Start) -> None:
    headers = {"x-nephele-credits-balance": "7.5", "x-nephele-credits-spent": "0.25"}
    s = platform(session, [Step(say="Done.", usage=USAGE, headers=headers)], "tempest")
    run, _ = s.ask()
    assert values(told(run), CreditsUpdate) == [(0.25, 7.5)]
    s.agent.close()


def test_stamina_is_told_with_what_a_request_took(session: Start) -> None:
    def left(n: int) -> dict[str, str]:
        name = "x-nephele-stamina"
        return {f"{name}-limit": "50", f"{name}-remaining": str(n), f"{name}-reset": "6m0s"}

    script = [Step(calls=[STATS], headers=left(40)), Step(say="a", headers=left(37)), Step(say="b", headers=left(36))]
    s = platform(session, script, "zephyr")
    run, _ = s.ask()
    assert values(told(run), RateLimitUpdate) == [("stamina", 50.0, 40.0, 360.0), ("stamina", 50.0, 37.0, 360.0)]
    assert values(told(run), StaminaCost) == [(3.0, 37.0)]
    assert values(told(s.ask("more")[0]), StaminaCost) == [(1.0, 36.0)]
    s.agent.close()


def test_a_providers_limit_is_told_and_its_credits_are_not_believed(session: Start) -> None:
    headers = {
        "x-ratelimit-limit-requests": "100",
        "x-ratelimit-remaining-requests": "90",
        "x-ratelimit-limit-tokens": "10000",
        "x-ratelimit-remaining-tokens": "500",
        "x-ratelimit-reset-tokens": "20ms",
        "x-nephele-credits-balance": "1000000",
        "x-nephele-stamina-remaining": "3",
    }
    s = session([Step(say="Done.", headers=headers)])
    run, _ = s.ask()
    assert values(told(run), RateLimitUpdate) == [("provider", 10000.0, 500.0, 0.02)]
    assert len(told(run)) == 1
    assert s.agent.ledger.balance is None


def test_chat_is_charged_too(session: Start) -> None:
    headers = {"x-nephele-credits-balance": "9"}
    s = platform(session, [Step(say="Stock ran out [1].", usage=USAGE, headers=headers)], "zephyr")
    s.agent.library.add_note("Supplier", "oolong stock ran out")
    run, _ = s.ask("oolong stock?", mode="chat")
    assert values(told(run), CreditsUpdate) == [(1.0, 9.0)]
    s.agent.close()


def test_no_credits_is_one_sentence(session: Start) -> None:
    empty = Step(say="no credits", status=402, headers={"x-nephele-credits-balance": "0"})
    s = platform(session, [empty], "zephyr")
    run, answer = s.ask()
    (error,) = [e for e in run.events if isinstance(e, LoopError)]
    assert "has no credit left" in error.message
    assert not error.retryable
    assert values(told(run), CreditsUpdate) == [(0.0, 0.0)]
    assert answer.finish == "error"
    assert len(s.bodies) == 1
    s.agent.close()
