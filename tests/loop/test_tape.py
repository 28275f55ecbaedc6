"""A conversation on tape runs again offline, decisions included, and says when it no longer matches."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb.errors import ModelError, SettingError
from nephele_nb.events import ApprovalResolved, LoopError, Steer, StreamChunk
from nephele_nb.model.ordinals import plain_events
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session, python, search
from tests.loop.test_stopping import until

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
    assert repr(s.finish(run)) == "All done [1]."
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
    assert repr(run.result(30)) == "All done [1]."
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
    assert repr(s.finish(run)) == "ok"


def finished(session: Start, script: Any, tape: Path, act: Any, **http: Any) -> Any:
    """Record a round in which the user does something, and one more; return the runs."""
    s = session(script, tape=tape, conversation="recorded", approve="always", **http)
    run = s.agent.ask("go")
    act(s, run)
    s.finish(run)
    more = s.agent.ask("and now?")
    s.finish(more)
    s.model.close()
    s.agent.close()
    return run, more


def test_a_stop_is_replayed_where_it_came(session: Start, tmp_path: Path) -> None:
    def stop(s: Session, run: Any) -> None:
        until(s, lambda: any(isinstance(e, StreamChunk) for e in run.events))
        run.stop()

    script = [Step(say="word " * 400), "Now I am done."]
    live, _ = finished(session, script, tmp_path / "t.tape", stop, delay_s=0.02)
    agent = replay(tmp_path / "t.tape", tmp_path / "elsewhere")
    first, second = agent.ask("go").result(30), agent.ask("and now?").result(30)
    assert first.finish == "stopped"
    assert (second.finish, second.text) == ("answer", "Now I am done.")
    assert first.text == live.result().text
    assert agent.ledger.path.exists() is False
    agent.close()


def test_a_steer_is_replayed_where_it_came(session: Start, tmp_path: Path) -> None:
    def steer(s: Session, run: Any) -> None:
        until(s, lambda: any(isinstance(e, StreamChunk) for e in run.events))
        run.steer("in French, please")

    script = [Step(say="Let me see. " * 40, calls=[Call("get_stats")]), "Voilà.", "Fini."]
    live, _ = finished(session, script, tmp_path / "t.tape", steer, delay_s=0.01)
    for again in (False, True):
        agent = replay(tmp_path / "t.tape", tmp_path / f"elsewhere-{again}")
        run = agent.ask("go")
        next(iter(run))
        if again:
            run.steer("in French, please")
        assert run.result(30).text == "Voilà."
        assert [e.text for e in run.events if isinstance(e, Steer)] == ["in French, please"]
        assert [e.kind for e in live.events if isinstance(e, Steer)] == ["Steer"]
        assert agent.ask("and now?").result(30).text == "Fini."
        agent.close()


def test_what_nobody_asked_for_is_told_at_the_end(
    session: Start, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    finished(session, ["One.", "Two."], tmp_path / "t.tape", lambda s, run: None)
    agent = replay(tmp_path / "t.tape", tmp_path / "elsewhere")
    assert agent.ask("go").result(30).text == "One."
    agent.close()
    assert "holds more than this run asked for: 1 requests left; the first is request 2" in capfd.readouterr().err
    strict = replay(tmp_path / "t.tape", tmp_path / "third", headless="strict")
    strict.ask("go").result(30)
    with pytest.raises(ModelError, match="1 requests left"):
        strict.close()
    whole = replay(tmp_path / "t.tape", tmp_path / "fourth", headless="strict")
    assert [whole.ask(text).result(30).text for text in ("go", "and now?")] == ["One.", "Two."]
    whole.close()
