"""What stands in a round's marked block: the time and the variables, and it stays as it was."""

from __future__ import annotations

from collections.abc import Callable

from tests.loop.session import Session

Start = Callable[..., Session]


def said(s: Session, request: int, which: int) -> str:
    """Return one of the user's messages in a request."""
    return [str(m["content"]) for m in s.bodies[request]["messages"] if m["role"] == "user"][which]


def test_each_round_tells_its_variables_and_an_earlier_round_keeps_its_own(session: Start) -> None:
    s = session(["One.", "Two."], namespace={"rows": [1, 2], "key": "hunter2"})
    s.ask("first")
    s.names["more"] = {"a": 1}
    s.ask("second")
    first, second = said(s, 1, 0), said(s, 1, 1)
    assert first == said(s, 0, 0)
    assert "rows: list 2\nkey: str\n</round-context>\nfirst" in first
    assert "more" not in first
    assert "more: dict 1" in second
    assert "hunter2" not in str(s.bodies)


def test_the_system_prompt_stays_the_same_while_mode_and_memory_do(session: Start) -> None:
    s = session(["One.", "Two."])
    s.ask("first")
    s.names["x"] = 1
    s.ask("second")
    assert s.bodies[0]["messages"][0] == s.bodies[1]["messages"][0]


def test_research_and_chat_tell_no_variables(session: Start) -> None:
    s = session(["One."], namespace={"rows": [1, 2]})
    s.ask("first", research=True)
    assert "rows" not in said(s, 0, 0)
