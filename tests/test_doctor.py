"""The doctor finds what is wrong, over real HTTP and real folders, names a remedy each time, and never raises."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb import doctor
from nephele_nb.doctor import environment, models
from nephele_nb.doctor.check import Check
from nephele_nb.strings import Strings
from tests.model.tiny_gguf import write

KEY = "sk-the-doctor-never-shows-this"
PAGE = "<!DOCTYPE html><html>Your proxy wants you to log in</html>"
LISTED = json.dumps({"object": "list", "data": [{"id": "small"}, {"id": "large"}]})
EN = Strings("en", "doctor")

Serve = Callable[..., str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return what starts a server on loopback that answers ``/v1/models``, and what it was sent."""
    with ExitStack() as stack:

        def start(body: str = LISTED, status: int = 200, key: str = "", seen: list[Any] | None = None) -> str:
            class Handler(BaseHTTPRequestHandler):
                def do_GET(self) -> None:
                    if seen is not None:
                        seen.append((self.command, self.path, self.headers.get("Content-Length")))
                    refused = key and self.headers.get("Authorization") != f"Bearer {key}"
                    said = '{"error": {"message": "no such key"}}' if refused else body
                    self.send_response(401 if refused else status if self.path == "/v1/models" else 404)
                    self.send_header("Content-Type", "text/html" if said == PAGE else "application/json")
                    self.send_header("Content-Length", str(len(said)))
                    self.end_headers()
                    self.wfile.write(said.encode())

                do_POST = do_GET  # noqa: N815

                def log_message(self, *_: Any) -> None:
                    """Keep quiet."""

            server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_port}"

        yield start


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Callable[..., nn.Agent]]:
    """Return what makes an agent with a home and a library of its own."""
    made: list[nn.Agent] = []

    def start(**settings: Any) -> nn.Agent:
        given = {"home": tmp_path / "home", "embedder": "none", "namespace": {}}
        made.append(nn.Agent(**{**given, **settings}))
        return made[-1]

    yield start
    for each in made:
        each.close()


def checks(agent: nn.Agent, *servers: models.Server) -> dict[str, Check]:
    found = doctor.checks(agent, servers)
    assert all(check.remedy for check in found if check.state != "ok")
    return {check.name: check for check in found}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def test_a_sound_place_is_said_to_be(agent: Callable[..., nn.Agent]) -> None:
    found = checks(agent())
    states = {name: check.state for name, check in found.items()}
    wanted = ["Python", "Packages", "Proxies", "Home folder", "Tape", "Kernel", "Library", "Endpoint", "Keys"]
    assert {name: states[name] for name in wanted} == dict.fromkeys(wanted, "ok")
    assert "nothing leaves this machine" in found["Endpoint"].found
    assert "0 notes" in found["Library"].found
    assert found["Embedder"].state == "warn"


def test_both_languages_say_the_same_things() -> None:
    tables = [
        json.loads(files("nephele_nb.strings").joinpath(f"doctor.{x}.json").read_text("utf-8")) for x in ("en", "zh")
    ]
    assert [*tables[0]] == [*tables[1]]
    holes = [[sorted({part.split("}")[0] for part in text.split("{")[1:]}) for text in t.values()] for t in tables]
    assert holes[0] == holes[1]


def test_the_report_speaks_the_users_language(agent: Callable[..., nn.Agent]) -> None:
    said = doctor.report(doctor.checks(agent(language="zh"), []))
    assert "**资料库**" in said
    assert "没有内容离开本机" in said


def test_an_endpoint_is_asked_for_its_models_and_nothing_else(agent: Callable[..., nn.Agent], serve: Serve) -> None:
    seen: list[Any] = []
    url = serve(key=KEY, seen=seen)
    found = checks(agent(base_url=f"{url}/v1", api_key=KEY, model="small"))
    assert found["Endpoint"].state == "ok"
    assert "small is among them" in found["Endpoint"].found
    assert "a setting or an argument" in found["Keys"].found
    assert seen == [("GET", "/v1/models", None)]
    assert KEY not in doctor.report(found.values())


@pytest.mark.parametrize(
    ("how", "settings", "state", "remedy"),
    [
        ({"key": "another"}, {"api_key": KEY, "model": "small"}, "fail", "refused the key (401): check api_key"),
        ({}, {"model": "medium"}, "warn", "small, large"),
        ({}, {}, "fail", "Set model (NEPHELE_MODEL) to one of: small, large"),
        ({"body": PAGE}, {"model": "small"}, "warn", "a web page, not with a model: check the base URL"),
        ({"body": PAGE, "status": 403}, {"model": "small"}, "warn", "a web page"),
        ({"body": "[]"}, {"model": "small"}, "warn", "lists no models: check the base URL"),
        ({"body": "{}", "status": 404}, {"model": "small"}, "warn", "nothing there (404): check the base URL"),
        ({"body": "{}", "status": 500}, {"model": "small"}, "fail", "failed (500): ask again"),
    ],
)
def test_what_is_wrong_at_an_endpoint_says_what_to_do(
    agent: Callable[..., nn.Agent], serve: Serve, how: Any, settings: Any, state: str, remedy: str
) -> None:
    check = checks(agent(base_url=f"{serve(**how)}/v1", **settings))["Endpoint"]
    assert check.state == state
    assert remedy in check.remedy
    assert KEY not in check.found + check.remedy


