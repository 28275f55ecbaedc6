"""Rounds that leave the model's context and return to it: asked again, asked in other words, taken out by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.loop.session import Session, python, search
from tests.loop.test_face import DOT, View

Start = Callable[..., Session]


def said(body: dict[str, Any]) -> list[str]:
    """Return the words of a request's messages, the system prompt left out, each user's without what frames it."""
    texts = [m["content"] if isinstance(m["content"], str) else m["content"][0]["text"] for m in body["messages"][1:]]
    return [text.splitlines()[-1] for text in texts if text]


def heard(s: Session, **message: Any) -> View:
    """Have a view send a message, and wait for the round where it begins one."""
    view = View(s)
    view.face.hear(message)
    if message["type"] == "ask":
        s.finish(s.agent.runs[-1])
    return view


def test_a_round_asked_again_takes_the_place_of_the_first(session: Start) -> None:
    s = session(["one", "two", "two again", "three"])
    s.ask("first")
    second, _ = s.ask("second")
    heard(s, type="ask", text="second", instead=second.round_id)
    assert said(s.bodies[-1]) == ["first", "one", "second"]
    s.ask("third")
    assert said(s.bodies[-1]) == ["first", "one", "second", "two again", "third"]
    assert s.agent.conversation.aside == {second.round_id: "retried"}
    assert [m["content"] for m in s.agent.history if m["role"] == "assistant"] == ["one", "two again", "three"]


def test_what_followed_an_edited_round_leaves_with_it(session: Start) -> None:
    s = session(["one", "two", "three", "new", "last"])
    s.ask("first")
    second, third = s.ask("second")[0], s.ask("third")[0]
    heard(s, type="ask", text="other words", instead=second.round_id, edited=True)
    assert said(s.bodies[-1]) == ["first", "one", "other words"]
    assert s.agent.conversation.aside == {second.round_id: "edited", third.round_id: "edited"}
    s.ask("on")
    assert said(s.bodies[-1]) == ["first", "one", "other words", "new", "on"]


def test_a_round_goes_whole_with_its_calls_and_comes_back(session: Start) -> None:
    s = session(["one", search("tea"), "found", "three", "four"])
    s.ask("first")
    second, _ = s.ask("second")
    view = heard(s, type="context", round_id=second.round_id, in_context=False)
    s.ask("third")
    assert said(s.bodies[-1]) == ["first", "one", "third"]
    assert view.face._seen()["aside"] == {second.round_id: "deleted"}
    heard(s, type="context", round_id=second.round_id, in_context=True)
    s.ask("fourth")
    roles = ["user", "assistant", "user", "assistant", "tool", "assistant", "user", "assistant", "user"]
    assert [m["role"] for m in s.bodies[-1]["messages"][1:]] == roles
    assert s.agent.conversation.aside == {}


def test_the_first_round_may_go(session: Start) -> None:
    s = session(["one", "two"])
    first, _ = s.ask("first")
    heard(s, type="context", round_id=first.round_id, in_context=False)
    s.ask("second")
    assert said(s.bodies[-1]) == ["second"]


def test_it_is_the_same_when_the_conversation_is_reopened(session: Start) -> None:
    s = session(["one", "two", "three"])
    first, _ = s.ask("first")
    s.ask("second")
    heard(s, type="context", round_id=first.round_id, in_context=False)
    s.agent.close()
    again = session(["four"])
    assert again.agent.conversation.aside == {first.round_id: "deleted"}
    again.ask("third")
    assert said(again.bodies[-1]) == ["second", "two", "third"]
    heard(again, type="context", round_id=first.round_id, in_context=True)
    assert [m["content"] for m in again.agent.history if m["role"] == "assistant"] == ["one", "two", "four"]


def test_pictures_stay_with_a_round_that_is_asked_again(session: Start) -> None:
    s = session(["A dot.", "Still a dot.", "And again."])
    picture = f"data:image/png;base64,{DOT}"
    heard(s, type="ask", text="look", images=[picture])
    first = s.agent.runs[-1]
    assert first.events[0].to_dict()["pictures"] == 1
    heard(s, type="ask", text="look", instead=first.round_id)
    content = s.bodies[-1]["messages"][-1]["content"]
    assert [part["type"] for part in content].count("image_url") == 1
    assert s.agent.runs[-1].text == "look"
    heard(s, type="ask", text="look closer", images=[picture], instead=first.round_id, edited=True)
    content = s.bodies[-1]["messages"][-1]["content"]
    assert [part["type"] for part in content].count("image_url") == 2


def test_nothing_leaves_where_nothing_takes_its_place(session: Start) -> None:
    s = session(["one"])
    first, _ = s.ask("first")
    view = View(s)
    view.face.hear(
        {"type": "ask", "text": "again", "instead": first.round_id, "images": ["data:image/png;base64,AAAA"]}
    )
    assert "can't be attached" in view.wait("state")["state"]["notice"]
    assert s.agent.conversation.aside == {}


def test_a_round_that_runs_stays(session: Start) -> None:
    s = session([python("1"), "two"])
    run = s.agent.ask("first")
    approval = s.pending(run)
    view = View(s)
    view.face.hear({"type": "context", "round_id": run.round_id, "in_context": False})
    assert "still runs" in view.wait("state")["state"]["notice"]
    approval.reject()
    s.finish(run)


def test_what_the_model_answered_no_rule_answers_when_it_is_asked_again(session: Start) -> None:
    s = session(["The model's words.", "Its words again."])
    first, _ = s.ask("// show status")
    heard(s, type="ask", text="show status", instead=first.round_id)
    assert s.agent.runs[-1].events[-1].to_dict()["finish"] == "answer"
    ruled, _ = s.ask("show status")
    heard(s, type="ask", text="show status", instead=ruled.round_id)
    assert s.agent.runs[-1].events[-1].to_dict()["finish"] == "rule"


def test_what_began_anew_is_not_put_back(session: Start) -> None:
    s = session(["one"])
    first, _ = s.ask("first")
    s.agent.conversation.clear()
    view = heard(s, type="context", round_id=first.round_id, in_context=False)
    assert "begun anew" in view.wait("state")["state"]["notice"]
    assert s.agent.conversation.aside == {}


def test_each_view_is_told(session: Start) -> None:
    s = session(["one"])
    first, _ = s.ask("first")
    one, other = View(s), View(s)
    for view in (one, other):
        s.agent.listen(view.face.show)
    one.face.hear({"type": "context", "round_id": first.round_id, "in_context": False})
    assert other.wait("state")["state"]["aside"] == {first.round_id: "deleted"}


@pytest.mark.parametrize(("name", "value"), [("mode", "chat"), ("tier", "lite")])
def test_a_view_chooses_for_the_next_message(session: Start, name: str, value: str) -> None:
    s = session(["one"])
    view = View(s)
    s.agent.listen(view.face.show)
    view.face.hear({"type": "set", name: value})
    assert view.wait("state")["state"][name] == value
    run, _ = s.ask("hello there")
    assert run.events[0].to_dict()[name] == value


def test_a_tier_that_cannot_be_had_is_told_and_not_taken(session: Start) -> None:
    s = session(["one"])
    view = View(s)
    view.face.hear({"type": "set", "tier": "tempest"})
    state = view.wait("state")["state"]
    assert "platform_url" in state["notice"]
    assert state["tier"] == "byok"
    offered = {each["tier"]: each["why"] for each in state["tiers"]}
    assert offered["byok"] == offered["lite"] == ""
    assert all("platform_url" in offered[tier] for tier in ("zephyr", "tempest"))


def test_a_view_is_greeted_where_nobody_answers(session: Start) -> None:
    s = session(["one"])
    s.agent.settings.set("tier", "zephyr")
    view = View(s)
    view.face.hear({"type": "hello"})
    state = view.wait("snapshot")["state"]
    assert state["tier"] == "zephyr"
    assert "platform_url" in state["notice"]


def waiting(s: Session, *messages: dict[str, Any]) -> None:
    """Have a view send messages while a card of a later round waits, and reject it."""
    busy = s.agent.ask("run it")
    approval = s.pending(busy)
    for message in messages:
        View(s).face.hear({"type": "ask", **message})
    approval.reject()
    for run in s.agent.runs:
        s.finish(run)


def test_what_is_asked_again_twice_is_asked_once(session: Start) -> None:
    s = session(["one", python("1"), "rejected", "one again", "two again"])
    first, _ = s.ask("first")
    again = {"text": "first", "instead": first.round_id}
    waiting(s, again, again)
    assert [run.text for run in s.agent.runs] == ["first", "run it", "first"]
    assert s.agent.conversation.aside == {first.round_id: "retried"}


def test_the_last_of_two_quick_edits_takes_the_place_of_both(session: Start) -> None:
    s = session(["one", python("1"), "rejected", "a", "b", "last"])
    first, _ = s.ask("first")
    waiting(s, *({"text": words, "instead": first.round_id, "edited": True} for words in ("once", "twice")))
    s.ask("on")
    assert said(s.bodies[-1])[-3:] == ["twice", "b", "on"]
    assert "once" not in said(s.bodies[-1])


def test_a_replacement_that_is_stopped_before_it_begins_takes_nothing_away(session: Start) -> None:
    s = session(["one", python("1"), "never"])
    first, _ = s.ask("first")
    busy = s.agent.ask("run it")
    s.pending(busy)
    View(s).face.hear({"type": "ask", "text": "other", "instead": first.round_id, "edited": True})
    s.agent.stop()
    for run in s.agent.runs:
        s.finish(run)
    assert s.agent.conversation.aside == {}
