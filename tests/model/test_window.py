"""A conversation that outgrows the window loses whole turns, oldest first, and stays valid for strict providers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.model.capabilities import window
from nephele_nb.model.client import ModelClient
from nephele_nb.model.delta import LeftOut
from nephele_nb.model.scripted import ScriptedModel, Step
from nephele_nb.model.window import Fitted, fit, learn_limit, message_tokens, room, text_tokens
from nephele_nb.types import Message
from tests.loop.providers import SESSION
from tests.model.conversation import ASK, TOOLS, at, hear_once, run

SYSTEM: Message = {"role": "system", "content": "You are Nephele."}


def turn(n: int, calls: int = 1, size: int = 400, steps: int = 1) -> list[Message]:
    """Return one whole turn: a question, steps of calls with their results, an answer."""
    messages: list[Message] = [{"role": "user", "content": f"question {n}"}]
    for step in range(steps):
        ids = [f"c{n}_{step}_{i}" for i in range(calls)]
        function = {"name": "run_python", "arguments": '{"code": "x"}'}
        messages.append({"role": "assistant", "content": None, "tool_calls": []})
        messages[-1]["tool_calls"] = [{"id": i, "type": "function", "function": function} for i in ids]
        messages += [{"role": "tool", "tool_call_id": i, "content": "x" * size} for i in ids]
    return [*messages, {"role": "assistant", "content": f"answer {n}"}]


def talk(turns: int, **shape: int) -> list[Message]:
    history = [message for n in range(turns) for message in turn(n, **shape)]
    return [SYSTEM, *history, {"role": "user", "content": "the newest"}]


def broken(messages: Sequence[Message]) -> list[str]:
    """Return what strict providers have against a request."""
    return [said for rule in SESSION if (said := rule({"messages": messages}))]


def total(fitted: Fitted) -> int:
    return sum(map(message_tokens, fitted.messages))


def test_what_fits_is_left_alone() -> None:
    messages = talk(3)
    assert fit(messages, 100_000) == Fitted(messages)


@given(
    turns=st.integers(0, 12),
    calls=st.integers(1, 3),
    steps=st.integers(1, 3),
    size=st.integers(0, 4000),
    tokens=st.integers(200, 6000),
    open_steps=st.integers(0, 4),
)
def test_whatever_is_left_out_the_rest_is_valid(
    turns: int, calls: int, steps: int, size: int, tokens: int, open_steps: int
) -> None:
    messages = talk(turns, calls=calls, size=size, steps=steps)
    messages += turn(99, calls=calls, size=size, steps=open_steps)[1:-1]
    fitted = fit(messages, tokens)
    assert broken(fitted.messages) == []
    assert fitted.messages[0] == SYSTEM
    newest = [m for m in fitted.messages if m["role"] == "user"][-1]
    assert newest["content"].endswith("the newest")
    marks = [m for m in fitted.messages if "are left out here" in str(m["content"])]
    assert len(marks) == bool(fitted.left_out)
    if fitted.left_out:
        assert f"[{fitted.left_out} earlier" in str(marks[0]["content"])
    assert fitted.messages[-1]["role"] == messages[-1]["role"]


def test_the_oldest_go_first_and_no_more_than_needed_by_quarters() -> None:
    messages = talk(20)
    fitted = fit(messages, 1200)
    assert 600 < total(fitted) <= 1200
    assert fitted.messages[-1]["content"] == "the newest"
    assert "answer 19" in str(fitted.messages)
    assert "answer 0" not in str(fitted.messages)


def test_requests_in_between_begin_alike() -> None:
    beginnings = {json.dumps(fit(talk(n), 2000).messages[:6]) for n in range(20, 44)}
    assert len(beginnings) <= 10


def test_an_oversize_result_keeps_its_head_and_tail() -> None:
    messages = [SYSTEM, *turn(0, size=10)[:-1]]
    messages[-1] = messages[-1] | {"content": "HEAD" + "x" * 3_000_000 + "TAIL"}
    fitted = fit(messages, 4000)
    content = str(fitted.messages[-1]["content"])
    assert content.startswith("HEAD")
    assert content.endswith("TAIL")
    assert "characters left out here" in content
    assert total(fitted) <= 4000
    assert fitted.left_out == 0
    assert len(messages[-1]["content"]) == 3_000_008


@pytest.mark.parametrize(
    ("text", "least", "most"), [("hello world " * 100, 200, 500), ("结果是四十二" * 100, 550, 700)]
)
def test_tokens_are_rather_too_many_than_too_few(text: str, least: int, most: int) -> None:
    assert least <= text_tokens(text) <= most


REFUSALS = {
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens": 8192,
    "the request exceeds the available context size, n_ctx 4096": 4096,
    "prompt is too long: 210000 tokens > 200000 maximum": 200_000,
    "Input is too long: the context window of 32,768 tokens was passed": 32_768,
}


@pytest.mark.parametrize("text", REFUSALS)
def test_a_limit_is_read_from_a_refusal(text: str) -> None:
    assert learn_limit(text, []) == REFUSALS[text]


def test_a_refusal_without_a_number_means_less_than_was_sent() -> None:
    sent = talk(3)
    assert 0 < (learn_limit("please reduce the length of the messages", sent) or 0) < sum(map(message_tokens, sent))
    assert learn_limit("temperature must be at most 2", sent) is None


def at_most(limit: int, factor: float = 1.0) -> Any:
    """Return the rule of a server that counts ``factor`` times as many tokens as we do."""

    def too_long(body: Mapping[str, Any]) -> str | None:
        taken = factor * (sum(map(message_tokens, body["messages"])) + text_tokens(json.dumps(body.get("tools", []))))
        return (
            f"This model's maximum context length is {limit} tokens, you sent {int(taken)}" if taken > limit else None
        )

    return too_long


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_a_limit_is_learnt_once_and_kept_to(factor: float) -> None:
    rules = (at_most(4000, factor), *SESSION)
    with ScriptedModel(["ok"], rules=rules) as model:
        assert run(hear_once(at(model), talk(40))).text == "ok"
        refused = len([r for r in model.requests if r.broke])
        assert 1 <= refused <= 4
        assert run(hear_once(at(model), talk(41))).text == "ok"
    assert len([r for r in model.requests if r.broke]) == refused


def test_it_is_said_that_something_is_left_out() -> None:
    async def work(model: ScriptedModel) -> list[LeftOut]:
        client = ModelClient(at(model), context_tokens=4000)
        found = [d async for d in client.stream(talk(40), tools=TOOLS) if isinstance(d, LeftOut)]
        await client.close()
        return found

    with ScriptedModel(["ok"], rules=(at_most(4000), *SESSION)) as model:
        (left_out,) = run(work(model))
    sent = model.requests[0].body["messages"]
    assert len(sent) == 1 + 40 * 4 + 1 - left_out.count + (
        sent[1]["content"].startswith("[") and sent[2]["role"] != "user"
    )
    assert model.requests[0].broke is None


def test_a_message_that_can_not_be_shortened_fails_in_words_and_spoils_nothing() -> None:
    with ScriptedModel(["ok"], rules=(at_most(4000),)) as model:
        heard = run(hear_once(at(model), [SYSTEM, {"role": "user", "content": "x" * 100_000}]))
        assert heard.error is not None
        assert heard.error.code == "bad_request"
        assert len(model.requests) == 1
        assert run(hear_once(at(model), talk(40))).text == "ok"
    assert len([r for r in model.requests if r.broke]) == 1


def test_any_other_refusal_is_not_taken_for_a_limit() -> None:
    with ScriptedModel([Step(say="temperature must be at most 2", status=400)]) as model:
        heard = run(hear_once(at(model), [ASK]))
    assert heard.error is not None
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("gpt-4o-mini", 128_000),
        ("openai/gpt-4.1", 1_047_576),
        ("gpt-4", 8192),
        ("qwen2.5:7b", None),
        ("scripted", None),
    ],
)
def test_known_windows(name: str, tokens: int | None) -> None:
    assert window(name) == tokens


def test_room_is_kept_for_the_answer_and_the_tools() -> None:
    assert room(8192, []) == 6144
    assert room(200_000, []) == 200_000 - 4096
    assert room(8192, TOOLS) < 6144
    assert room(8192, [], squeezed=1) < 6144 * 0.75
