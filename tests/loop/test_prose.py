"""A call that was written as text is approved and run like any other; an endless answer is ended and said to be."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from nephele_nb.events import StreamChunk, ToolStart
from nephele_nb.model.scripted import Step
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
    assert s.finish(run).text == "Done."
    assert s.names["x"] == 42
    assert [e.text for e in run.events if isinstance(e, StreamChunk)] == ["Done."]
    sent = s.bodies[1]["messages"][-2]
    assert sent["content"] is None
    assert json.loads(sent["tool_calls"][0]["function"]["arguments"])["code"] == "x = 40 + 2"


def test_an_answer_that_shows_a_call_runs_nothing(session: Start) -> None:
    said = f"A call looks like this:\n\n```json\n{RUN}\n```\n\nAsk me to make one."
    s = session([Step(say=said)])
    run, answer = s.ask()
    assert answer.text == said
    assert "ToolStart" not in kinds(run)


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
