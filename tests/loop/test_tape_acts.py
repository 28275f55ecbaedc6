"""What the user did while a tape was recorded is done again in its place, and errors read as they did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb.events import ApprovalResolved, LoopError, StreamChunk, SubagentUpdate
from nephele_nb.model.ordinals import plain_events
from nephele_nb.model.scripted import Scene, Step
from nephele_nb.run import Run
from tests.loop.session import PATIENCE_S, Session, python
from tests.loop.test_delegate import scenes, task
from tests.loop.test_stopping import until
from tests.loop.test_tape import replay

Start = Callable[..., Session]
Act = Callable[[Session, Run], Any]
HALF = b'data: {"choices": [{"index": 0, "delta": {"content": "half"}}]}\n\n'


def both(start: Start, tmp_path: Path, script: Any, act: Act, **settings: Any) -> tuple[list[Any], list[Any]]:
    """Record a round in which the user acts, and one more; return their events, live and replayed."""
    tape = tmp_path / "t.tape"
    s = start(script, tape=tape, conversation="recorded", **settings)
    run = s.agent.ask("go")
    act(s, run)
    run.result(PATIENCE_S)
    live = [*run.events, *s.ask("and now?")[0].events]
    s.model.close()
    s.agent.close()
    agent = replay(tape, tmp_path / "elsewhere", headless="strict", **{"approve": "replay"} | policy(settings))
    again = [event for text in ("go", "and now?") for event in asked(agent, text).events]
    agent.close()
    return plain(live), plain(again)


def policy(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name == "approve"}


def asked(agent: nn.Agent, text: str) -> Run:
    run = agent.ask(text)
    run.result(PATIENCE_S)
    return run


def plain(events: list[Any]) -> list[Any]:
    """Return events as both runs must have them: without those whose number hangs on the clock, and who decided."""
    told = [e for e in plain_events(events) if e["kind"] not in ("StreamChunk", "SubagentUpdate")]
    return [{name: value for name, value in e.items() if name != "by"} for e in told]


def at_work(s: Session, run: Run) -> SubagentUpdate:
    """Wait until a sub-agent works and its model speaks; return what was told of it."""

    def working() -> bool:
        begun = any(isinstance(e, SubagentUpdate) and e.state == "running" for e in run.events)
        return begun and len(s.model.requests) > 1 and s.model.requests[1].pieces_sent > 0

    until(s, working)
    return next(e for e in run.events if isinstance(e, SubagentUpdate))


def test_a_stop_at_a_question(session: Start, tmp_path: Path) -> None:
    live, again = both(session, tmp_path, [python("x = 1"), "Next."], lambda s, run: (s.pending(run), run.stop()))
    assert again == live
    assert [e["outcome"] for e in again if e["kind"] == "ApprovalResolved"] == ["cancelled"]


def test_a_steer_at_a_question(session: Start, tmp_path: Path) -> None:
    def steer(s: Session, run: Run) -> None:
        s.pending(run)
        run.steer("no, another")

    live, again = both(session, tmp_path, [python("x = 1"), "Fine.", "Next."], steer)
    assert again == live
    kinds = [e["kind"] for e in again]
    assert kinds.index("ApprovalRequest") < kinds.index("Steer") < kinds.index("ApprovalResolved")


def test_a_stop_while_a_sub_agent_works(session: Start, tmp_path: Path) -> None:
    script = scenes(["task one", "task two"], Scene(["Next."], when="and now"), task("one", "word " * 400), task("two"))
    live, again = both(session, tmp_path, script, lambda s, run: (at_work(s, run), run.stop()), delay_s=0.03)
    assert [(e["kind"], e.get("finish")) for e in again] == [(e["kind"], e.get("finish")) for e in live]
    assert [e["message"] for e in again if e["kind"] == "LoopError"] == []


def test_one_sub_agent_that_is_cancelled(session: Start, tmp_path: Path) -> None:
    script = scenes(
        ["task one", "task two"], Scene(["Next."], when="and now"), task("one", "word " * 400), task("two", "Fine.")
    )
    cancel: Act = lambda s, run: run.cancel(at_work(s, run).task_id)  # noqa: E731
    live, again = both(session, tmp_path, script, cancel, delay_s=0.03)
    assert again == live
    (result,) = [e["result"] for e in again if e["kind"] == "ToolFinish"]
    assert "cancelled by the user" in result
    assert "Fine." in result


def test_an_answer_that_broke_off(session: Start, tmp_path: Path) -> None:
    live, again = both(session, tmp_path, [Step(raw=HALF), "Next."], lambda s, run: None)
    assert again[1:] == live[1:]
    assert [e["code"] for e in again if e["kind"] == LoopError.__name__] == ["cut"]


@pytest.mark.parametrize("word", ["always", "never"])
def test_decisions_by_policy_are_not_left_on_the_tape(session: Start, tmp_path: Path, word: str) -> None:
    live, again = both(session, tmp_path, [python("x = 1"), "One.", "Two."], lambda s, run: None, approve=word)
    assert again == live
    assert [e["kind"] for e in again].count(ApprovalResolved.__name__) == 1


def test_a_tape_without_the_place_of_a_stop_still_replays(session: Start, tmp_path: Path) -> None:
    def stop(s: Session, run: Run) -> None:
        until(s, lambda: any(isinstance(e, StreamChunk) for e in run.events))
        run.stop()

    tape = tmp_path / "t.tape"
    s = session([Step(say="word " * 400), "Now."], tape=tape, conversation="recorded", delay_s=0.02)
    run = s.agent.ask("go")
    stop(s, run)
    run.result(PATIENCE_S)
    s.agent.close()
    text = tape.read_text("utf-8").replace(', "told": 0', "")
    tape.write_text("\n".join(line for line in text.split("\n") if not line.startswith("host: ")), "utf-8")
    agent = replay(tape, tmp_path / "elsewhere")
    assert asked(agent, "go").result().finish == "stopped"
    agent.close()
