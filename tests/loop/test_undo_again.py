"""Undo of everything a round did, in any order: while it runs, twice, again after a failure, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.errors import LibraryError, NepheleError
from nephele_nb.events import ToolFinish
from nephele_nb.model.scripted import Call, Step
from nephele_nb.run import undo_mark
from tests.loop.session import PATIENCE_S, Session, python

Start = Callable[..., Session]


def note(title: str) -> Call:
    return Call("create_note", {"title": title, "text": f"rivers near {title}"})


def card(title: str) -> Call:
    return Call("memory_write", {"title": title, "summary": "s", "type": "user", "body": f"likes {title}"})


def titles(s: Session) -> set[str]:
    return {hit.title for hit in s.agent.library.search("rivers")}


def test_what_a_round_does_after_it_was_taken_back_can_be_taken_back_too(session: Start) -> None:
    s = session([Step(calls=[note("A")]), Step(calls=[note("B")]), "Done."])
    run = s.agent.ask("go")
    s.pending(run).approve()
    assert s.agent.bridge.wait(lambda: any(isinstance(e, ToolFinish) for e in run.events), PATIENCE_S)
    second = s.pending(run)
    assert s.agent.undo().restored == ("create_note: A",)
    second.approve()
    assert s.finish(run).text.endswith(undo_mark(run.round_id))
    assert titles(s) == {"B"}
    assert s.agent.undo().restored == ("create_note: B",)
    assert titles(s) == set()
    with pytest.raises(NepheleError, match="nothing to undo"):
        s.agent.undo()


def test_a_round_whose_work_was_all_taken_back_ends_without_the_mark(session: Start) -> None:
    s = session([Step(calls=[note("A")]), python("x = 1"), "Done."])
    run = s.agent.ask("go")
    s.pending(run).approve()
    assert s.agent.bridge.wait(lambda: any(isinstance(e, ToolFinish) for e in run.events), PATIENCE_S)
    waiting = s.pending(run)
    s.agent.undo()
    waiting.reject()
    assert s.finish(run).text == "Done."


def test_what_failed_can_be_tried_again_and_what_went_well_is_not_repeated(session: Start) -> None:
    s = session([Step(calls=[note("A"), card("tea")]), "Done."], approve="always")
    run, _ = s.ask()
    whole = s.agent.library.take_back

    def locked(inverse: Any) -> Any:
        raise LibraryError("Another process has been writing this library for 120 s.")

    s.agent.library.take_back = locked
    report = s.agent.undo()
    assert (report.restored, [left.operation for left in report.not_restored]) == (
        ("memory_write: tea",),
        ["create_note: A"],
    )
    s.agent.library.take_back = whole
    report = s.agent.undo(run.round_id)
    assert (report.restored, report.not_restored, titles(s)) == (("create_note: A",), (), set())
    with pytest.raises(NepheleError, match="Nothing to undo"):
        s.agent.undo(run.round_id)


def test_an_undo_that_is_interrupted_keeps_what_it_did(session: Start) -> None:
    s = session([Step(calls=[note("A"), card("tea")]), "Done."], approve="always")
    run, _ = s.ask()
    whole = s.agent.library.take_back

    def interrupted(inverse: Any) -> Any:
        raise KeyboardInterrupt

    s.agent.library.take_back = interrupted
    with pytest.raises(KeyboardInterrupt):
        s.agent.undo()
    s.agent.library.take_back = whole
    assert s.agent.memory.list() == []
    report = s.agent.undo(run.round_id)
    assert (report.restored, report.not_restored) == (("create_note: A",), ())


@pytest.mark.parametrize("restarted", [False, True])
def test_undo_is_undone_and_redone_for_notes_and_cards(session: Start, restarted: bool) -> None:
    s = session([Step(calls=[note("A"), card("tea")]), "Done.", Step(calls=[note("B")]), "Done."], approve="always")
    first, _ = s.ask()
    second, _ = s.ask("more")

    def again() -> Session:
        if not restarted:
            return s
        s.agent.close()
        return session(["Done."])

    s.agent.undo(first.round_id)
    s = again()
    assert (titles(s), s.agent.memory.list()) == ({"B"}, [])
    s.agent.undo(f"{first.round_id}.undo")
    s = again()
    assert (titles(s), [c.title for c in s.agent.memory.list()]) == ({"A", "B"}, ["tea"])
    report = s.agent.undo(first.round_id)
    assert (len(report.restored), report.not_restored, titles(s)) == (2, (), {"B"})
    s = again()
    assert s.agent.undo().round_id == second.round_id
    s.agent.undo(f"{second.round_id}.undo")
    assert titles(s) == {"B"}


def test_a_journal_of_an_older_form_says_that_a_whole_round_was_taken_back(session: Start, tmp_path: Path) -> None:
    s = session([Step(calls=[note("A")]), "Done."], approve="always")
    run, _ = s.ask()
    s.agent.close()
    path = tmp_path / "home" / "journal" / "talk.jsonl"
    path.write_text(path.read_text("utf-8") + f'{{"undone": "{run.round_id}"}}\n', "utf-8")
    with pytest.raises(NepheleError, match="Nothing to undo"):
        session(["x"]).agent.undo(run.round_id)
