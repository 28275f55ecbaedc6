"""A word for the whole round covers what can do no more than what was approved, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nephele_nb.events import ApprovalRequest, ApprovalResolved
from nephele_nb.model.scripted import Call, Step
from nephele_nb.run import Run
from tests.loop.session import Session, python

Start = Callable[..., Session]


def decided(run: Run) -> list[tuple[str, str, bool]]:
    """Return how each approval of a run ended, who decided it, and whether it holds for the round."""
    return [(e.outcome, e.by, e.for_round) for e in run.events if isinstance(e, ApprovalResolved)]


def offered(run: Run) -> list[bool]:
    """Return of which approvals a word for the round was offered."""
    return [e.for_round for e in run.events if isinstance(e, ApprovalRequest)]


def note(title: str) -> Step:
    """Return a step that writes a note."""
    return Step(calls=[Call("create_note", {"title": title, "text": "t", "tags": []})])


def test_what_does_no_more_runs_at_once(session: Start) -> None:
    s = session([python("x = 1"), python("y = 2"), python("z = 3"), "ok"])
    run = s.agent.ask("go")
    assert s.pending(run).approve(for_round=True) is True
    s.finish(run)
    assert (s.names["x"], s.names["y"], s.names["z"]) == (1, 2, 3)
    assert decided(run) == [("approved", "user", True), ("approved", "round", False), ("approved", "round", False)]
    assert [o.executed for o in s.agent.journal.operations(run.round_id)] == ["x = 1", "y = 2", "z = 3"]


@pytest.mark.parametrize(
    "more",
    [
        "open('a.txt', 'w').write('x')",
        "import requests; requests.get('https://example.com')",
        "import os; os.system('true')",
        "del x",
        "exec(input())",
        "unheard_of(x)",
        "list(map(open, [path], ['w']))",
        "max([\"open(path, 'w')\"], key=exec)",
        "class A:\n    def __add__(self, other): return open(path, 'w')\nA() + 1",
    ],
)
def test_what_may_do_more_is_asked(session: Start, more: str) -> None:
    s = session([python("x = 1"), python(more), "ok"])
    run = s.agent.ask("go")
    s.pending(run).approve(for_round=True)
    s.agent.bridge.wait(lambda: len(decided(run)) == 1, 30)
    asked = s.pending(run)
    assert asked.code == more
    asked.reject()
    s.finish(run)
    assert decided(run) == [("approved", "user", True), ("rejected", "user", False)]


def test_a_word_without_the_round_holds_once(session: Start) -> None:
    s = session([python("x = 1"), python("y = 2"), "ok"])
    run = s.agent.ask("go")
    s.pending(run).approve()
    s.agent.bridge.wait(lambda: len(decided(run)) == 1, 30)
    s.pending(run).approve()
    s.finish(run)
    assert decided(run) == [("approved", "user", False)] * 2
    assert offered(run) == [True, True]


def test_the_next_round_is_asked_again(session: Start) -> None:
    s = session([python("x = 1"), "ok", python("y = 2"), "ok"])
    first = s.agent.ask("go")
    s.pending(first).approve(for_round=True)
    s.finish(first)
    second = s.agent.ask("go on")
    s.pending(second).reject()
    s.finish(second)
    assert "y" not in s.names


def test_unknown_effects_take_no_such_word(session: Start) -> None:
    s = session([python("unheard_of()"), "ok"])
    run = s.agent.ask("go")
    approval = s.pending(run)
    with pytest.raises(TypeError, match="alone"):
        approval.approve(for_round=True)
    assert approval.decision is None
    approval.reject()
    s.finish(run)
    assert offered(run) == [False]


def test_a_tool_of_unknown_effect_takes_no_such_word(session: Start) -> None:
    s = session([Step(calls=[Call("mine", {"n": 1})]), "ok"])

    def mine(n: int) -> str:
        """Count."""
        return str(n)

    s.agent.tools.register(mine)
    run = s.agent.ask("go")
    s.pending(run).approve()
    s.finish(run)
    assert offered(run) == [False]


def test_an_edit_holds_for_what_was_shown_and_what_ran(session: Start) -> None:
    shown = "x = 1\nopen('a.txt', 'w').close()"
    s = session([python(shown), python("y = 2"), python("open('b.txt', 'w').close()"), "ok"])
    run = s.agent.ask("go")
    s.pending(run).approve("x = 1", for_round=True)
    s.agent.bridge.wait(lambda: len(decided(run)) == 2, 30)
    s.pending(run).reject()
    s.finish(run)
    assert decided(run) == [("edited", "user", True), ("approved", "round", False), ("rejected", "user", False)]


def test_notes_are_not_covered_by_a_word_on_code_nor_cards_by_one_on_notes(session: Start) -> None:
    card = {"title": "Tea", "summary": "s", "type": "user", "body": "b"}
    steps = [python("x = 1"), note("One"), note("Two"), Step(calls=[Call("memory_write", card)]), "ok"]
    s = session(steps)
    run = s.agent.ask("go")
    s.pending(run).approve(for_round=True)
    s.agent.bridge.wait(lambda: len(decided(run)) == 1, 30)
    s.pending(run).approve(for_round=True)
    s.agent.bridge.wait(lambda: len(decided(run)) == 3, 30)
    s.pending(run).reject()
    s.finish(run)
    assert [by for _, by, _ in decided(run)] == ["user", "user", "round", "user"]


def test_a_call_behind_another_of_its_step_is_asked(session: Start) -> None:
    """The first may change what the second's names stand for, so what that one would do is not known yet."""
    both = Step(calls=[Call("run_python", {"code": "x = 1"}), Call("run_python", {"code": "y = 2"})])
    s = session([python("w = 0"), both, "ok"])
    run = s.agent.ask("go")
    s.pending(run).approve(for_round=True)
    s.agent.bridge.wait(lambda: len(decided(run)) == 2, 30)
    asked = s.pending(run)
    assert asked.code == "y = 2"
    asked.approve()
    s.finish(run)
    assert [by for _, by, _ in decided(run)] == ["user", "round", "user"]


def test_stop_takes_the_word_back(session: Start) -> None:
    s = session([python("x = 1"), Step(say="word " * 400, chunk_chars=5), python("y = 2"), "ok"], delay_s=0.05)
    run = s.agent.ask("go")
    s.pending(run).approve(for_round=True)
    s.agent.bridge.wait(lambda: any(e.kind == "StreamChunk" for e in run.events), 30)
    run.stop()
    s.finish(run)
    following = s.agent.ask("go on")
    s.pending(following).reject()
    s.finish(following)
    assert "y" not in s.names


@pytest.mark.parametrize(
    ("policy", "by"),
    [("always", "policy"), ("never", "policy"), (lambda a: True, "policy"), (lambda a: False, "policy")],
)
def test_a_policys_decision_is_told_as_its_own(session: Start, policy: object, by: str) -> None:
    s = session([python("x = 1"), "ok"], approve=policy)
    run, _ = s.ask()
    assert [who for _, who, _ in decided(run)] == [by]


def test_what_nobody_decided_is_nobodys(session: Start) -> None:
    s = session([python("x = 1"), "ok"], confirm_timeout_s=0.2)
    run, _ = s.ask()
    assert decided(run) == [("expired", "nobody", False)]
