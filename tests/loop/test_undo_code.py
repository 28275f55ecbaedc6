"""Undo of approved code in a conversation: the mark, the report, the redo, and rounds that changed nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from nephele_nb.errors import NepheleError
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session

Start = Callable[..., Session]


def code(*texts: str) -> Step:
    return Step(calls=[Call("run_python", {"code": text, "description": "a change"}) for text in texts])


def test_a_round_is_taken_back_and_brought_again(session: Start) -> None:
    s = session([code("lst.append(2); total = 3"), "Done."], approve="always")
    s.names["lst"] = [1]
    run, answer = s.ask("change it")
    assert answer.text.endswith(f"<!--UNDO:{run.round_id}-->")
    report = s.agent.undo()
    assert report.restored == ("run_python: a change (lst, total)",)
    assert report.not_restored == ()
    assert (s.names["lst"], "total" in s.names) == ([1], False)
    again = s.agent.undo(report.undo_id)
    assert again.restored == ("run_python: a change (lst, total)",)
    assert (s.names["lst"], s.names["total"]) == ([1, 2], 3)
    assert s.agent.undo(run.round_id).not_restored == ()
    assert s.names["lst"] == [1]
    with pytest.raises(NepheleError, match="nothing to undo"):
        s.agent.undo()


def test_calls_of_a_round_are_taken_back_newest_first(session: Start) -> None:
    s = session([code("x = 1"), code("x = 2; y = [x]", "y.append(3)"), "Done."], approve="always")
    s.ask("go")
    assert len(s.agent.undo().restored) == 3
    assert "x" not in s.names
    assert "y" not in s.names


def test_two_rounds_are_taken_back_one_by_one(session: Start) -> None:
    s = session([code("x = 1"), "One.", code("x = 2"), "Two."], approve="always")
    s.ask("one")
    s.ask("two")
    s.agent.undo()
    assert s.names["x"] == 1
    s.agent.undo()
    assert "x" not in s.names


def test_a_round_that_changed_nothing_has_no_mark(session: Start) -> None:
    s = session([code("1 + 1"), "Two."], approve="always")
    assert "UNDO" not in s.ask("add")[1].text
    with pytest.raises(NepheleError, match="nothing to undo"):
        s.agent.undo()


def test_a_round_after_which_nothing_can_be_put_back_has_no_mark_and_its_reasons(session: Start) -> None:
    s = session([code("__import__('subprocess').run(['true'])"), "Ran."], approve="always")
    run, answer = s.ask("run it")
    assert "UNDO" not in answer.text
    with pytest.raises(NepheleError, match="nothing to undo"):
        s.agent.undo()
    (left,) = s.agent.undo(run.round_id).not_restored
    assert (left.operation, left.reason) == (
        "run_python: a change (true)",
        "a process that was started can't be undone",
    )


def test_what_is_left_is_named_with_its_reason(session: Start) -> None:
    s = session([code("import subprocess\nn = subprocess.run(['true']).returncode"), "Ran."], approve="always")
    s.ask("run it")
    report = s.agent.undo()
    assert report.restored == ("run_python: a change (subprocess, n)",)
    assert [(n.operation, n.reason) for n in report.not_restored] == [
        ("run_python: a change (true)", "a process that was started can't be undone")
    ]


def test_after_the_kernel_is_gone_it_is_said(session: Start) -> None:
    s = session([code("x = 1"), "Done."], approve="always")
    run, _ = s.ask("go")
    s.agent._kernel.executor.kept._runs.clear()
    report = s.agent.undo(run.round_id)
    assert report.restored == ()
    assert "the kernel was restarted" in report.not_restored[0].reason


def test_the_card_says_what_the_code_does(session: Start) -> None:
    s = session([code("lst.append(2)\nopen('o.txt', 'w')"), "Fine."])
    s.names["lst"] = [1]
    run = s.agent.ask("do it")
    approval = s.pending(run)
    assert approval.effects[:3] == [
        "Writes, moves or deletes files: o.txt",
        "Changes in place: lst",
        "Reads lst",
    ]
    approval.reject()
    s.finish(run)
    assert s.names["lst"] == [1]


def test_two_at_the_same_time_take_a_round_back_once(session: Start) -> None:
    s = session([code(*(f"lst.append({n})" for n in range(20))), "Done."], approve="always")
    s.names["lst"] = []
    run, _ = s.ask("go")
    told: list[object] = []

    def undo() -> None:
        try:
            told.append(len(s.agent.undo(run.round_id).restored))
        except NepheleError as error:
            told.append(str(error))

    threads = [threading.Thread(target=undo) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    nothing = f"Nothing to undo in round {run.round_id!r}."
    assert sorted(map(str, told)) == sorted(["20", nothing, nothing, nothing])
    assert s.names["lst"] == []
