"""Forty turns in a small window: every request stays valid, and both sides hear that something is missing (L05)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.events import Progress, ToolFinish
from nephele_nb.model.scripted import Call, Scene, Step
from nephele_nb.model.window import message_tokens
from tests.loop.providers import SESSION
from tests.loop.session import Session, python

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


def test_what_was_too_long_for_the_model_is_whole_in_a_file_that_it_can_read(session: Start) -> None:
    long = "\n".join(f"line {n} api-key-hunter2" for n in range(60_000))
    s = session([python("print(long)"), "Done."], namespace={"long": long}, approve="always", api_key="api-key-hunter2")
    run, _ = s.ask()
    result = s.results()[0]
    assert len(result) < 9_000
    path = re.search(r"full text in (\S+\.txt) …", result)
    assert path is not None
    whole = Path(path.group(1)).read_text("utf-8")
    assert whole.splitlines()[31_234].startswith("line 31234")
    assert len(whole.splitlines()) == 60_000
    assert "hunter2" not in whole
    told = next(e.result for e in run.events if isinstance(e, ToolFinish))
    assert path.group() in told


def test_a_long_result_of_any_tool_is_kept_whole(session: Start) -> None:
    def rows() -> str:
        """Give many rows."""
        return json.dumps([{"row": n, "text": "x" * 20} for n in range(4000)])

    s = session([Step(calls=[Call("rows", {})]), "Done."])
    s.agent.tools.register(rows, "reads")
    s.ask()
    path = re.search(r"full text in (\S+\.txt) …", s.results()[0])
    assert path is not None
    assert len(json.loads(Path(path.group(1)).read_text("utf-8"))) == 4000


def test_where_no_file_can_be_written_the_mark_still_counts(session: Start) -> None:
    s = session([python("print('x' * 3_000_000)"), "Done."], approve="always")
    (s.agent.home / "results").write_text("in the way")
    s.ask()
    assert re.search(r"… 299\d{4} characters left out …", s.results()[0])
