"""A tape gives back what it heard, offline, and refuses a conversation that it doesn't hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.errors import SettingError
from nephele_nb.events import StreamChunk, ToolFinish
from nephele_nb.model.client import ModelClient
from nephele_nb.model.ordinals import Ordinals, plain_events
from nephele_nb.model.scripted import Call, ScriptedModel, Step
from nephele_nb.model.tape import Exchange, Tape, load
from nephele_nb.model.taped import tape_for, through
from nephele_nb.secrets import Secrets
from nephele_nb.settings import Effective, Nephele
from nephele_nb.types import Message
from tests.model import providers
from tests.model.conversation import ASK, KEY, Heard, answered, at, hear, run
from tests.model.rightness import CALLS, ENDS

ODD = CALLS | ENDS


BARE = Secrets(Effective(Nephele(), {"api_key": KEY}), {})


def client_for(tape: Tape, model: ScriptedModel | None = None) -> ModelClient:
    endpoint = at(model) if model else tape.endpoint
    return ModelClient(endpoint, through=through(tape, endpoint))


async def one(client: ModelClient, *messages: Message) -> Heard:
    try:
        return await hear(client, messages or (ASK,))
    finally:
        await client.close()


def recorded(path: Path, *steps: Step | str, rules: tuple[providers.Rule, ...] = ()) -> list[Heard]:
    """Record one request for each step, each with what came before in its history."""
    tape = Tape(path, False, BARE)
    return played(tape, len(steps), ScriptedModel(steps, rules=rules).start())


def played(tape: Tape, requests: int, model: ScriptedModel | None = None) -> list[Heard]:
    async def work() -> list[Heard]:
        client, history, heard = client_for(tape, model), [ASK], []
        for _ in range(requests):
            heard.append(await hear(client, history))
            reply = heard[-1].reply
            history += [*(answered(reply) if reply else ()), ASK]
        await client.close()
        return heard

    try:
        return run(work())
    finally:
        if model is not None:
            model.close()


@pytest.mark.parametrize("name", [*ODD])
def test_a_replay_hears_what_was_heard(name: str, tmp_path: Path) -> None:
    (live,) = recorded(tmp_path / "t.tape", Step(raw=ODD[name][0]))
    (again,) = played(load(tmp_path / "t.tape", BARE), 1)
    assert (again.text, again.thinking) == (live.text, live.thinking)
    assert (again.reply is None) == (live.reply is None)
    if live.reply and again.reply:
        assert again.reply.calls == live.reply.calls
        assert (again.reply.usage, again.reply.cut) == (live.reply.usage, live.reply.cut)
    assert (again.error and again.error.code) == (live.error and live.error.code)


def test_what_was_learnt_is_replayed_too(tmp_path: Path) -> None:
    live = recorded(tmp_path / "t.tape", "one", "two", rules=(providers.no_stream_options,))
    again = played(load(tmp_path / "t.tape", BARE), 2)
    assert [h.text for h in again] == [h.text for h in live] == ["one", "two"]
    assert (tmp_path / "t.tape").read_text("utf-8").count("=== request") == 3


def test_a_request_that_was_made_again_is_on_the_tape_as_it_went_well(tmp_path: Path) -> None:
    steps = [Step(say="busy", status=503, headers={"retry-after": "0"}), "one"]
    live = played(Tape(tmp_path / "t.tape", False, BARE), 1, ScriptedModel(steps).start())
    tape = load(tmp_path / "t.tape", BARE)
    assert [exchange.status for exchange in tape.exchanges] == [200]
    (again,) = played(tape, 1)
    assert [h.text for h in live] == [again.text] == ["one"]
    assert tape.left() == ""


@pytest.mark.parametrize("before", [[], ["one"]])
def test_a_request_that_failed_is_not_on_the_tape(before: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.tape"
    *_, last = recorded(path, *before, Step(say="no credit: insufficient_quota", status=429))
    assert "no credit left" in str(last.error)
    assert path.exists() == bool(before)
    if before:
        one, failed = played(load(path, BARE), 2)
        assert (one.text, failed.error and failed.error.code) == ("one", "tape")


def test_no_answer_at_all_is_not_on_the_tape(tmp_path: Path) -> None:
    model = ScriptedModel(["never"]).start()
    where = at(model)
    model.close()
    tape = Tape(tmp_path / "t.tape", False, BARE)
    live = run(one(ModelClient(where, through=through(tape, where))))
    assert live.error is not None
    assert (live.error.code, tape.asked, tape.path.exists()) == ("network", 0, False)


def test_the_file_is_readable_and_tells_each_thing_once(tmp_path: Path) -> None:
    path = tmp_path / "t.tape"
    call = Step(calls=[Call("run_python", {"code": 'print("héllo 世界")\nx = 1'})])
    recorded(path, call, "Done.")
    text = path.read_text("utf-8")
    assert text.startswith("nephele tape 1\ntier: byok\nmodel: scripted\n")
    assert text.count('name: "search_notes"') == 1
    assert "= the first 4 parts are as in the request before" in text
    assert 'print(\\"héllo 世界\\")' in text
    assert "data: [DONE]" in text
    assert re.search(r"--- timing first byte \d+ ms, whole \d+ ms, \d+ pieces", text)


def test_secrets_are_not_on_the_tape(tmp_path: Path) -> None:
    tape = Tape(tmp_path / "t.tape", False, BARE)
    ask = {"role": "user", "content": f"my key is {KEY}"}
    with ScriptedModel([f"You said {KEY}."]) as model:
        model_answer = run(one(client_for(tape, model), ask))
    assert KEY not in tape.path.read_text("utf-8")
    assert KEY in model_answer.text
    assert run(one(client_for(load(tape.path, BARE)), ask)).text == "You said [secret]."


def test_another_conversation_is_refused_with_a_diff(tmp_path: Path) -> None:
    recorded(tmp_path / "t.tape", "one")
    heard = run(one(client_for(load(tmp_path / "t.tape", BARE)), {"role": "user", "content": "go off"}))
    assert heard.error is not None
    assert (heard.error.code, heard.error.retryable) == ("tape", False)
    first, *rest = str(heard.error).split("\n")
    assert "no longer matches" in first
    assert {'-  content: "go on"', '+  content: "go off"'} <= set(rest)


def test_a_tape_that_has_run_out_says_so(tmp_path: Path) -> None:
    recorded(tmp_path / "t.tape", "one")
    _, second = played(load(tmp_path / "t.tape", BARE), 2)
    assert "no request left" in str(second.error)


def result(nonce: str, text: str = "x", call: str = "call_9") -> list[Message]:
    function = {"name": "run_python", "arguments": "{}"}
    return [
        {"role": "system", "content": f"Began on 2026-11-{nonce[:2]} 10:00 UTC."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": call, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": call, "content": f"<<result {nonce}>>\n{text}\n<<end {nonce}>>"},
        {
            "role": "user",
            "content": f"<round-context>\n2026-11-30 1{nonce[0]}:00\n</round-context>\nat 2026-11-30 10:00",
        },
    ]


def numbered(messages: list[Message]) -> list[Message]:
    ordinals = Ordinals()
    return [ordinals.message(m) for m in messages]


def test_only_what_a_run_makes_up_is_numbered() -> None:
    one = numbered(result("12ab34cd56ef", "<Thing at 0x7f00aa11bb22>", "call_1"))
    assert one == numbered(result("23cd45ef6701", "<Thing at 0x7f99cc88dd77>", "call_2"))
    assert one != numbered(result("12ab34cd56ef", "<Thing at 12>", "call_1"))
    assert one[2]["content"].startswith("<<result nonce-1>>\n<Thing at address-1>")
    assert one[3]["content"].endswith("\nat 2026-11-30 10:00")


def test_a_mix_up_of_ids_still_shows() -> None:
    messages = result("12ab34cd56ef", call="call_1")
    other = [*messages[:2], messages[2] | {"tool_call_id": "call_2"}, messages[3]]
    assert numbered(messages) != numbered(other)


def test_events_of_two_runs_compare() -> None:
    def events(call: str, seconds: float) -> list[StreamChunk | ToolFinish]:
        end = f"done<!--UNDO:{call}-->"
        return [ToolFinish(call, "t", True, "r", seconds, round_id="r" + call), StreamChunk(end, round_id="r" + call)]

    assert plain_events(events("aa11", 0.2)) == plain_events(events("bb22", 0.7))


@given(st.text(), st.text())
def test_any_text_comes_back_from_the_file(tmp_path_factory: pytest.TempPathFactory, asked: str, said: str) -> None:
    path = tmp_path_factory.mktemp("tape") / "t.tape"
    tape = Tape(path, False, BARE)
    body = {"messages": [{"role": "user", "content": asked}, {"role": "user", "content": said}], "model": "m"}
    said = said.encode("utf-8", "replace").decode()
    tape.keep(Exchange(tape.outline(body), 200, {"retry-after": "1"}, said))
    tape.keep(Exchange(tape.outline(body), 200, {}, said))
    assert load(path, BARE).exchanges == tape.exchanges


@pytest.mark.parametrize(
    ("there", "settings", "replaying"),
    [
        (True, {"tape": "t.tape"}, True),
        (False, {"tape": "t.tape"}, False),
        (True, {"tape": "t.tape", "tape_mode": "record"}, False),
        (True, {"tape_mode": "replay"}, True),
        (True, {}, None),
    ],
)
def test_the_settings_say_which(
    there: bool, settings: dict[str, str], replaying: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if there:
        recorded(tmp_path / "t.tape", "one")
    tape = tape_for(Effective(Nephele(), settings), "folder/t.ipynb", BARE)
    assert (tape and tape.replaying) == replaying


@pytest.mark.parametrize("mode", ["replay", "record", "auto"])
def test_a_mode_is_no_file(mode: str) -> None:
    with pytest.raises(SettingError, match=f"tape_mode='{mode}'"):
        tape_for(Effective(Nephele(), {"tape": mode}), None, BARE)
    assert tape_for(Effective(Nephele(), {"tape": f"./{mode}", "tape_mode": "record"}), None, BARE)


def test_the_environment_says_which() -> None:
    settings = Nephele()
    settings.apply_environment({"NEPHELE_TAPE": "replay", "NEPHELE_TAPE_FILE": "t.tape"})
    assert (settings.tape_mode, settings.tape) == ("replay", "t.tape")


def test_no_tape_and_no_tape_file_are_said(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="record it first"):
        load(tmp_path / "t.tape", BARE)
    (tmp_path / "t.tape").write_text("{}")
    with pytest.raises(SettingError, match="not a tape"):
        load(tmp_path / "t.tape", BARE)
