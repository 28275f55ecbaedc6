"""What is known to be secret leaves the kernel in no result, event, journal line or request."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb.errors import ModelError
from nephele_nb.events import LoopError, to_dict
from nephele_nb.model.scripted import Call, ScriptedModel, Step
from nephele_nb.secrets import MARK, Secrets
from nephele_nb.settings import Effective, Nephele
from tests.loop.session import Session, python, search

Start = Callable[..., Session]
CANARY = "canary-3f9a/7712+xyz"


def told(s: Session, tmp_path: Path) -> str:
    """Return all that left: requests, events, the journal."""
    journal = "".join(p.read_text("utf-8") for p in (tmp_path / "home" / "journal").glob("*.jsonl"))
    return f"{s.bodies}{[to_dict(e) for r in s.agent.runs for e in r.events]}{journal}"


@pytest.mark.parametrize(
    "code",
    [
        "import os; print('the value is', os.environ['WEATHER_API_KEY'])",
        "import os; os.environ['WEATHER_API_KEY']",
        "import os; raise RuntimeError(os.environ['WEATHER_API_KEY'])",
        "import os; dict(os.environ)",
    ],
)
def test_a_canary_that_code_prints_stays_here(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", CANARY)
    s = session([python(code), "Done."], approve="always")
    s.ask()
    assert CANARY not in told(s, tmp_path)
    assert MARK in s.results()[0]


def test_a_canary_that_the_user_types_stays_here(session: Start, tmp_path: Path) -> None:
    s = session([python("x = 1"), "Done.", "Next."], api_key=CANARY)
    run = s.agent.ask(f"my key is {CANARY}, does it work?")
    s.pending(run)
    run.steer(f"or is it {CANARY} that is wrong?")
    s.finish(run)
    s.ask(f"// {CANARY}?")
    assert CANARY not in told(s, tmp_path)
    assert f"my key is {MARK}, does it work?" in str(s.bodies[0])
    assert f"or is it {MARK}" in str(s.bodies[1])


def test_a_canary_in_a_note_and_in_an_edit_stays_here(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", CANARY)
    s = session([search("budget"), python("x = 1"), "Done."])
    s.agent.library.add_note("Budget", f"budget password: {CANARY}")
    run = s.agent.ask("go")
    s.pending(run).approve(f"x = '{CANARY}'")
    s.finish(run)
    assert s.names["x"] == CANARY
    assert CANARY not in str(s.bodies)
    (operation,) = s.agent.journal.operations(run.round_id)
    assert operation.executed == f"x = '{MARK}'"


def test_a_tool_of_the_users_own_is_held_to_it(session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", CANARY)

    def call_home(n: int) -> str:
        """Call home."""
        raise ValueError(f"GET /?token={CANARY}")

    s = session([Step(calls=[Call("call_home", {"n": 1})]), "Done."])
    s.agent.tools.register(call_home, effect="reads")
    s.ask()
    assert CANARY not in told(s, tmp_path)


def secrets(environ: dict[str, str], **settings: str) -> Secrets:
    return Secrets(Effective(Nephele(), settings), environ)


def test_what_counts_as_secret() -> None:
    environ = {
        "OPENAI_API_KEY": "sk-aaaaaaaa",
        "github_token": "ghp_bbbbbbbb",
        "SHORT_KEY": "1234567",
        "KEYBOARD": "qwertz-layout",
        "HOME": "some/long/home",
        "OPENAI_BASE_URL": "http://user:pa%20ssword@host/v1",
    }
    held = secrets(environ, api_key="sk-cccccccc").values()
    assert {"sk-aaaaaaaa", "ghp_bbbbbbbb", "sk-cccccccc", "pa%20ssword"} <= set(held)
    assert not {"1234567", "qwertz-layout", "some/long/home"} & set(held)


def test_what_a_local_server_is_told_in_place_of_a_key_is_no_secret() -> None:
    known = Secrets(Effective(Nephele(), {"api_key": "lm-studio"}), {"MY_API_KEY": "lm-studio2"})
    assert known.hide("client(key='lm-studio', other='lm-studio2')") == f"client(key='lm-studio', other='{MARK}')"


def test_a_secret_is_hidden_whole_and_in_an_address() -> None:
    held = secrets({"A_KEY": CANARY, "B_KEY": CANARY[:12]})
    assert held.hide(f"a {CANARY} b") == f"a {MARK} b"
    assert held.hide("q=canary-3f9a%2F7712%2Bxyz&") == f"q={MARK}&"
    assert held.hide_in({"a": [CANARY, 1]}) == {"a": [MARK, 1]}


@pytest.mark.parametrize("size", [1, 3, 7, 50])
def test_a_secret_cut_in_pieces_is_hidden(size: int) -> None:
    held = secrets({"A_KEY": CANARY})
    text = f"before {CANARY} between {CANARY} after"
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    hidden = held.hide_pieces(pieces)
    assert len(hidden) == len(pieces)
    assert "".join(hidden) == held.hide(text)


@pytest.mark.parametrize("size", [1, 3, 7, 50])
def test_a_secret_that_is_still_coming_is_hidden_and_the_rest_is_told_at_once(size: int) -> None:
    held = secrets({"A_KEY": CANARY, "B_KEY": f"{CANARY}-longer", "C_KEY": "xyz-canal"})
    for text in (
        f"a {CANARY} b",
        f"{CANARY}-longer{CANARY}",
        f"{CANARY}-canal",
        "canary-3f9a",
        f"xy{CANARY}-long canary",
    ):
        sieve = held.sieve()
        told = ""
        for at in range(0, len(text), size):
            told += sieve.feed(text[at : at + size])
            behind = text[: at + size]
            assert not behind.endswith(" b") or told.endswith(" b")
        assert told + sieve.end() == held.hide(text)
        assert CANARY not in told


def test_a_secret_is_hidden_however_json_spells_it() -> None:
    odd = 'pass"word\\ü'
    held = secrets({"A_PASSWORD": odd})
    code = json.dumps({"code": f"x = {odd}"})
    for text in (odd, code, json.dumps({"arguments": code}), json.dumps({"arguments": code}, ensure_ascii=False)):
        assert held.hide(text).count(MARK) == 1
    escaped = "".join(f"\\u{ord(character):04x}" for character in odd)
    assert json.loads(held.hide_json(f'{{"code": "{escaped}"}}')) == {"code": MARK}
    assert held.hide_json('{"code":  "x"}') == '{"code":  "x"}'


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_canary_that_the_model_writes_stays_here(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", CANARY)
    tape = tmp_path / "talk.tape"
    steps = [
        python(f"key = '{CANARY}'", say=f"I use {CANARY} now.", think=f"The key is {CANARY}!", chunk_chars=size),
        Step(say=f"It is {CANARY}", chunk_chars=size),
    ]
    s = session(steps, approve="always", tape=str(tape), tape_mode="record")
    run, answer = s.ask()
    s.agent.close()
    everything = told(s, tmp_path) + tape.read_text("utf-8") + repr(s.agent.history) + answer.text
    assert CANARY not in everything
    assert everything.count("canary-3") == 0
    assert answer.text.startswith(f"It is {MARK}")
    assert s.names["key"] == MARK
    assert run.events[-1].kind == "LoopDone"


def test_a_canary_of_a_note_is_in_no_plain_answer(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", CANARY)
    s = session(["It is there [1]."], mode="chat")
    s.agent.library.add_note(f"Budget {CANARY}", f"The budget password is {CANARY} for now.")
    s.ask("budget password?")
    s.ask("budget password?", tier="lite")
    assert CANARY not in told(s, tmp_path)
    assert MARK in str(s.bodies)


ECHO = f"Authorization: Bearer {CANARY}"
FAULTS: dict[str, Step] = {
    "400": Step(say=ECHO, status=400),
    "401": Step(say=f"Incorrect API key provided: {CANARY}.", status=401),
    "402": Step(say=ECHO, status=402),
    "403 as a page": Step(raw=f"<html>{ECHO}</html>".encode(), status=403),
    "404": Step(say=ECHO, status=404),
    "422 in depth": Step(raw=json.dumps({"detail": [{"msg": ECHO, "loc": ["body"]}]}).encode(), status=422),
    "429": Step(say=ECHO, status=429, headers={"retry-after": "0"}),
    "500": Step(say=ECHO, status=500),
    "a page": Step(raw=f"<!DOCTYPE html>{ECHO}".encode()),
    "no stream": Step(raw=ECHO.encode()),
    "an error in a 200": Step(raw=f'data: {{"error": {{"message": "{ECHO}"}}}}\n\n'.encode()),
    "a broken chunk": Step(raw=f"data: {{{ECHO}\n\ndata: {{}}\n\n".encode()),
    "a torn stream": Step(raw=f'data: {{"choices": [], "echo": "{ECHO}"}}\n\ndata: {{"cho'.encode()),
}


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Have every library log all it can."""
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpcore"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def everywhere(agent: nn.Agent, logged: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> str:
    """Return all that a fault can have reached: files, events, listings, logs, both streams."""
    files = "".join(p.read_text("utf-8", "replace") for p in agent.home.parent.rglob("*") if p.is_file())
    events = str([to_dict(e) for run in agent.runs for e in run.events])
    said = "".join(record.getMessage() + str(record.__dict__.get("exc_text")) for record in logged.records)
    shown = repr([agent, agent.endpoint, agent.settings, agent.runs, agent.history, vars(agent.settings)])
    out, err = capfd.readouterr()
    assert events
    return files + events + said + shown + out + err


