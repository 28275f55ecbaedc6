"""What the user decides is what happens, once, and the model is told (L01, L06)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nephele_nb.events import ApprovalResolved, ToolFinish
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session, kinds, python

TWO = Step(say="Two steps.", calls=[Call("run_python", {"code": "x = 1"}), Call("run_python", {"code": "y = 2"})])
Start = Callable[..., Session]


def outcomes(run: Any) -> list[str]:
    return [e.outcome for e in run.events if isinstance(e, ApprovalResolved)]


def test_approved_code_runs_and_its_output_reaches_the_model(session: Start) -> None:
    s = session([python("print('hi'); 6 * 7"), "All done."])
    run = s.agent.ask("go")
    approval = s.pending(run)
    assert (approval.tool, approval.code, approval.description) == ("run_python", "print('hi'); 6 * 7", "a try")
    assert approval.effects
    assert approval.approve() is True
    answer = s.finish(run)
    assert (answer.text, answer.finish, answer.usage.steps) == ("All done.", "answer", 2)
    assert "hi" in s.results()[0]
    assert "42" in s.results()[0]
    assert kinds(run) == [
        *("RoundStart", "ToolStart", "ApprovalRequest", "ApprovalResolved", "ToolFinish", "StreamChunk", "LoopDone")
    ]


def test_an_edit_runs_alone_and_is_told(session: Start) -> None:
    s = session([python("total = 100"), "ok"])
    run = s.agent.ask("go")
    approval = s.pending(run)
    assert approval.approve("total = 5\n") is True
    assert approval.approve() is False
    assert approval.reject() is False
    s.finish(run)
    assert s.names["total"] == 5
    assert outcomes(run) == ["edited"]
    result = s.results()[0]
    assert "total = 5" in result
    assert "-total = 100" in result
    (operation,) = s.agent.journal.operations(run.round_id)
    assert (operation.proposed, operation.executed) == ("total = 100", "total = 5\n")


def test_two_are_asked_at_once_and_answered_in_reverse(session: Start) -> None:
    s = session([TWO, "All done."])
    run = s.agent.ask("go")
    s.pending(run)
    first, second = run.pending
    assert second.approve() is True
    assert first.approve() is True
    s.finish(run)
    assert (s.names["x"], s.names["y"]) == (1, 2)
    finished = [e.call_id for e in run.events if isinstance(e, ToolFinish)]
    assert finished == [first.call_id, second.call_id]


def test_one_of_two_is_denied(session: Start) -> None:
    s = session([TWO, "All done.", "Next."])
    run = s.agent.ask("go")
    s.pending(run)
    first, second = run.pending
    second.reject("not that one")
    first.approve()
    s.finish(run)
    assert "y" not in s.names
    assert "rejected" in s.results()[1]
    assert "not that one" in s.results()[1]
    assert s.ask("more")[1].text == "Next."


def test_nobody_answers(session: Start) -> None:
    s = session([TWO, "All done."], confirm_timeout_s=0.3)
    run, answer = s.ask()
    assert outcomes(run) == ["expired", "expired"]
    assert s.names == {} or "x" not in s.names
    assert answer.finish == "answer"
    assert answer.text.startswith("All done.")
    assert "approve=" in answer.text


def test_strict_headless_raises(session: Start) -> None:
    from nephele_nb.errors import ApprovalUnanswered

    s = session([TWO, "All done."], confirm_timeout_s=0.2, headless="strict")
    run = s.agent.ask("go")
    with pytest.raises(ApprovalUnanswered, match="run_python"):
        run.result(timeout=30)


def test_a_tool_that_raises_is_answered(session: Start) -> None:
    s = session([TWO, "All done."])

    def run_python(code: str) -> str:
        """Run it."""
        if code == "x = 1":
            raise OSError("no room")
        return "fine"

    s.agent.tools.register(run_python, effect="reads", replace=True)
    run, answer = s.ask()
    assert "no room" in s.results()[0]
    assert "fine" in s.results()[1]
    assert [e.ok for e in run.events if isinstance(e, ToolFinish)] == [False, True]
    assert answer.text == "All done."


@pytest.mark.parametrize(
    ("policy", "outcome"),
    [
        ("always", "approved"),
        ("never", "rejected"),
        ({"run_python": "always"}, "approved"),
        ({"runs": "never"}, "rejected"),
        (lambda approval: approval.code == "x = 1", "approved"),
        (lambda approval: False, "rejected"),
        (lambda approval: "x = 9", "edited"),
    ],
)
def test_policies(session: Start, policy: Any, outcome: str) -> None:
    s = session([python("x = 1"), "ok"], approve=policy)
    run, _ = s.ask()
    assert outcomes(run) == [outcome]
    assert s.names.get("x") == {"approved": 1, "edited": 9}.get(outcome)


def test_emptied_code_runs_nothing(session: Start) -> None:
    s = session([python("x = 1"), "ok"])
    run = s.agent.ask("go")
    s.pending(run).approve("")
    s.finish(run)
    assert "x" not in s.names
    assert outcomes(run) == ["rejected"]


def test_a_tool_of_unknown_effect_is_asked_each_time(session: Start) -> None:
    call = Step(calls=[Call("mine", {"n": 1})])
    s = session([call, call, "ok"])

    def mine(n: int) -> str:
        """Count."""
        return f"counted {n}"

    s.agent.tools.register(mine)
    run = s.agent.ask("go")
    s.pending(run).approve()
    s.agent.bridge.wait(lambda: len([e for e in run.events if isinstance(e, ToolFinish)]) == 1, 30)
    s.pending(run).approve()
    s.finish(run)
    assert outcomes(run) == ["approved", "approved"]


def test_a_note_is_written_after_its_approval_and_taken_back(session: Start) -> None:
    note = {"title": "March", "text": "Sales fell in March.", "tags": ["sales"]}
    s = session([Step(calls=[Call("create_note", note)]), "Written."])
    run = s.agent.ask("go")
    approval = s.pending(run)
    assert s.agent.library.stats()["notes"] == 0
    assert approval.code is None
    assert approval.arguments["text"] == "Sales fell in March."
    approval.approve()
    answer = s.finish(run)
    assert answer.text.endswith(f"<!--UNDO:{run.round_id}-->")
    assert "UNDO" not in repr(answer)
    assert "UNDO" not in str(s.agent.history)
    assert s.agent.library.stats()["notes"] == 1
    report = s.agent.undo()
    assert len(report.restored) == 1
    assert s.agent.library.stats()["notes"] == 0
