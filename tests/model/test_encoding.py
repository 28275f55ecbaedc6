"""A request's JSON is what it would be made anew, whatever stayed, changed or went since the one before."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.model.encoding import Encoder, Kept, Made
from nephele_nb.model.wire import Quirks, request_body
from nephele_nb.types import Message


def test_only_what_is_new_is_made() -> None:
    made: list[int] = []

    def make(item: list[int]) -> int:
        made.append(item[0])
        return item[0] * 10

    kept, items = Kept[int](), [[n] for n in range(5)]
    assert kept.of(items, make) == [0, 10, 20, 30, 40]
    assert kept.of([*items, [5]], make) == [0, 10, 20, 30, 40, 50]
    assert made == [0, 1, 2, 3, 4, 5]
    assert kept.of([*items[:2], [7], items[4]], make) == [0, 10, 70, 40]
    assert made[6:] == [7, 4]
    assert kept.of([[0], [1]], make) == [0, 10]
    assert made[8:] == []


TEXTS = st.text(max_size=8)
MESSAGES = st.lists(
    st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["user", "tool"]), TEXTS)
)


@given(st.lists(MESSAGES, max_size=5))
def test_a_body_is_the_same_as_without_memory(turns: list[list[Message]]) -> None:
    encoder, made, history = Encoder(), Made(), list[Message]()
    for turn in turns:
        history = [*history[len(turn) % 2 :], *turn]
        tools = [{"type": "function", "function": {"name": "t"}}] if len(turn) % 2 else []
        given: dict[str, Any] = {"model": "m", "origin": "o", "tools": tools, "quirks": Quirks()}
        anew = request_body(history, **given)
        assert json.loads(encoder.encode(request_body(history, **given, made=made))) == anew


def test_json_is_strict_and_compact() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "héllo\n世界"}], "stream": True}
    data = Encoder().encode(body)
    assert data == '{"messages":[{"role":"user","content":"héllo\\n世界"}],"model":"m","stream":true}'.encode()
