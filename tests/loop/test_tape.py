"""A conversation on tape runs again offline, decisions included, and says when it no longer matches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb.errors import ModelError, SettingError
from nephele_nb.events import ApprovalResolved, LoopError
from nephele_nb.model.ordinals import plain_events
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session, python, search

Start = Callable[..., Session]
SECRET = "sk-very-secret-0123"
SCRIPT = [
    search("oolong"),
    Step(say="Two steps.", calls=[Call("run_python", {"code": f"{name} = {n}"}) for n, name in enumerate("xyz")]),
    python("print(x, y)"),
    "All done [1].",
]


def record(start: Start, tape: Path, script: Any = SCRIPT) -> Any:
    """Record one round in which the user edits, approves and rejects; return its events."""
    s = start(script, tape=tape, api_key=SECRET, conversation="recorded")
    s.agent.library.add_note("Supplier", f"oolong shipment; the key is {SECRET}")
    run = s.agent.ask("go")
    first = s.pending(run)
    second, third = run.pending[1:]
    assert third.reject("no z, please")
    assert first.approve("x = 40 + 2")
    assert second.approve()
    assert s.pending(run).approve()
    assert s.finish(run).text == "All done [1]."
    s.model.close()
    s.agent.close()
    return run.events


def replay(tape: Path, home: Path, **settings: Any) -> nn.Agent:
    """Return an agent on a tape, with no endpoint anywhere."""
    more = {"approve": "replay", "tape_mode": "replay", "api_key": SECRET} | settings
    return nn.Agent(tape=tape, home=home, namespace={}, library=home.parent / "library", embedder="none", **more)


def test_a_round_runs_again_offline(session: Start, tmp_path: Path) -> None:
    before = record(session, tmp_path / "talk.tape")
    agent = replay(tmp_path / "talk.tape", tmp_path / "elsewhere")
    run = agent.ask("go")
    assert run.result(30).text == "All done [1]."
    outcomes = [e.outcome for e in run.events if isinstance(e, ApprovalResolved)]
    assert sorted(outcomes) == ["approved", "approved", "edited", "rejected"]
    assert "no z, please" in str(agent.history)
    assert agent.endpoint.host == "tape talk.tape"

    assert len(run.events) == len(before)
    assert [e["kind"] for e in plain_events(run.events)][-3:] == [e["kind"] for e in plain_events(before)][-3:]
    assert {e["result"] for e in plain_events(run.events) if e["kind"] == "ToolFinish"} == {
        e["result"] for e in plain_events(before) if e["kind"] == "ToolFinish"
    }
    agent.close()


def test_secrets_are_on_no_tape(session: Start, tmp_path: Path) -> None:
    record(session, tmp_path / "talk.tape")
    assert SECRET not in (tmp_path / "talk.tape").read_text("utf-8")
    assert "the key is [secret]" in (tmp_path / "talk.tape").read_text("utf-8")


def test_another_question_is_off_the_tape(session: Start, tmp_path: Path) -> None:
    record(session, tmp_path / "talk.tape")
    agent = replay(tmp_path / "talk.tape", tmp_path / "elsewhere")
    run = agent.ask("go elsewhere")
    answer = run.result(30)
    assert answer.finish == "error"
    (error,) = [e for e in run.events if isinstance(e, LoopError)]
    assert error.code == "tape"
    assert "+    go elsewhere" in error.message
    agent.close()
    strict = replay(tmp_path / "talk.tape", tmp_path / "third", headless="strict")
    with pytest.raises(ModelError, match="no longer matches the tape"):
        strict.ask("go elsewhere").result(30)
    strict.close()


def test_a_call_the_tape_has_no_decision_on_is_not_run(session: Start, tmp_path: Path) -> None:
    record(session, tmp_path / "talk.tape")
    tape = tmp_path / "talk.tape"
    kept = [part for part in tape.read_text("utf-8").split("=== ") if '"print(x, y)"' not in part]
    tape.write_text("=== ".join(kept), "utf-8")
    agent = replay(tape, tmp_path / "elsewhere")
    run = agent.ask("go")
    run.result(30)
    assert "no decision on this call" in str(agent.history)
    assert [e.code for e in run.events if isinstance(e, LoopError)] == ["tape"]
    agent.close()


def test_a_tape_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="record it first"):
        replay(tmp_path / "none.tape", tmp_path / "elsewhere")


def test_without_a_tape_that_is_replayed_the_user_is_asked(session: Start) -> None:
    s = session([python("x = 1"), "ok"], approve="replay")
    run = s.agent.ask("go")
    assert s.pending(run).approve()
    assert s.finish(run).text == "ok"
