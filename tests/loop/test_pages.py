"""What a view shows when something is opened: real notes, rows, cards and operations, at the place that was meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from nephele_nb.model.scripted import Call, Step
from nephele_nb.pages import BEFORE, LONGEST_TEXT, ROWS, page
from nephele_nb.strings import Strings
from tests.loop.session import Session

Start = Callable[..., Session]


def opened(s: Session, view: str, target: str = "", **more: Any) -> dict[str, Any]:
    found = page(s.agent, {"view": view, "target": target, **more}, Strings("en"))
    json.dumps(found, allow_nan=False)
    return found


def test_a_note_opens_at_its_span(session: Start) -> None:
    s = session(["x"])
    content_id = s.agent.library.add_note("会议", "😀 one two three", tags=["work"])
    found = opened(s, "note", content_id, span=[2, 5])
    assert found["text"][found["span"][0] : found["span"][1]] == "one"
    assert (found["title"], found["offset"], found["whole"]) == ("会议", 0, 15)
    assert "#work" in found["about"]
    assert opened(s, "note", content_id)["span"] is None


def test_a_long_note_is_shown_around_its_span(session: Start) -> None:
    s = session(["x"])
    text = "a" * 100_000 + "HERE" + "b" * 100_000
    found = opened(s, "note", s.agent.library.add_note("long", text), span=[100_000, 100_004])
    first, last = found["span"]
    assert found["text"][first:last] == "HERE"
    assert found["offset"] == 100_000 - BEFORE
    assert len(found["text"]) == LONGEST_TEXT


@pytest.mark.parametrize("span", [[-5, 3], [10**9, 10**10], [5, 2], "x", [1], [None, 2], [1.5, 2.5]])
def test_a_span_that_lies_nowhere_harms_nothing(session: Start, span: object) -> None:
    s = session(["x"])
    found = opened(s, "note", s.agent.library.add_note("n", "short"), span=span)
    assert found["text"] == "short"


def test_a_table_opens_at_its_rows_and_at_the_version_that_was_read(session: Start) -> None:
    s = session(["x"])
    s.agent.library.add_table("t", [{"n": n, "名": f"r{n}", "gone": None} for n in range(120)])
    version = s.agent.library.scan("t").version
    found = opened(s, "table", "t", rows=[60, 80], version=version)
    assert found["columns"] == ["n", "名", "gone"]
    assert found["rows"][0] == ["60", "r60", ""]
    assert (len(found["rows"]), found["offset"], found["whole"]) == (ROWS, 60, 120)
    s.agent.library.add_table("t", [{"n": 7}])
    assert opened(s, "table", "t", rows=[60, 80], version=version)["rows"][0][0] == "60"
    assert opened(s, "table", "t")["rows"] == [["7"]]
    assert opened(s, "table", "t", offset=5)["rows"] == []


def test_a_table_is_sorted_by_what_the_view_asks(session: Start) -> None:
    s = session(["x"])
    s.agent.library.add_table("t", [{"n": 2}, {"n": 1}, {"n": 3}])
    assert opened(s, "table", "t", order_by="n")["rows"] == [["1"], ["2"], ["3"]]


def test_lists_lead_on(session: Start) -> None:
    s = session(["x"])
    first = s.agent.library.add_note("Rivers", "See [[Mountains]].")
    s.agent.library.add_note("Mountains", "High.")
    s.agent.library.add_table("t", [{"n": 1}])
    listed = opened(s, "notes")
    assert {(i["view"], i["title"]) for i in listed["items"]} == {
        ("table", "t"),
        ("note", "Rivers"),
        ("note", "Mountains"),
    }
    near = opened(s, "graph", first)
    assert [i["title"] for i in near["items"]] == ["Mountains"]
    assert [i["title"] for i in opened(s, "notes", "Mountains")["items"]][:1] == ["Mountains"]


def test_cards_and_operations_are_shown(session: Start) -> None:
    write = Step(calls=[Call("create_note", {"title": "Kept", "text": "It rained."})])
    s = session([write, "Done."], approve="always")
    card = s.agent.memory.write("Likes tea", "Green tea in the morning", "user", "Body.")
    s.ask("keep this note")
    assert opened(s, "memory")["items"][0]["title"] == "Likes tea"
    assert opened(s, "memory", card)["text"].strip() == "Body."
    operations = {item["title"]: item["about"] for item in opened(s, "journal")["items"]}
    assert "keep this note" in operations["create_note: Kept"]


@pytest.mark.parametrize(
    ("view", "target"), [("note", "no such"), ("table", "no such"), ("graph", "no such"), ("chat", ""), ("x", "")]
)
def test_what_can_not_be_opened_is_said(session: Start, view: str, target: str) -> None:
    assert opened(session(["x"]), view, target)["fault"]
