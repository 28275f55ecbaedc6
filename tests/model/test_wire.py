"""What is sent suits each provider: kept state goes back to whom it belongs, and a refusal teaches one thing."""

from __future__ import annotations

import json

import pytest

from nephele_nb.model.client import ModelClient
from nephele_nb.model.scripted import Call, ScriptedModel, Step
from nephele_nb.model.wire import Quirks, error_text, learn, request_body
from nephele_nb.types import Message
from tests.model import providers
from tests.model import transcripts as t
from tests.model.conversation import ASK, TOOLS, answered, at, hear, hear_once, run

THOUGHT = [Step(raw=t.kept("S13_reasoning_then_call.turn1")), Step(raw=t.kept("S_final_ok"))]
SIGNED = [Step(raw=t.kept("S15_extra_content.turn1")), Step(raw=t.kept("S_final_ok"))]


def sent(model: ScriptedModel) -> list[Message]:
    return [message for message in model.requests[-1].body["messages"] if message["role"] == "assistant"]


async def two_turns(model: ScriptedModel) -> list[Message]:
    """Ask, answer the calls, ask again with the history as it comes back from a file; return the history."""
    client = ModelClient(at(model))
    first = await hear(client)
    assert first.reply is not None
    history = json.loads(json.dumps([ASK, *answered(first.reply)]))
    second = await hear(client, history)
    await client.close()
    assert second.error is None, second.error
    assert second.text == "All done."
    return history


def test_s13_reasoning_goes_back_where_it_came_from() -> None:
    with ScriptedModel(THOUGHT, rules=[providers.echo_reasoning, *providers.STRICT]) as model:
        run(two_turns(model))
    assert sent(model)[0]["reasoning_content"] == "I need x."
    assert len(model.requests) == 2


def test_s14_reasoning_stays_away_where_it_is_refused_and_that_is_remembered() -> None:
    with ScriptedModel(THOUGHT, rules=[providers.forbid_extra, *providers.STRICT]) as model:
        history = run(two_turns(model))
        assert [request.broke is None for request in model.requests] == [True, False, True]
        run(hear_once(at(model), history))
    assert model.requests[-1].broke is None
    assert len(model.requests) == 4


def test_one_chat_moves_from_a_provider_that_wants_reasoning_to_one_that_forbids_it_and_back() -> None:
    strict = [Step(raw=t.kept("S_final_ok"))]
    with (
        ScriptedModel(THOUGHT, rules=[providers.echo_reasoning, *providers.STRICT]) as keeper,
        ScriptedModel(strict, rules=[providers.forbid_extra, providers.forbid_extra_on_calls]) as stranger,
        ScriptedModel(strict, rules=[providers.echo_reasoning, *providers.STRICT]) as wanting,
    ):
        history = run(two_turns(keeper))
        assert run(hear_once(at(stranger), history)).error is None
        assert run(hear_once(at(wanting), history)).error is None
    assert len(stranger.requests) == 1, "another endpoint's thinking is not even offered"
    assert sent(wanting)[0]["reasoning_content"] == "I need x."


def test_a_turn_without_reasoning_gets_a_filler_where_it_is_demanded() -> None:
    script = [Step(calls=[Call("run_python", {"code": "x = 1"})]), Step(raw=t.kept("S_final_ok"))]
    with ScriptedModel(script, rules=[providers.echo_reasoning]) as model:
        run(two_turns(model))
    assert sent(model)[0]["reasoning_content"]


