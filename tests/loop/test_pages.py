"""What a view shows when something is opened: real notes, rows, cards and operations, at the place that was meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from nephele_nb.model.scripted import Call, Step
from nephele_nb.pages import page
from nephele_nb.pages.note import BEFORE, LONGEST_TEXT
from nephele_nb.pages.shape import MOST_ITEMS
from nephele_nb.pages.table import ROWS
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
    assert [(tag["target"], tag["title"]) for tag in found["tags"]] == [("tag:work", "#work")]
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
    assert found["columns"] == [["n", "int64"], ["名", "string"], ["gone", "string"]]
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
    asked, by_hand = opened(s, "journal")["rounds"]
    assert (asked["title"], asked["undone"]) == ("keep this note", False)
    assert asked["operations"] == [{"tool": "create_note", "title": "Kept", "fate": "open", "why": ""}]
    assert (by_hand["title"], by_hand["operations"][0]["tool"]) == ("Done by hand", "memory.write")


@pytest.mark.parametrize(
    ("view", "target"), [("note", "no such"), ("table", "no such"), ("graph", "no such"), ("chat", ""), ("x", "")]
)
def test_what_can_not_be_opened_is_said(session: Start, view: str, target: str) -> None:
    assert opened(session(["x"]), view, target)["fault"]


def test_a_long_note_is_read_on_from_where_its_part_ended(session: Start) -> None:
    s = session(["x"])
    text = "".join(f"line {n} of a long note\n" for n in range(6_000))
    content_id = s.agent.library.add_note("long", text)
    first = opened(s, "note", content_id)
    assert first["text"].endswith("\n")
    parts, at = [first["text"]], len(first["text"])
    while at < first["whole"]:
        parts.append(opened(s, "note", content_id, offset=at)["text"])
        at += len(parts[-1])
    assert "".join(parts) == text
    assert opened(s, "note", content_id, offset=10**9)["whole"] == len(text)


def test_a_note_names_what_it_leads_to_and_what_leads_to_it(session: Start) -> None:
    s = session(["x"])
    first = s.agent.library.add_note("Rivers", "See [[Mountains]]. #water")
    s.agent.library.add_note("Mountains", "High.")
    s.agent.library.add_note("Valleys", "Below [[Rivers]] they lie.")
    links = {(i["group"], i["title"], i["view"]): i for i in opened(s, "note", first)["items"]}
    assert set(links) == {("out", "Mountains", "note"), ("in", "Valleys", "note")}
    assert [tag["title"] for tag in opened(s, "note", first)["tags"]] == ["#water"]
    back = links["in", "Valleys", "note"]
    assert "Below [[Rivers]] they lie."[slice(*back["span"])] == "[[Rivers]]"


def test_a_table_is_filtered_where_it_lies(session: Start) -> None:
    s = session(["x"])
    rows = [{"n": n, "word": f"w{n % 3}", "even": n % 2 == 0, "gap": None if n else 1.5} for n in range(90)]
    s.agent.library.add_table("t", rows)
    found = opened(s, "table", "t", where=[["word", "contains", "2"], ["n", "<", "30"], ["even", "=", "true"]])
    assert [row[0] for row in found["rows"]] == ["2", "8", "14", "20", "26"]
    assert (found["whole"], found["where"][1]) == (5, ["n", "<", "30"])
    assert "5 that match, 90 in all" in found["about"]
    assert opened(s, "table", "t", where=[["gap", "is not null", ""]])["whole"] == 1
    nothing = opened(s, "table", "t", where=[["n", ">", "1000"]])
    assert (nothing["rows"], [name for name, _ in nothing["columns"]]) == ([], ["n", "word", "even", "gap"])
    assert opened(s, "table", "t", order_by='"n" desc', offset=50)["rows"][0][0] == "39"


@pytest.mark.parametrize(
    "wrong",
    [{"where": [["n", "=", "many"]]}, {"where": [["m", "=", "1"]]}, {"order_by": "m"}, {"where": [["n", "~", "1"]]}],
)
def test_a_wrong_filter_is_a_sentence_over_the_table_as_it_is(session: Start, wrong: dict[str, Any]) -> None:
    s = session(["x"])
    s.agent.library.add_table("t", [{"n": 1}])
    found = opened(s, "table", "t", **wrong)
    assert found["fault"].endswith(".")
    assert found["columns"] == [["n", "int64"]]
    assert found["rows"] == []


def test_filters_that_are_none_are_passed_over(session: Start) -> None:
    s = session(["x"])
    s.agent.library.add_table("t", [{"n": 1}])
    for odd in ("n = 1", [1], [["n"]], [["n", "=", 1]], {"n": 1}, None):
        assert opened(s, "table", "t", where=odd)["rows"] == [["1"]]


def test_a_search_says_which_channels_found_what_and_opens_at_the_passage(session: Start) -> None:
    s = session(["x"], embedder="none")
    s.agent.library.add_note("Tea", "# First\n\n**Oolong** is late.")
    hit = opened(s, "notes", "oolong late")["items"][0]
    assert (hit["title"], hit["view"]) == ("Tea", "note")
    assert "text" in dict(hit["channels"])
    assert hit["about"] == "First Oolong is late."
    assert opened(s, "notes", "zebra crossing")["items"] == []


def test_a_long_list_has_parts(session: Start) -> None:
    s = session(["x"])
    for n in range(MOST_ITEMS + 5):
        s.agent.memory.write(f"Card {n}", "s", "user", "b")
    first, rest = opened(s, "memory"), opened(s, "memory", offset=MOST_ITEMS)
    assert (len(first["items"]), first["whole"]) == (MOST_ITEMS, MOST_ITEMS + 5)
    assert (len(rest["items"]), rest["offset"]) == (5, MOST_ITEMS)
    assert opened(s, "memory", offset=10**9)["offset"] == MOST_ITEMS


def test_a_graph_says_how_its_items_hang_together(session: Start) -> None:
    s = session(["x"])
    first = s.agent.library.add_note("A", "See [[B]].")
    s.agent.library.add_note("B", "See [[C]].")
    s.agent.library.add_note("C", "The end.")
    found = opened(s, "graph", first)
    assert [(i["title"], i["distance"], i["parent"]) for i in found["items"]] == [("B", 1, -1), ("C", 2, 0)]
    assert found["edges"] == [[-1, 0], [0, 1]]
    starts = opened(s, "graph")
    assert {i["title"] for i in starts["items"]} == {"A", "B", "C"}


def test_the_journal_says_beforehand_what_stays_and_marks_what_was_taken_back(session: Start) -> None:
    card = Step(calls=[Call("create_note", {"title": "Kept", "text": "It rained."})])
    s = session([card, "Done."], approve="always")
    run, _ = s.ask("keep this note")
    s.agent.undo(run.round_id)
    undo, asked = opened(s, "journal")["rounds"]
    assert (asked["undone"], asked["operations"][0]["fate"]) == (True, "taken")
    assert (undo["title"], undo["undone"]) == ("Undo of: keep this note", False)
    s.agent.undo(undo["round"])
    assert opened(s, "journal")["rounds"][0]["title"] == "Brought back: keep this note"


def test_a_page_carries_its_ticket_back(session: Start) -> None:
    s = session(["x"])
    assert opened(s, "notes", ticket=7)["ticket"] == 7
    assert opened(s, "x", ticket=8)["ticket"] == 8
    assert "ticket" not in opened(s, "notes")
