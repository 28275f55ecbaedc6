"""Each odd stream gives the same right reply however it is cut on the wire and however the connection ends."""

from __future__ import annotations

import pytest

from nephele_nb.model.client import ModelClient
from nephele_nb.model.scripted import ScriptedModel, Step
from tests.model import transcripts as t
from tests.model.conversation import ASK, CHUNKINGS, Heard, answered, at, hear, run
from tests.model.providers import STRICT
from tests.model.rightness import CALLS, ENDS, LIMIT, Right


@pytest.mark.parametrize("name", [*CALLS, *ENDS])
def test_stream(name: str) -> None:
    raw, right = (CALLS | ENDS)[name]
    for heard in run(every_way(raw)):
        check(heard, right)


async def every_way(raw: bytes) -> list[Heard]:
    """Play a transcript in every cut and with both ends, each followed by a request to a strict provider."""
    all_heard = []
    with ScriptedModel([Step(raw=raw)], rules=STRICT) as model:
        client = ModelClient(at(model))
        for chunking in CHUNKINGS:
            for end in ("clean", "drop"):
                model.chunking, model.end = chunking, end
                heard = await hear(client)
                all_heard.append(heard)
                if heard.reply is not None and chunking == "event":
                    await hear(client, [ASK, *answered(heard.reply), ASK])
        await client.close()
    assert [request.broke for request in model.requests if request.broke] == []
    return all_heard


def check(heard: Heard, right: Right) -> None:
    assert (heard.error.code if heard.error else None) == right.error
    assert heard.text == right.text
    if heard.reply is None:
        return
    reply = heard.reply
    assert (reply.text, reply.thinking, heard.thinking) == (right.text, right.thinking, right.thinking)
    assert tuple((call.name, call.arguments) for call in reply.calls) == right.calls
    assert all((right.fault in (call.fault or "")) if right.fault else call.fault is None for call in reply.calls)
    assert reply.cut == right.cut
    if right.ids is not None:
        assert tuple(call.id for call in reply.calls) == right.ids
    if right.usage is not None:
        assert reply.usage == right.usage
    sent = [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in reply.message.get("tool_calls", ())]
    assert sent == [(call.id, call.name, call.arguments) for call in reply.calls]


def test_an_error_inside_a_success_brings_the_providers_words() -> None:
    heard = next(iter(run(every_way(t.kept("S07_inband_error_midway")))))
    assert heard.error is not None
    assert "upstream disconnected" in str(heard.error)
    assert heard.error.retryable


def test_only_a_limit_is_called_a_limit() -> None:
    heard = run(every_way(CALLS["S01"][0].replace(b'{\\"code\\": \\"x = 1\\"}', b'{\\"code\\": \\"x')))[0]
    assert heard.reply is not None
    assert [LIMIT in (call.fault or "") for call in heard.reply.calls] == [False, False, False]
    assert heard.reply.calls[0].fault is not None
