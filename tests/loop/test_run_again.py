"""What nobody decided on can be asked once more, in a round of its own that needs no model."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nephele_nb.errors import NepheleError
from nephele_nb.events import ApprovalRequest, ApprovalResolved
from nephele_nb.model.scripted import Call, Step
from nephele_nb.run import Run
from tests.loop.session import PATIENCE_S, Session, python
from tests.loop.test_face import View

Start = Callable[..., Session]
CODE = "x = 6 * 7\nprint('x is', x)"


def asked(run: Run) -> str:
    """Return the id of a run's approval."""
    return next(e.approval_id for e in run.events if isinstance(e, ApprovalRequest))


def expired(s: Session) -> Run:
    """Return a run whose one approval nobody answered; later ones have time."""
    run, _ = s.ask()
    assert [e.outcome for e in run.events if isinstance(e, ApprovalResolved)] == ["expired"]
    s.agent.settings.set("confirm_timeout_s", PATIENCE_S)
    return run


def test_it_is_asked_and_runs_only_then_and_the_model_knows(session: Start) -> None:
    s = session([python(CODE), "Nobody was there.", "So x is 42."], confirm_timeout_s=0.3)
    run = expired(s)
    again = s.agent.run_again(asked(run))
    approval = s.pending(again)
    assert (approval.code, approval.scope) == (CODE, None)
    assert "x" not in s.names
    assert approval.approve() is True
    answer = s.finish(again)
    assert s.names["x"] == 42
    assert answer.finish == "rule"
    assert again.text == "Run it now: a try"
    assert len(s.model.requests) == 2
    assert s.ask("and?")[1].text == "So x is 42."
    said = str(s.bodies[-1]["messages"])
    assert "own word, without a model: run_python(" in said
    assert "x is 42" in said


def test_it_can_be_undone(session: Start) -> None:
    s = session([python("x = 1"), "ok"], confirm_timeout_s=0.3, namespace={"x": 0})
    again = s.agent.run_again(asked(expired(s)))
    s.pending(again).approve()
    answer = s.finish(again)
    assert answer.text.endswith(f"<!--UNDO:{again.round_id}-->")
    (operation,) = s.agent.journal.operations(again.round_id)
    assert (operation.tool, operation.executed) == ("run_python", "x = 1")
    assert s.names["x"] == 1
    s.agent.undo(again.round_id)
    assert s.names["x"] == 0


def test_it_can_be_edited_rejected_and_asked_again(session: Start) -> None:
    s = session([python("x = 1"), "ok"], confirm_timeout_s=0.3)
    run = expired(s)
    first = s.agent.run_again(asked(run))
    s.pending(first).reject("not now")
    assert s.finish(first).text == "Nothing was run."
    second = s.agent.run_again(asked(run))
    s.pending(second).approve("x = 2")
    assert s.finish(second).text.startswith("Run at your word.")
    assert s.names["x"] == 2
    with pytest.raises(NepheleError, match="nothing to ask again"):
        s.agent.run_again(asked(second))


def test_a_note_can_be_asked_again_too(session: Start) -> None:
    note = {"title": "March", "text": "Sales fell.", "tags": ["sales"]}
    s = session([Step(calls=[Call("create_note", note)]), "ok"], confirm_timeout_s=0.3)
    again = s.agent.run_again(asked(expired(s)))
    s.pending(again).approve()
    s.finish(again)
    assert s.agent.library.stats()["notes"] == 1


def test_what_waits_was_decided_or_is_not_known_is_not_asked_again(session: Start) -> None:
    s = session([python("x = 1"), "ok"])
    run = s.agent.ask("go")
    approval = s.pending(run)
    for wanted in (approval.id, "no-such"):
        with pytest.raises(NepheleError, match="nothing to ask again"):
            s.agent.run_again(wanted)
    approval.approve()
    s.finish(run)
    with pytest.raises(NepheleError, match="nothing to ask again"):
        s.agent.run_again(approval.id)


def test_what_a_stop_cancelled_is_asked_again_in_a_reopened_conversation(session: Start) -> None:
    s = session([python(CODE), "ok"])
    run = s.agent.ask("请看一下三月")
    approval = s.pending(run)
    run.stop()
    s.finish(run)
    s.agent.close()
    reopened = session(["x"])
    again = reopened.agent.run_again(approval.id)
    assert again.text == "现在运行：a try"
    reopened.pending(again).approve()
    reopened.finish(again)
    assert reopened.names["x"] == 42


def test_it_waits_its_turn_while_a_round_runs(session: Start) -> None:
    s = session([python("x = 1"), Step(say="word " * 300, chunk_chars=5), "ok"], confirm_timeout_s=0.3, delay_s=0.02)
    run = s.agent.ask("go")
    s.agent.bridge.wait(lambda: any(e.kind == "StreamChunk" for e in run.events), PATIENCE_S)
    s.agent.settings.set("confirm_timeout_s", PATIENCE_S)
    again = s.agent.run_again(asked(run))
    assert again.events == []
    s.finish(run)
    s.pending(again).approve()
    s.finish(again)
    assert s.names["x"] == 1


def test_a_view_asks_again_and_is_told_why_not(session: Start) -> None:
    s = session([python("x = 1"), "ok"], confirm_timeout_s=0.3)
    run = expired(s)
    view = View(s)
    view.face.hear({"type": "run_again", "approval_id": asked(run)})
    s.pending(s.agent.runs[-1]).approve()
    s.finish(s.agent.runs[-1])
    assert s.names["x"] == 1
    view.face.hear({"type": "run_again", "approval_id": asked(s.agent.runs[-1])})
    assert "nothing to ask again" in view.wait("state")["state"]["notice"]


def test_two_views_ask_again_once(session: Start) -> None:
    s = session([python("n = globals().get('n', 0) + 1"), "ok"], confirm_timeout_s=0.3)
    run = expired(s)
    for view in (View(s), View(s)):
        view.face.hear({"type": "run_again", "approval_id": asked(run)})
    s.pending(s.agent.runs[-1]).approve()
    s.finish(s.agent.runs[-1])
    assert len(s.agent.runs) == 2
    assert s.names["n"] == 1
