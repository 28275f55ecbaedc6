"""Endpoints that stall, refuse and hang up: Stop works while we wait, text stays, and nothing runs twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nephele_nb.events import LoopError, Progress, StreamChunk, ToolFinish
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session, python
from tests.loop.test_stopping import until
from tests.model import transcripts as t

Start = Callable[..., Session]


def codes(run: Any) -> list[str]:
    return [e.code for e in run.events if isinstance(e, LoopError)]


def test_a_storm_of_refusals_ends_at_once_on_stop(session: Start) -> None:
    storm = Step(say="slow down", status=429, headers={"retry-after": "50"})
    s = session([storm, "Next."])
    run = s.agent.ask("go")
    until(s, lambda: any(isinstance(e, Progress) for e in run.events))
    (first, *_) = [e for e in run.events if isinstance(e, Progress)]
    assert "asks to wait" in first.label
    assert first.total == 50
    run.stop()
    until(s, lambda: run.done)
    assert s.finish(run).finish == "stopped"
    assert len(s.bodies) == 1
    assert s.ask("more")[1].text == "Next."


def test_a_storm_without_end_is_given_up(session: Start) -> None:
    s = session([Step(say="slow down", status=429, headers={"retry-after": "0"})])
    run, answer = s.ask()
    assert answer.finish == "error"
    assert codes(run) == ["rate_limit"]
    assert len(s.bodies) == 3


def test_a_storm_in_the_middle_of_a_round_runs_nothing_twice(session: Start) -> None:
    storm = Step(say="slow down", status=429, headers={"retry-after": "0"})
    s = session([python("n = globals().get('n', 0) + 1"), storm, storm, "Done."], approve="always")
    assert repr(s.ask()[1]) == "Done."
    assert s.names["n"] == 1


def test_a_stream_that_drips_is_ended_by_its_deadline(session: Start) -> None:
    drip = Step(raw=t.stream(t.say("Half "), done=False) + b": alive\n\n" * 2000)
    s = session([drip, "Next."], delay_s=0.05, first_byte_timeout_s=0.6, chunk_timeout_s=0.3)
    run, answer = s.ask()
    assert answer.finish == "error"
    assert codes(run) == ["timeout"]
    assert answer.text == "Half "
    request = s.model.requests[0]
    until(s, lambda: request.client_gone)
    assert request.pieces_sent < 200
    assert "Half" in str(s.agent.history)
    assert "cut off" in str(s.agent.history)


@pytest.mark.parametrize("chunking", ["event", "byte:7"])
def test_a_dropped_stream_keeps_its_text_and_asking_again_runs_nothing_twice(session: Start, chunking: str) -> None:
    broken = Step(raw=t.kept("S08_eof_mid_text"))
    count = python("n = globals().get('n', 0) + 1\nprint('counted', n)")
    s = session([count, broken, "Whole."], approve="always", chunking=chunking)
    s.model.end = "drop"
    run, answer = s.ask()
    (error,) = [e for e in run.events if isinstance(e, LoopError)]
    assert (error.code, error.retryable) == ("cut", True)
    assert repr(answer) == "The answer is 42 because"
    again, whole = s.ask("go on")
    assert whole.text == "Whole."
    assert s.names["n"] == 1
    assert not [e for e in again.events if isinstance(e, ToolFinish)]
    sent = str(s.bodies[-1]["messages"])
    assert "counted 1" in sent
    assert "The answer is 42 because" in sent
    assert "cut off" in sent


def test_calls_of_a_dropped_stream_never_run(session: Start) -> None:
    raw = t.stream(t.say("I will. "), t.call(t.CODE, "run_python", index=0, id="h"), done=False)
    s = session([Step(raw=raw), "Next."], approve="always")
    run, answer = s.ask()
    assert (answer.finish, answer.text) == ("error", "I will. ")
    assert "x" not in s.names
    assert s.ask("more")[1].text == "Next."
    assert [e.text for e in run.events if isinstance(e, StreamChunk)] == ["I will. "]


def test_a_proxy_that_answers_every_step_differently_ends_in_words(session: Start) -> None:
    page = Step(raw=b"<!DOCTYPE html><html>Sign in</html>")
    s = session([Step(calls=[Call("get_stats")]), page, "Next."])
    run, answer = s.ask()
    assert codes(run) == ["not_found"]
    assert "web page" in answer.text
    assert s.ask("more")[1].text == "Next."
