"""A call that was written as text is approved and run like any other; an endless answer is ended and said to be."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from nephele_nb.events import StreamChunk, ToolStart
from nephele_nb.model.scripted import Step
from nephele_nb.run import Answer
from tests.loop.session import Session, kinds, search
from tests.model import transcripts as t

Start = Callable[..., Session]
RUN = '{"name": "run_python", "arguments": {"code": "x = 40 + 2", "description": "a try"}}'


@pytest.mark.parametrize("said", [RUN, f"```json\n{RUN}\n```", f"<tool_call>\n{RUN}\n</tool_call>"])
def test_a_written_call_is_asked_about_and_never_shown(session: Start, said: str) -> None:
    s = session([Step(say=said), "Done."])
    run = s.agent.ask("go")
    approval = s.pending(run)
    assert approval.code == "x = 40 + 2"
    assert "x" not in s.names
    approval.approve()
    assert bare(s.finish(run)) == "Done."
    assert s.names["x"] == 42
    assert next(e.text for e in run.events if isinstance(e, StreamChunk)) == "Done."
    sent = s.bodies[1]["messages"][-2]
    assert sent["content"] is None
    assert json.loads(sent["tool_calls"][0]["function"]["arguments"])["code"] == "x = 40 + 2"


def bare(answer: Answer) -> str:
    return answer.text.partition("<!--UNDO")[0]


SHOWN = f"A call looks like this:\n\n```json\n{RUN}\n```\n\nAsk me to make one."


def test_an_answer_that_shows_a_call_runs_nothing_and_is_asked_about_once(session: Start) -> None:
    s = session([Step(say=SHOWN), Step(say=SHOWN)])
    run, answer = s.ask()
    assert answer.text == SHOWN
    assert "ToolStart" not in kinds(run)
    assert "it did not run" in s.bodies[1]["messages"][-1]["content"]
    assert len(s.bodies) == 2


def test_a_call_amid_words_can_be_made_after_all(session: Start) -> None:
    s = session([Step(say=f"{SHOWN}\n\nThe result is 41."), Step(say=RUN), "It is 42."], approve="always")
    _, answer = s.ask()
    assert bare(answer) == "It is 42."
    assert s.names["x"] == 42


def test_a_model_that_makes_real_calls_may_show_one(session: Start) -> None:
    s = session([search("x"), "Nothing.", Step(say=SHOWN)])
    s.ask()
    assert s.ask()[1].text == SHOWN
    assert len(s.bodies) == 3


def test_research_offers_no_code_so_written_code_is_text(session: Start) -> None:
    s = session([search("x"), Step(say=RUN)])
    run, answer = s.ask(research=True)
    assert answer.text.startswith(RUN)
    assert [e.tool for e in run.events if isinstance(e, ToolStart)] == ["search_notes"]


def test_an_answer_that_never_ends_is_ended_and_said_to_be(session: Start) -> None:
    endless = t.stream(*(t.say("and so on ") for _ in range(5000)), done=False)
    s = session([Step(raw=endless), "Next."])
    _, answer = s.ask()
    assert answer.finish == "answer"
    assert "repeat itself without end" in answer.text
    assert len(answer.text) < 5000
    assert s.ask("more")[1].text == "Next."
