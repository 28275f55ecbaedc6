"""One agent under test, with what the tests ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nephele_nb.agent import Agent
from nephele_nb.approval import Approval
from nephele_nb.events import Event, LoopDone, RoundStart, ToolFinish, ToolStart
from nephele_nb.model.scripted import Call, ScriptedModel, Step
from nephele_nb.run import Answer, Run

PATIENCE_S = 60.0


def python(code: str, **more: Any) -> Step:
    """Return a step that asks for code to be run."""
    return Step(calls=[Call("run_python", {"code": code, "description": "a try"})], **more)


def search(query: str) -> Step:
    """Return a step that searches the notes."""
    return Step(calls=[Call("search_notes", {"query": query})])


@dataclass(slots=True)
class Session:
    """An agent, its model, and the names its code sees."""

    agent: Agent
    model: ScriptedModel
    names: dict[str, Any]

    def ask(self, text: str = "go", **more: Any) -> tuple[Run, Answer]:
        """Ask and wait for the answer."""
        run = self.agent.ask(text, **more)
        return run, self.finish(run)

    def finish(self, run: Run) -> Answer:
        """Return a run's answer, once its events are as every round's must be."""
        answer = run.result(timeout=PATIENCE_S)
        check(run.events)
        assert [r.broke for r in self.model.requests if r.broke] == []
        return answer

    def pending(self, run: Run) -> Approval:
        """Return the approval that waits."""
        approval = run.wait_pending(timeout=PATIENCE_S)
        assert approval is not None
        return approval

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The request bodies the model was sent."""
        return [request.body for request in self.model.requests]

    def results(self, request: int = -1) -> list[str]:
        """Return the tool results in one request, in order."""
        return [m["content"] for m in self.bodies[request]["messages"] if m["role"] == "tool"]


def check(events: list[Event]) -> None:
    """Check what holds for every round: one start, one end, numbers without a gap, a finish for each call."""
    assert [e.seq for e in events] == list(range(len(events)))
    assert len({e.round_id for e in events}) == 1
    assert [i for i, e in enumerate(events) if isinstance(e, RoundStart)] == [0]
    assert [i for i, e in enumerate(events) if isinstance(e, LoopDone)] == [len(events) - 1]
    starts = [e.call_id for e in events if isinstance(e, ToolStart)]
    finishes = [e.call_id for e in events if isinstance(e, ToolFinish)]
    assert sorted(starts) == sorted(finishes)
    assert len(set(starts)) == len(starts)
    for call_id in starts:
        mine = [e.kind for e in events if getattr(e, "call_id", None) == call_id and e.kind != "ToolOutput"]
        assert mine in (["ToolStart", "ToolFinish"], ["ToolStart", "ApprovalRequest", "ToolFinish"])


def kinds(run: Run) -> list[str]:
    """Return the kinds of a run's events, runs of the same kind as one."""
    result: list[str] = []
    for event in run.events:
        if not result or result[-1] != event.kind:
            result.append(event.kind)
    return result