def test_s15_a_signature_goes_back_verbatim_on_its_call() -> None:
    with ScriptedModel(SIGNED, rules=[providers.echo_extra_content, *providers.STRICT]) as model:
        run(two_turns(model))
    assert sent(model)[0]["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "c2lnLTAwMQ=="}}
    assert len(model.requests) == 2


def test_s15_a_signature_is_not_shown_to_another_provider() -> None:
    with (
        ScriptedModel(SIGNED) as issuer,
        ScriptedModel(["ok"], rules=[providers.forbid_extra, providers.forbid_extra_on_calls]) as other,
    ):
        history = run(two_turns(issuer))
        assert run(hear_once(at(other), history)).error is None
    assert len(other.requests) == 1


def test_s15_a_moved_endpoint_that_wants_the_signature_gets_it() -> None:
    with ScriptedModel(SIGNED) as before:
        history = run(two_turns(before))
    with ScriptedModel(["ok"], rules=[providers.echo_extra_content]) as after:
        assert run(hear_once(at(after), history)).error is None


@pytest.mark.parametrize(
    ("rule", "tool_choice"),
    [
        (providers.no_stream_options, None),
        (providers.no_tools, None),
        (providers.no_tool_choice_none, "none"),
        (providers.tool_id_9, None),
    ],
)
def test_one_retry_learns_what_an_endpoint_refuses(rule: providers.Rule, tool_choice: str | None) -> None:
    calls = [{"id": "call_abc", "type": "function", "function": {"name": "get_stats", "arguments": "{}"}}]
    history = [
        ASK,
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_abc", "content": "3 notes"},
    ]
    with ScriptedModel(["ok"], rules=[rule, *providers.STRICT]) as model:
        first = run(hear_once(at(model), history, tool_choice=tool_choice))
        again = run(hear_once(at(model), history, tool_choice=tool_choice))
    assert (first.text, again.text) == ("ok", "ok")
    assert [request.broke is None for request in model.requests] == [False, True, True]


def test_leaving_tools_out_is_said() -> None:
    with ScriptedModel(["ok"], rules=[providers.no_tools]) as model:
        heard = run(hear_once(at(model)))
    assert heard.reply is not None
    assert "no tools" in heard.reply.notes[0]


def test_where_tool_choice_is_refused_the_closing_request_has_no_tools() -> None:
    closing = request_body([ASK], model="m", tools=TOOLS, tool_choice="none", quirks=Quirks(tool_choice=False))
    open_one = request_body([ASK], model="m", tools=TOOLS, quirks=Quirks(tool_choice=False))
    assert "tools" not in closing
    assert "tool_choice" not in closing
    assert open_one["tools"] == TOOLS


def test_the_closing_request_keeps_its_tools_listed() -> None:
    body = request_body([ASK], model="m", tools=TOOLS, tool_choice="none")
    assert (body["tools"], body["tool_choice"]) == (TOOLS, "none")


def test_an_empty_list_of_tools_is_left_out() -> None:
    body = request_body([ASK], model="m", tools=[], tool_choice="none")
    assert not {"tools", "tool_choice"} & set(body)


def test_private_keys_and_lone_surrogates_stay_here_and_the_history_is_not_touched() -> None:
    message = {"role": "user", "content": "a \ud83d", "_round": "r1", "_origin": "elsewhere"}
    body = request_body([message], model="m")
    assert set(body["messages"][0]) == {"role", "content"}
    json.dumps(body, ensure_ascii=False).encode()
    assert message["_round"] == "r1"


def test_an_assistant_that_said_nothing_is_sent_with_a_word() -> None:
    body = request_body([ASK, {"role": "assistant", "content": ""}], model="m")
    assert providers.content_or_calls(body) is None


REASONED: Message = {
    "role": "assistant",
    "content": None,
    "reasoning_content": "hm",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}


@pytest.mark.parametrize(
    ("status", "text", "changed"),
    [
        (400, "Missing `reasoning_content` field in the assistant message at message index 2", {"reasoning": "all"}),
        (422, "messages.1.reasoning_content: Extra inputs are not permitted", {"reasoning": "never"}),
        (400, "property 'messages.1.reasoning_content' is unsupported", {"reasoning": "never"}),
        (400, "Please remove the reasoning_content from your message; it will not be included", {"reasoning": "never"}),
        (400, "Unrecognized request argument supplied: stream_options", {"stream_options": False}),
        (400, '"auto" tool choice requires --enable-auto-tool-choice', {"tools": False}),
        (404, "No endpoints found that support tool use.", {"tools": False}),
        (500, "tools param requires --jinja flag", {"tools": False}),
        (400, "Invalid 'messages[1].tool_calls[0].id': string too long.", {"short_ids": True}),
        (400, "temperature must be at most 2", None),
        (401, "reasoning_content: extra inputs are not permitted", None),
        (404, "model 'x' not found, try pulling it first", None),
        (500, "internal error while calling a function", None),
    ],
)
def test_a_refusal_teaches_at_most_one_thing(status: int, text: str, changed: dict[str, object] | None) -> None:
    body = request_body([ASK, REASONED], model="m", tools=TOOLS)
    learnt = learn(Quirks(), status, text, body)
    assert learnt == (Quirks(**changed) if changed else None)  # type: ignore[arg-type]


def test_a_refusal_of_what_was_not_sent_teaches_nothing() -> None:
    body = request_body([ASK], model="m", quirks=Quirks(stream_options=False))
    assert learn(Quirks(stream_options=False), 400, "unknown parameter: stream_options", body) is None
    assert learn(Quirks(), 400, "this model does not support tools", body) is None


def test_short_ids_keep_each_call_with_its_result() -> None:
    result = {"role": "tool", "tool_call_id": "c", "content": "x"}
    body = request_body([ASK, REASONED, result], model="m", quirks=Quirks(short_ids=True))
    assert providers.pair_tool_calls(body) is None
    assert providers.tool_id_9(body) is None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": {"message": "no", "type": "x"}}, "no"),
        ({"error": "no"}, "no"),
        ({"detail": [{"msg": "no", "loc": ["body", "tools"]}]}, '[{"msg": "no", "loc": ["body", "tools"]}]'),
        ({"message": "no"}, "no"),
        ("<html>no</html>", "<html>no</html>"),
        (None, ""),
    ],
)
def test_an_error_body_is_read_in_any_shape(body: object, text: str) -> None:
    assert error_text(body) == text
