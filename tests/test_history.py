"""However a round ends, the history can be sent again."""

from __future__ import annotations

from typing import Any

from nephele_nb.history import History


def calls(*ids: str) -> dict[str, Any]:
    """Return an assistant's message that asks for calls."""
    made = [{"id": i, "type": "function", "function": {"name": "run_python", "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def test_open_calls_are_answered_in_order() -> None:
    history = History([{"role": "user", "content": "x"}, calls("a", "b", "c")])
    history.add({"role": "tool", "tool_call_id": "b", "content": "done"})
    assert history.open_calls() == ["a", "c"]
    history.close("stopped", "[stopped]")
    assert [m.get("tool_call_id") for m in history.messages[2:]] == ["b", "a", "c", None]
    assert history.messages[-1] == {"role": "assistant", "content": "[stopped]"}


def test_an_unanswered_message_gets_an_answer() -> None:
    history = History()
    history.say_user("first", "…")
    history.close("", "[stopped]")
    history.say_user("second", "…")
    assert [m["role"] for m in history.messages] == ["user", "assistant", "user"]


def test_a_message_between_steps_keeps_alternation() -> None:
    history = History([{"role": "user", "content": "x"}, calls("a")])
    history.add({"role": "tool", "tool_call_id": "a", "content": "done"})
    history.say_user("wait, the other one", "[the user writes]")
    assert [m["role"] for m in history.messages] == ["user", "assistant", "tool", "assistant", "user"]


def test_amending_is_heard_as_a_replacement() -> None:
    heard: list[tuple[Any, int]] = []
    history = History(on_add=lambda message, replaces: heard.append((message["content"], replaces)))
    history.add({"role": "tool", "tool_call_id": "a", "content": "one"})
    history.add({"role": "tool", "tool_call_id": "b", "content": "two"})
    history.amend(" again", "a")
    history.amend("!")
    assert [m["content"] for m in history.messages] == ["one again", "two!"]
    assert heard[2:] == [("one again", 2), ("two!", 1)]