@pytest.mark.parametrize("fault", [*FAULTS])
@pytest.mark.parametrize("where", ["key", "address"])
def test_the_key_is_told_by_no_fault(
    where: str,
    fault: str,
    tmp_path: Path,
    logged: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with ScriptedModel([FAULTS[fault]]) as model:
        agent = started(tmp_path, **reached(where, model.base_url), tape=str(tmp_path / "t.tape"), tape_mode="record")
        run = agent.ask("go")
        with pytest.raises(ModelError) as raised:
            raise_error(run.result(60), run.events)
        told = everywhere(agent, logged, capfd) + "".join(traceback.format_exception(raised.value))
        agent.close()
    assert told.count("canary-3f9a") == 0
    assert model.requests


def raise_error(answer: nn.Answer, events: list[Any]) -> None:
    """Raise a round's error, as a notebook would that asks for it."""
    (error,) = [e for e in events if isinstance(e, LoopError)]
    raise ModelError(error.message, code=error.code)


def reached(where: str, base_url: str) -> Mapping[str, str]:
    """Return an address with its key: sent as a key, or standing in the address."""
    if where == "key":
        return {"base_url": base_url, "api_key": CANARY}
    in_url = CANARY.replace("/", "%2F").replace("+", "%2B")
    return {"base_url": f"{base_url.replace('://', f'://me:{in_url}@')}?key={in_url}", "api_key": ""}


def started(home: Path, **settings: Any) -> nn.Agent:
    own = {"home": home / "home", "library": home / "library", "embedder": "none", "namespace": {}} | settings
    return nn.Agent(**({"model": "scripted", "conversation": "talk"} | own))


@pytest.mark.parametrize("where", ["key", "address"])
def test_the_key_is_told_by_no_dead_address(
    where: str, tmp_path: Path, logged: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with ScriptedModel(["never"]) as model:
        address = model.base_url
    for base_url in (address, address.replace("http://", "https://"), "http://no-such-host.invalid/v1"):
        agent = started(tmp_path, **reached(where, base_url), connect_timeout_s=5)
        assert agent.ask("go").result(60).finish == "error"
        assert "canary-3f9a" not in everywhere(agent, logged, capfd)
        agent.close()
