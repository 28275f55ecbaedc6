"""Each step is one entry in the ledger, and what the endpoint says of credits, stamina and limits becomes events."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb.events import CreditsUpdate, Event, LoopError, RateLimitUpdate, StaminaCost, StreamChunk
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session
from tests.loop.test_stopping import until
from tests.model import transcripts as t

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


def test_what_a_day_and_a_round_have_spent_is_told_with_its_price(session: Start) -> None:
    s = session([Step(calls=[STATS], usage=USAGE), Step(say="Done.", usage=USAGE)])
    price = {"host": s.agent.endpoint.host, "model": "scripted", "input": 2, "output": 10, "currency": "USD"}
    assert s.ask()[1].text == "Done."
    assert s.agent.ledger.spent().cost == "unknown"
    known = priced(s, price)
    assert s.finish(known.ask("go")).text == "Done."
    assert known.ledger.spent(known.runs[-1].round_id).cost == "0.0080 USD"
    known.close()


def priced(s: Session, *rows: dict[str, Any], **settings: Any) -> nn.Agent:
    """Return an agent on the same home and model, which knows prices."""
    s.agent.home.mkdir(exist_ok=True)
    (s.agent.home / "prices.json").write_text(json.dumps({"prices": rows}), "utf-8")
    own = {"home": s.agent.home, "library": s.agent.library, "namespace": {}, "conversation": "priced"} | settings
    return nn.Agent(base_url=s.model.base_url, model=s.model.model, **own)


def test_a_stopped_answer_is_charged_by_what_came(session: Start) -> None:
    s = session([Step(say="word " * 400), "Next."], delay_s=0.02)
    run = s.agent.ask("go")
    until(s, lambda: any(isinstance(e, StreamChunk) for e in run.events))
    run.stop()
    assert s.finish(run).finish == "stopped"
    spent = s.agent.ledger.spent(run.round_id)
    assert (spent.steps, spent.estimated) == (1, 1)
    assert 0 < spent.output < 600
    assert spent.input > 500


def test_a_dropped_answer_is_charged_by_what_came(session: Start) -> None:
    s = session([Step(raw=t.kept("S08_eof_mid_text"))])
    s.model.end = "drop"
    _, answer = s.ask()
    spent = s.agent.ledger.spent(answer.round_id)
    assert (answer.finish, spent.steps, spent.estimated) == ("error", 1, 1)
    assert spent.output > 3


def test_a_server_that_tells_no_usage_is_estimated(session: Start) -> None:
    s = session([Step(raw=t.stream(t.say("Twelve words of an answer."), t.end()))])
    _, answer = s.ask()
    assert answer.usage.total == 0
    spent = s.agent.ledger.spent(answer.round_id)
    assert (spent.steps, spent.estimated) == (1, 1)
    assert 4 <= spent.output <= 12


@pytest.mark.parametrize("refusal", [Step(say="no", status=400), Step(raw=b'data: {"error": {"message": "no"}}\n\n')])
def test_a_refusal_costs_nothing(session: Start, refusal: Step) -> None:
    s = session([refusal])
    _, answer = s.ask()
    assert answer.finish == "error"
    assert s.agent.ledger.spent().steps == 0


def test_no_step_is_made_that_would_pass_the_cap(session: Start) -> None:
    small = {"prompt_tokens": 300, "completion_tokens": 20, "total_tokens": 320}
    chat = Step(say="The oolong shipment ran out [1].", usage=small)
    s = session([*[Step(calls=[STATS], usage=USAGE)] * 2, chat], cap_tokens_round=5500)
    s.agent.library.add_note("Supplier", "oolong shipment ran out")
    run, answer = s.ask("what of the oolong shipment?")
    assert answer.finish == "budget"
    assert "I made no further request" in answer.text
    assert "5500 tokens" in answer.text
    assert [("tools" in body) for body in s.bodies] == [True, True, False]
    assert s.agent.ledger.spent(run.round_id).total == 4320
    assert s.agent.history[-1]["content"].startswith("I made no further request")
    assert s.agent.history[-1]["content"].endswith("ran out [1].")


def test_a_loop_that_a_cap_ends_falls_to_plain_chat(session: Start) -> None:
    s = session([Step(say="The shipment ran out [1].", usage=USAGE)], cap_tokens_round=1500)
    s.agent.library.add_note("Supplier", "oolong shipment ran out")
    _, answer = s.ask("what of the oolong shipment?")
    assert answer.finish == "budget"
    assert "I made no further request" in answer.text
    assert answer.text.endswith("The shipment ran out [1].")
    assert [source.title for source in answer.sources] == ["Supplier"]
    assert "tools" not in s.bodies[0]
    assert len(s.bodies) == 1
    assert s.ask("more")[1].finish == "budget"


def test_where_not_even_chat_can_be_paid_passages_are_quoted(session: Start) -> None:
    s = session(["never"], cap_tokens_round=300)
    s.agent.library.add_note("Supplier", "The oolong shipment ran out on Monday.")
    for mode in ("agent", "chat"):
        _, answer = s.ask("what of the oolong shipment?", mode=mode)
        assert answer.finish == "budget"
        assert answer.text.count("I made no further request") == 1
        assert "no model was used" in answer.text
        assert "ran out on Monday" in answer.text
    assert s.bodies == []
    assert s.ask("乌龙茶？")[1].text.startswith("未再发出请求")


def test_an_answer_that_reaches_the_cap_is_ended_there(session: Start) -> None:
    s = session([Step(say=" ".join(f"word{n}" for n in range(4000)))], cap_tokens_round=3000)
    run, answer = s.ask()
    assert "reached the cap" in answer.text
    assert len(answer.text) < 15_000
    assert s.agent.ledger.spent(run.round_id).total <= 3300
    assert s.agent.ledger.spent(run.round_id).estimated == 1


def test_a_cap_on_money_holds_where_the_price_is_known(session: Start) -> None:
    s = session([Step(calls=[STATS], usage=USAGE)] * 9)
    price = {"host": s.agent.endpoint.host, "model": "scripted", "input": 2, "output": 10, "currency": "EUR"}
    agent = priced(s, price, cap_round=0.03)
    run = agent.ask("go")
    answer = s.finish(run)
    assert answer.finish == "budget"
    assert "0.03 EUR" in answer.text
    assert 0 < agent.ledger.spent(run.round_id).money["EUR"] <= 0.03
    agent.close()


def test_a_cap_on_money_without_a_price_makes_no_request(session: Start) -> None:
    s = session(["never"], cap_round=1.0)
    _, answer = s.ask()
    assert answer.finish == "budget"
    assert "what scripted costs at 127.0.0.1" in answer.text
    assert s.bodies == []


def test_a_days_cap_counts_the_rounds_before(session: Start) -> None:
    s = session([Step(say="Done.", usage=USAGE)], cap_tokens_day=5000)
    answers = [s.ask()[1].finish for _ in range(4)]
    assert answers[0] == "answer"
    assert answers[-1] == "budget"
    assert s.agent.ledger.today()["tokens"] <= 5000


def test_a_model_that_nobody_can_reach_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    own = {"home": tmp_path, "embedder": "none", "namespace": {}, "lite_model": "none"}
    agent = nn.Agent(model="gpt-4o", **own)
    agent.library.add_note("Supplier", "The oolong shipment ran out on Monday.")
    answer = agent.ask("what of the oolong shipment?").result(60)
    assert answer.text.startswith("The model gpt-4o was not used: neither a base URL nor a key")
    assert "ran out on Monday" in answer.text
    assert "No model endpoint" not in agent.ask("zebra?").result(60).text
    agent.close()
    plain = nn.Agent(tier="lite", model="gpt-4o", **own)
    assert "gpt-4o" not in plain.ask("what of the oolong shipment?").result(60).text
    assert "No model endpoint" in plain.ask("zebra?").result(60).text
    plain.close()
