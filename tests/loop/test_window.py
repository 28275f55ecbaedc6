"""Forty turns in a small window: every request stays valid, and both sides hear that something is missing (L05)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from nephele_nb.events import Progress, ToolFinish
from nephele_nb.model.scripted import Call, Scene, Step
from nephele_nb.model.window import message_tokens
from tests.loop.providers import SESSION
from tests.loop.session import Session

Start = Callable[..., Session]
LIMIT = 8192
SIZE = 3000


def narrow(body: Mapping[str, Any]) -> str | None:
    taken = sum(map(message_tokens, body["messages"]))
    return f"This model's maximum context length is {LIMIT} tokens." if taken > LIMIT else None


def talker(start: Start, **settings: Any) -> Session:
    """Return a session whose tool gives long results."""

    def weigh(n: int) -> str:
        """Weigh something."""
        return f"{n} " * (SIZE // 2)

    steps = [Step(calls=[Call("weigh", {"n": 1}), Call("weigh", {"n": 2})]), Step(say="Weighed.")]
    s = start([Scene(steps)], rules=(narrow, *SESSION), **settings)
    s.agent.tools.register(weigh, effect="reads")
    return s


@pytest.mark.parametrize("known", [True, False], ids=["set", "learnt"])
def test_forty_turns(session: Start, known: bool) -> None:
    s = talker(session, **({"context_tokens": LIMIT} if known else {}))
    runs = [s.agent.ask(f"weigh number {n}") for n in range(40)]
    answers = [run.result(timeout=120) for run in runs]
    assert [a.text for a in answers if not a.text.startswith("Weighed.")] == []
    refused = [r.broke for r in s.model.requests if r.broke]
    assert len(refused) <= (0 if known else 4)
    assert not any("messages[" in said for said in refused)
    told = [answer.text for answer in answers if "left out" in answer.text]
    assert 1 <= len(told) < 40
    assert any(isinstance(e, Progress) and "left out" in e.label for e in runs[-1].events)
    last = s.bodies[-1]["messages"]
    assert last[0]["role"] == "system"
    assert "weigh number 39" in str(last[-4:])
    assert "earlier messages of this conversation are left out here" in str(last)
    assert "weigh number 0\n" not in str(last)
    assert len(s.agent.history) == 200


def test_one_oversized_result_keeps_its_head_and_tail(session: Start) -> None:
    def dump(n: int) -> str:
        """Dump rows."""
        return "FIRST" + '{"row": 1},' * 400_000 + "LAST"

    s = session([Step(calls=[Call("dump", {"n": 1})]), "Seen."])
    s.agent.tools.register(dump, effect="reads")
    run, _ = s.ask()
    (finish,) = [e for e in run.events if isinstance(e, ToolFinish)]
    assert len(finish.result) <= 40_000
    assert finish.result.startswith("FIRST")
    assert finish.result.endswith("LAST")
    assert "characters left out" in s.results()[0]