def test_addresses_that_lead_nowhere_say_what_to_do(agent: Callable[..., nn.Agent], serve: Serve) -> None:
    nobody = checks(agent(base_url=f"http://127.0.0.1:{free_port()}/v1", model="m"))["Endpoint"]
    assert "start the server or check the port" in nobody.remedy
    no_name = checks(agent(base_url="http://nowhere.invalid/v1", model="m"))["Endpoint"]
    assert "check the base URL and the connection" in no_name.remedy or "machine only" in no_name.remedy
    plain = checks(agent(base_url=serve().replace("http:", "https:") + "/v1", model="m"))["Endpoint"]
    assert "http was meant instead of https" in plain.remedy
    half = checks(agent(base_url="localhost:11434", model="m"))["Endpoint"]
    assert "write it with http://" in half.remedy
    assert {c.state for c in (nobody, no_name, plain, half)} == {"fail"}


def test_local_servers_are_found_and_the_way_to_use_one_is_named(agent: Callable[..., nn.Agent], serve: Serve) -> None:
    servers = [
        models.Server("Ollama", serve()),
        models.Server("vLLM", serve(PAGE)),
        models.Server("LM Studio", f"http://127.0.0.1:{free_port()}"),
    ]
    (found,) = [c for c in doctor.checks(agent(), servers) if c.name == "Local servers"]
    assert found.state == "ok"
    assert "Ollama" in found.found
    assert "small, large" in found.found
    assert f'base_url = "{servers[0].address}/v1"' in found.remedy
    (none,) = [c for c in doctor.checks(agent(conversation="other"), servers[1:]) if c.name == "Local servers"]
    assert "none found" in none.found


def test_a_server_that_never_answers_is_given_up(agent: Callable[..., nn.Agent]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        found = checks(agent(), models.Server("mute", f"http://127.0.0.1:{silent.getsockname()[1]}"))
    assert "none found" in found["Local servers"].found


def test_a_home_that_is_a_file_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("no folder")
    made: list[nn.Agent] = []

    def make() -> nn.Agent:
        made.append(nn.Agent(home=tmp_path / "home", namespace={}, embedder="none"))
        return made[-1]

    said = doctor.examine(make)
    for each in made:
        each.close()
    assert "✗" in said
    assert str(tmp_path / "home") in said
    assert "NEPHELE_HOME" in said or "home folder" in said


def test_a_broken_library_is_a_finding(agent: Callable[..., nn.Agent], tmp_path: Path) -> None:
    (tmp_path / "library").write_text("not a library")
    found = checks(agent(library=str(tmp_path / "library")))
    assert found["Library"].state == "fail"
    assert "move that folder away" in found["Library"].remedy
    assert found["Python"].state == "ok"


def test_where_no_agent_can_be_made_the_rest_is_looked_at() -> None:
    said = doctor.examine(lambda: nn.Agent(tape="nowhere.tape", tape_mode="replay", namespace={}))
    assert "✗ **Agent**" in said
    assert "nowhere.tape" in said
    assert "✓ **Python**" in said


def test_what_breaks_in_an_unforeseen_way_is_a_finding() -> None:
    def broken() -> Check:
        raise ZeroDivisionError("oops")

    (found,) = doctor._safely(EN, "tape", broken)
    assert (found.name, found.state) == ("Tape", "fail")
    assert "oops" in found.found


def test_the_lite_model_is_named_or_what_is_missing(agent: Callable[..., nn.Agent], tmp_path: Path) -> None:
    tiny = write(tmp_path / "tiny.gguf", ["x"])
    named = checks(agent(lite_model=str(tiny)))["Lite model"]
    assert "tiny" in named.found
    gone = checks(agent(lite_model=str(tmp_path / "no.gguf"), conversation="b"))["Lite model"]
    assert (gone.state, "no.gguf" in gone.found) == ("fail", True)
    off = checks(agent(lite_model="none", conversation="c"))["Lite model"]
    assert off.state == "ok"


def test_a_key_in_the_environment_is_named_and_never_shown(
    agent: Callable[..., nn.Agent], serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert "set but unused" in checks(agent())["Keys"].found
    used = doctor.checks(agent(base_url=f"{serve(key=KEY)}/v1", model="small", conversation="b"), [])
    assert "comes from OPENAI_API_KEY" in doctor.report(used)
    assert KEY not in doctor.report(used)


def test_proxies_are_named_without_their_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://me:secret-word@proxy.example:3128")
    check = environment.proxies(EN)
    assert "proxy.example:3128" in check.found
    assert "secret-word" not in check.found


def test_packages_are_all_there_and_of_the_versions_wanted() -> None:
    (check,) = environment.packages(EN)
    assert check.state == "ok"
    assert "ipykernel" in check.found
