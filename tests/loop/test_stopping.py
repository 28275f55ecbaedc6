"""Stop, a new message, a restart: nothing hangs, and the next request is valid (L01, L08)."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nephele_nb.events import ApprovalResolved, LoopDone, StreamChunk, ToolFinish
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session, python
from tests.model.transcripts import kept

TWO = Step(say="Two steps.", calls=[Call("run_python", {"code": "x = 1"}), Call("run_python", {"code": "y = 2"})])
Start = Callable[..., Session]


def until(session: Session, ready: Callable[[], bool]) -> None:
    assert session.agent.bridge.wait(ready, 30)


def words(run: Any) -> int:
    return len([e for e in run.events if isinstance(e, StreamChunk)])


def test_stop_while_streaming_closes_the_connection(session: Start) -> None:
    s = session([Step(raw=kept("L08_slow_200_tokens")), "Next."], delay_s=0.03)
    run = s.agent.ask("go")
    until(s, lambda: words(run) >= 10)
    run.stop()
    run.stop()
    answer = s.finish(run)
    request = s.model.requests[0]
    until(s, lambda: request.client_gone)
    assert request.pieces_sent < 150
    assert answer.finish == "stopped"
    assert answer.text.startswith("w0 w1 ")
    assert isinstance(run.events[-1], LoopDone)
    assert s.ask("more")[1].text.startswith("w0") is False


def test_stop_before_the_first_byte(session: Start) -> None:
    s = session(["late", "Next."], first_delay_s=3)
    run = s.agent.ask("go")
    until(s, lambda: len(s.model.requests) == 1)
    run.stop()
    assert s.finish(run).finish == "stopped"
    assert s.agent.history[-1]["role"] == "assistant"


def test_stop_while_an_approval_waits(session: Start) -> None:
    s = session([TWO, "Next."])
    run = s.agent.ask("go")
    approval = s.pending(run)
    run.stop()
    answer = s.finish(run)
    assert answer.finish == "stopped"
    assert approval.approve() is False
    assert [e.outcome for e in run.events if isinstance(e, ApprovalResolved)] == ["cancelled", "cancelled"]
    assert "x" not in s.names
    assert s.ask("more")[1].text == "Next."
    assert all("Stopped by the user" in r for r in s.results())


def test_stop_while_code_runs(session: Start) -> None:
    s = session([python("print('begun')\nwhile True: pass"), "Next."], approve="always")
    run = s.agent.ask("go")
    until(s, lambda: any(isinstance(e, ApprovalResolved) for e in run.events))
    time.sleep(0.3)
    run.stop()
    answer = s.finish(run)
    assert answer.finish == "stopped"
    (finish,) = [e for e in run.events if isinstance(e, ToolFinish)]
    assert finish.ok is False
    assert "begun" in finish.result
    assert s.ask("more")[1].text == "Next."


def test_stop_ends_only_the_round_and_the_queue(session: Start) -> None:
    s = session([TWO, "Next."])
    first, second = s.agent.ask("one"), s.agent.ask("two")
    s.pending(first)
    s.agent.stop()
    assert s.finish(first).finish == "stopped"
    assert second.result(30).finish == "stopped"
    assert s.ask("three")[1].text == "Next."
    assert "two" not in str(s.agent.history)


def test_rounds_wait_their_turn(session: Start) -> None:
    s = session([python("x = 1"), "One.", "Two."])
    first, second = s.agent.ask("one"), s.agent.ask("two")
    approval = s.pending(first)
    assert second.events == []
    approval.approve()
    assert repr(s.finish(first)) == "One."
    assert s.finish(second).text == "Two."


def test_a_message_instead_of_an_answer(session: Start) -> None:
    s = session([TWO, "I see."])
    run = s.agent.ask("go")
    s.pending(run)
    run.steer("no, use z instead")
    answer = s.finish(run)
    assert answer.text == "I see."
    assert "x" not in s.names
    last = s.bodies[-1]["messages"][-1]
    assert last["role"] == "user"
    assert "use z instead" in last["content"]
    assert all("wrote instead" in r for r in s.results())


def test_a_message_after_the_end_is_a_round_of_its_own(session: Start) -> None:
    s = session(["One.", "Two."])
    run, _ = s.ask("one")
    run.steer("and another thing")
    until(s, lambda: len(s.agent.runs) == 2 and s.agent.runs[1].done)
    assert "and another thing" in s.bodies[-1]["messages"][-1]["content"]


def test_a_conversation_goes_on_after_a_restart(session: Start, tmp_path: Path) -> None:
    s = session([TWO, "Next."])
    run = s.agent.ask("go")
    approval = s.pending(run)
    s.agent.conversation.journal.flush()
    written = (tmp_path / "home" / "journal" / "talk.jsonl").read_text("utf-8")
    (tmp_path / "home" / "journal" / "crashed.jsonl").write_text(written, "utf-8")
    run.stop()
    s.finish(run)
    reopened = session(["Next."], conversation="crashed")
    assert reopened.agent.history[-2]["role"] == "tool"
    assert reopened.ask("more")[1].text == "Next."
    assert approval.approve() is False


def test_interrupting_a_wait_stops_the_round(session: Start) -> None:
    import _thread
    import threading

    import pytest

    s = session([TWO, "Next."])
    run = s.agent.ask("go")
    s.pending(run)
    threading.Timer(0.5, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        run.result(timeout=30)
    until(s, lambda: run.done)
    assert s.finish(run).finish == "stopped"


def test_a_message_to_a_round_that_waits_its_turn_is_a_round_of_its_own(session: Start) -> None:
    s = session([python("x = 1"), "One.", "Two.", "Three."])
    first, second = s.agent.ask("one"), s.agent.ask("two")
    approval = s.pending(first)
    second.steer("three")
    approval.approve()
    assert s.finish(second).text == "Two."
    until(s, lambda: len(s.agent.runs) == 3 and s.agent.runs[2].done)
    assert s.finish(s.agent.runs[2]).text == "Three."


def test_a_journal_that_fails_is_told_once_and_the_round_goes_on(session: Start) -> None:
    s = session([python("x = 1"), "One.", "Two."], approve="always")
    s.agent.conversation.journal.fault = "No space left on device"
    run, answer = s.ask()
    assert repr(answer) == "One."
    assert [e.kind for e in run.events].count("LoopError") == 1
    assert s.ask("again")[1].text == "Two."
