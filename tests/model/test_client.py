"""The door: it closes at once when told, keeps its deadlines, waits when asked to, and says what went wrong."""

from __future__ import annotations

import asyncio
import importlib
import socket
import traceback
from collections.abc import Callable
from contextlib import aclosing

import pytest

from nephele_nb.model.client import ModelClient, Waiting
from nephele_nb.model.failure import foreign_errors, from_foreign
from nephele_nb.model.scripted import ScriptedModel, Step
from nephele_nb.model.tiers import endpoint
from tests.model import transcripts as t
from tests.model.conversation import ASK, KEY, Heard, at, hear, hear_once, run

SLOW = Step(raw=t.kept("L08_slow_200_tokens"))


async def until(true: Callable[[], bool]) -> None:
    """Wait until something holds, or fail after a time that only a fault takes."""
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.01)


def test_l08_closing_the_stream_hangs_up_at_once() -> None:
    async def work(model: ScriptedModel) -> None:
        client = ModelClient(at(model))
        words = 0
        async with aclosing(client.stream([ASK])) as deltas:
            async for _ in deltas:
                words += 1
                if words == 10:
                    break
        await until(lambda: model.requests[0].client_gone)
        assert model.requests[0].pieces_sent < 100
        model.delay_s = 0.0
        assert (await hear(client)).text.endswith("w199 ")
        await client.close()

    with ScriptedModel([SLOW], delay_s=0.03) as model:
        run(work(model))


@pytest.mark.parametrize("first_delay_s", [0.0, 30.0], ids=["mid-stream", "before the first byte"])
def test_l08_cancelling_the_task_hangs_up_at_once(first_delay_s: float) -> None:
    async def work(model: ScriptedModel) -> None:
        client = ModelClient(at(model))
        heard = Heard()

        async def listen() -> None:
            async for delta in client.stream([ASK]):
                heard.take(delta)

        task = asyncio.create_task(listen())
        await until(lambda: bool(model.requests and (heard.text or first_delay_s)))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: model.requests[0].client_gone)
        assert model.requests[0].pieces_sent < 100
        assert heard.reply is None
        await client.close()

    with ScriptedModel([SLOW], delay_s=0.03, first_delay_s=first_delay_s) as model:
        run(work(model))


def test_a_slow_reader_is_not_taken_for_a_silent_server() -> None:
    async def work(model: ScriptedModel) -> None:
        client = ModelClient(at(model), chunk_timeout_s=0.2)
        heard = Heard()
        async for delta in client.stream([ASK]):
            heard.take(delta)
            await asyncio.sleep(0.3 if not heard.text else 0)
        assert heard.reply is not None
        await client.close()

    with ScriptedModel(["one two three"], chunking="event") as model:
        run(work(model))


async def within(model: ScriptedModel, **limits: float) -> Heard:
    client = ModelClient(at(model), **limits)
    try:
        return await hear(client)
    finally:
        await client.close()


@pytest.mark.parametrize("where", ["headers", "body"])
def test_a_model_that_does_not_begin_is_given_up(where: str) -> None:
    raw = b": ping\n\n" * 400
    delays = {"first_delay_s": 30.0} if where == "headers" else {"delay_s": 0.05}
    with ScriptedModel([Step(raw=raw)], **delays) as model:
        heard = run(within(model, first_byte_timeout_s=0.4))
    assert heard.error is not None
    assert (heard.error.code, heard.error.retryable) == ("timeout", True)
    assert "first_byte_timeout_s" in str(heard.error)


def test_a_model_that_falls_silent_is_given_up_and_its_text_stays() -> None:
    with ScriptedModel([Step(raw=t.stream(t.say("Half "), done=False) + b": x\n\n")], delay_s=0.5) as model:
        heard = run(within(model, chunk_timeout_s=0.2))
    assert heard.error is not None
    assert heard.error.code == "timeout"
    assert "chunk_timeout_s" in str(heard.error)
    assert heard.text == "Half "


def test_a_stream_held_open_after_its_end_is_taken_as_ended() -> None:
    raw = t.stream(t.say("Whole."), t.end(), done=False) + b": still here\n\n" * 3
    with ScriptedModel([Step(raw=raw)], delay_s=0.6) as model:
        heard = run(within(model, chunk_timeout_s=0.8))
    assert heard.text == "Whole."
    assert heard.reply is not None


def test_no_limit_is_a_limit_of_zero() -> None:
    with ScriptedModel(["ok"]) as model:
        heard = run(within(model, connect_timeout_s=0, first_byte_timeout_s=0, chunk_timeout_s=0))
    assert heard.text == "ok"


@pytest.mark.parametrize(("status", "reason"), [(429, "rate_limit"), (503, "server")])
def test_it_waits_as_it_is_asked_to_and_counts_down(status: int, reason: str) -> None:
    busy = Step(say="slow down", status=status, headers={"retry-after": "2"})
    with ScriptedModel([busy, "ok"]) as model:
        heard = run(hear_once(at(model)))
    assert heard.waits == [Waiting(reason, 2.0), Waiting(reason, 1.0)]
    assert heard.text == "ok"


@pytest.mark.parametrize(
    ("headers", "requests"), [({"retry-after": "0"}, 3), ({"retry-after": "3600"}, 1), ({"retry-after-ms": "1"}, 3)]
)
def test_it_gives_up_after_three_tries_or_a_minute(headers: dict[str, str], requests: int) -> None:
    with ScriptedModel([Step(say="slow down", status=429, headers=headers)]) as model:
        heard = run(hear_once(at(model)))
    assert heard.error is not None
    assert (heard.error.code, heard.error.retryable) == ("rate_limit", True)
    assert len(model.requests) == requests


