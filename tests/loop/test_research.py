"""Research answers cite what was opened, and nothing else; plain chat is held to its passages."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from nephele_nb.events import ToolFinish
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session, search

Start = Callable[..., Session]
NOTE = "The oolong shipment was late; stock ran out on March 8 for 17 days."


def test_a_citation_of_nothing_is_dropped_and_marked(session: Start) -> None:
    s = session([search("oolong shipment"), Step(say="Stock ran out [1], prices fell [7].", chunk_chars=1)])
    s.agent.library.add_note("Supplier", NOTE)
    _, answer = s.ask(research=True)
    assert answer.text.startswith("Stock ran out [1], prices fell [?].")
    assert "was not opened" in answer.text
    assert [source.n for source in answer.sources] == [1]


def test_a_quotation_must_stand_in_a_source(session: Start) -> None:
    said = "It says “stock ran out on March 8” and “the price doubled overnight” [1]."
    s = session([Step(calls=[Call("read_note", {"content_id": "Supplier"})]), said])
    s.agent.library.add_note("Supplier", NOTE)
    _, answer = s.ask(research=True)
    assert answer.text.count("Not found word for word") == 1
    assert "“the price doubled overnight”" in answer.text.rpartition("Not found")[2]


def test_the_agents_answers_are_left_alone(session: Start) -> None:
    s = session(["Take x[7] and “some made up quotation” of 99 [3]."])
    assert s.ask()[1].text == "Take x[7] and “some made up quotation” of 99 [3]."


def test_chat_retrieves_once_and_is_marked(session: Start) -> None:
    s = session(["Stock ran out for 17 days [1]. It cost 400 yuan [1]. Competitors rejoiced everywhere."])
    s.agent.library.add_note("Supplier", NOTE)
    _, answer = s.ask("when did oolong stock run out?", mode="chat")
    assert answer.text == (
        "Stock ran out for 17 days [1]. It cost 400 (⚠ in no source) yuan [1]. "
        "Competitors rejoiced everywhere. (a guess)"
    )
    assert len(s.bodies) == 1
    assert "tools" not in s.bodies[0]
    assert NOTE in s.bodies[0]["messages"][-1]["content"]


def test_chat_says_that_there_is_nothing(session: Start) -> None:
    s = session(["never asked"])
    _, answer = s.ask("zyzzyva?", mode="chat")
    assert answer.text.startswith("Nothing in your library matches")
    assert s.bodies == []


def test_lite_never_loops(session: Start) -> None:
    s = session(["never asked"], tier="lite")
    s.agent.library.add_note("Supplier", NOTE)
    run, answer = s.ask("when did the oolong stock run out?", research=True)
    assert "March 8" in answer.text
    assert "no model" in answer.text
    assert answer.sources[0].title == "Supplier"
    assert run.events[0].to_dict()["mode"] == "chat"
    assert run.events[0].to_dict()["tier"] == "lite"
    assert s.bodies == []


def test_a_live_frame_is_scanned_by_its_name(session: Start) -> None:
    import pandas as pd

    s = session([Step(calls=[Call("scan_table", {"name": "sales", "where": "units > 1"})]), "Two [1]."])
    s.names["sales"] = pd.DataFrame({"units": [1, 2, 3]})
    _, answer = s.ask(research=True)
    assert "rows 1-2 shown of 2 matched of 3 in all" in s.results()[0]
    assert (answer.sources[0].kind, answer.sources[0].content_id) == ("table", "live:sales")


BOTH = Step(calls=[Call("read_note", {"content_id": "First"}), Call("read_note", {"content_id": "Second"})])


def in_other_order(s: Session, monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Let the first of two notes be read only when it is allowed to, and say when the second was."""
    read, first_may, second_was = s.agent.library.read, threading.Event(), threading.Event()

    def slowly(content_id: str) -> object:
        if content_id == "First":
            assert first_may.wait(60)
        note = read(content_id)
        if content_id == "Second":
            second_was.set()
        return note

    monkeypatch.setattr(s.agent.library, "read", slowly)
    for title in ("First", "Second"):
        s.agent.library.add_note(title, NOTE)
    return first_may, second_was


def test_calls_that_run_together_are_numbered_in_their_order(session: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    s = session([BOTH, "Late [2]."])
    first_may, second_was = in_other_order(s, monkeypatch)
    run = s.agent.ask("go", research=True)
    assert second_was.wait(60)
    first_may.set()
    answer = s.finish(run)
    assert [result.partition("] ")[2].split(" ")[0] for result in s.results()] == ["First", "Second"]
    assert [(source.n, source.title) for source in answer.sources] == [(2, "Second")]
    assert [e.result[:4] for e in run.events if isinstance(e, ToolFinish)] == ["[1] ", "[2] "]


def test_what_waits_for_its_number_is_told_when_the_round_is_stopped(
    session: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = session([BOTH, "never"])
    first_may, second_was = in_other_order(s, monkeypatch)
    run = s.agent.ask("go", research=True)
    assert second_was.wait(60)
    run.stop()
    s.finish(run)
    first_may.set()
    told = {e.call_id: e.result for e in run.events if isinstance(e, ToolFinish)}
    assert sum(NOTE in result for result in told.values()) <= 1
    assert len(told) == 2