def test_an_empty_account_is_not_waited_for() -> None:
    spent = Step(say="You exceeded your current quota: insufficient_quota", status=429, headers={"retry-after": "1"})
    with ScriptedModel([spent]) as model:
        heard = run(hear_once(at(model)))
    assert heard.error is not None
    assert not heard.error.retryable
    assert len(model.requests) == 1


FAILURES = {
    "key": (Step(say="Incorrect API key provided", status=401), "auth", "check api_key"),
    "model": (Step(say="model 'scripted' not found", status=404), "not_found", "'scripted'"),
    "page": (Step(raw=b"<!DOCTYPE html><html></html>", status=404), "not_found", "most end in /v1"),
    "page in a 200": (Step(raw=b"<html><body>Sign in</body></html>"), "not_found", "web page"),
    "json in a 200": (Step(raw=b'{"error": {"message": "bad upstream"}}'), "provider", "bad upstream"),
    "other json in a 200": (Step(raw=b'{"status": "up"}'), "provider", "not a chat stream"),
    "too long": (Step(say="maximum context length is 8192 tokens", status=400), "bad_request", "start a new one"),
    "bad": (Step(say="temperature must be at most 2", status=400), "bad_request", "temperature must be"),
    "broken": (Step(raw=b"Bad Gateway", status=502), "server", "Bad Gateway"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_says_what_to_do(name: str) -> None:
    step, code, words = FAILURES[name]
    with ScriptedModel([step]) as model:
        heard = run(hear_once(at(model)))
    assert heard.error is not None
    assert heard.error.code == code
    assert words in str(heard.error)


def test_nothing_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        where = endpoint("byok", f"http://127.0.0.1:{taken.getsockname()[1]}/v1", KEY, "m")
        heard = run(hear_once(where))
    assert heard.error is not None
    assert (heard.error.code, heard.error.retryable) == ("network", True)
    assert "Nothing listens" in str(heard.error)


def test_http_where_https_was_meant() -> None:
    with ScriptedModel(["ok"]) as model:
        heard = run(hear_once(at(model, base_url=model.base_url.replace("http:", "https:"))))
    assert heard.error is not None
    assert "safe connection" in str(heard.error)


def test_the_key_is_in_no_error() -> None:
    said = f"the key {KEY} is wrong"
    for step in (
        Step(say=said, status=401),
        Step(say=said, status=400),
        Step(raw=said.encode(), status=500),
        Step(raw=t.stream({"error": said})),
        Step(raw=t.stream(f"data: {{{said}\n\n")),
        Step(raw=said.encode()),
    ):
        with ScriptedModel([step]) as model:
            heard = run(hear_once(at(model)))
            assert KEY not in repr(at(model))
        assert heard.error is not None
        assert KEY not in "".join(traceback.format_exception(heard.error))
        assert "***" in str(heard.error)


def test_every_error_of_the_library_is_mapped() -> None:
    import openai

    where = endpoint("byok", "http://127.0.0.1:1/v1", KEY, "m")
    library, *transport = foreign_errors()
    assert library is openai.OpenAIError
    for kind in transport:
        assert from_foreign(where, kind("broken"), 10).code == "network"
    foreign = importlib.import_module(transport[0].__module__.partition(".")[0])
    request = foreign.Request("POST", where.base_url)
    assert from_foreign(where, openai.APITimeoutError(request), 10).code == "timeout"
    assert from_foreign(where, openai.APIConnectionError(request=request), 10).code == "network"
    for status in (400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 429, 500, 503, 529):
        response = foreign.Response(status, request=request, text="said")
        mapped = from_foreign(where, openai.APIStatusError("said", response=response, body=None), 10)
        assert "said" in str(mapped)
        assert mapped.retryable == (status in (408, 429) or status >= 500)


def test_an_endpoint_with_one_model_needs_no_name() -> None:
    with ScriptedModel(["ok"]) as model:
        heard = run(hear_once(at(model, name="")))
    assert heard.text == "ok"
    assert model.requests[0].body["model"] == "scripted"


def test_the_key_is_sent_and_a_server_without_one_gets_a_word() -> None:
    async def work(model: ScriptedModel) -> None:
        await hear_once(endpoint("byok", model.base_url, "", "m"))

    with ScriptedModel(["ok"]) as model:
        run(work(model))
    assert "authorization" not in model.requests[0].headers


def test_organisation_of_the_environment_goes_to_no_other_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-mine")
    with ScriptedModel(["ok"]) as model:
        run(hear_once(at(model)))
    assert not [name for name in model.requests[0].headers if name.startswith("openai-")]


def test_call_ids_are_unique_in_a_conversation() -> None:
    raw = t.stream(t.call("{}", "get_stats", index=0, id="call_r1"), t.end("tool_calls"))

    async def work(model: ScriptedModel) -> list[str]:
        client = ModelClient(at(model))
        history, ids = [ASK], []
        for _ in range(3):
            heard = await hear(client, history)
            assert heard.reply is not None
            history += [heard.reply.message, {"role": "tool", "tool_call_id": heard.reply.calls[0].id, "content": "1"}]
            ids.append(heard.reply.calls[0].id)
        await client.close()
        return ids

    with ScriptedModel([Step(raw=raw)]) as model:
        ids = run(work(model))
    assert ids[0] == "call_r1"
    assert len(set(ids)) == 3
