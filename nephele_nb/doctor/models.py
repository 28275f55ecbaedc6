"""What the doctor finds of models: the endpoint that is configured, servers on this machine, the lite tier."""

from __future__ import annotations

import asyncio
import json
import shutil
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ModelError
from ..model.choice import choose
from ..model.connection import HttpConnection
from ..model.lite_client import INSTALL_RUNTIME, runtime_is_there
from ..model.tiers import Endpoint
from ..settings import Effective
from ..strings import Strings
from .check import Check, State

if TYPE_CHECKING:
    from ..agent import Agent

CONNECT_S, ANSWER_S, LOCAL_S = 5.0, 10.0, 0.5
MOST_NAMES = 6


class Server(NamedTuple):
    """A server of models and where it listens unless told otherwise."""

    name: str
    address: str


SERVERS = (
    Server("Ollama", "http://127.0.0.1:11434"),
    Server("LM Studio", "http://127.0.0.1:1234"),
    Server("llama.cpp", "http://127.0.0.1:8080"),
    Server("vLLM", "http://127.0.0.1:8000"),
)


def endpoint(say: Strings, agent: Agent) -> Check:
    """Have the configured endpoint list its models; nothing is sent where none is configured."""
    try:
        wanted = agent.endpoint
    except ModelError as error:
        return Check(say("endpoint"), "fail", say("endpoint_unset"), str(error))
    if not wanted.base_url:
        return Check(say("endpoint"), "ok", say("endpoint_none"))
    try:
        names = asyncio.run(_listed(wanted))
    except ModelError as error:
        state: State = "warn" if error.code == "not_found" else "fail"
        return Check(say("endpoint"), state, say("endpoint_failed", host=wanted.host), str(error))
    found = say("endpoint_found", host=wanted.host, tier=wanted.tier, count=len(names))
    if not wanted.model and len(names) != 1:
        return Check(say("endpoint"), "fail", found, say("choose_model", names=_some(names)))
    if wanted.model and wanted.model not in names:
        return Check(
            say("endpoint"),
            "warn",
            f"{found} {say('model_unlisted', model=wanted.model)}",
            say("choose_model", names=_some(names)),
        )
    return Check(say("endpoint"), "ok", f"{found} {say('model_listed', model=wanted.model or names[0])}")


def local_servers(say: Strings, settings: Effective, servers: Iterable[Server]) -> list[Check]:
    """Ask the usual ports of this machine, all at once, for half a second."""
    asked = list(servers)
    with ThreadPoolExecutor(max(len(asked), 1)) as pool:
        answers = list(pool.map(_served, asked))
    there = [(server, names) for server, names in zip(asked, answers, strict=True) if names is not None]
    if not there:
        names = ", ".join(server.name for server in asked)
        return [Check(say("servers"), "ok", say("no_servers", names=names))]
    return [_found(say, settings, server, names) for server, names in there]


def lite(say: Strings, settings: Effective) -> Check:
    """Tell which model the lite tier would use, or what is missing for one."""
    choice = choose(settings.lite_model, settings.home_folder)
    if choice.why == "off":
        return Check(say("lite"), "ok", say("lite_off"))
    if choice.model is None:
        passed = ", ".join(f"{m.name} ({m.bytes / 1e9:.1f} GB)" for m in choice.passed[:MOST_NAMES])
        found = say(f"lite_{choice.why}", path=settings.lite_model, passed=passed)
        wrong = choice.why in ("missing", "unreadable", "not_chat")
        free = shutil.disk_usage(
            next(p for p in (settings.home_folder, *settings.home_folder.parents) if p.exists())
        ).free
        remedy = say("lite_rename") if wrong else say("lite_install", free=f"{free / 1e9:.0f}")
        return Check(say("lite"), "fail" if wrong else "warn", found, remedy)
    found = say("lite_found", name=choice.model.name, size=f"{choice.model.bytes / 1e9:.1f}", path=choice.model.path)
    if not runtime_is_there():
        return Check(say("lite"), "warn", f"{found} {say('no_runtime')}", f"`{INSTALL_RUNTIME}`")
    return Check(say("lite"), "ok", found)


async def _listed(wanted: Endpoint) -> list[str]:
    connection = HttpConnection(wanted, CONNECT_S, ANSWER_S)
    try:
        return await connection.models()
    finally:
        await connection.close()


def _served(server: Server) -> list[str] | None:
    """Return the models that a server lists, or None where nothing answers as a server of models does."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{server.address}/v1/models", timeout=LOCAL_S) as answer:
            data = json.loads(answer.read(1 << 20))["data"]
            return [str(model["id"]) for model in data]
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None


def _found(say: Strings, settings: Effective, server: Server, names: list[str]) -> Check:
    base = f"{server.address}/v1"
    found = say("server_found", name=server.name, address=base, names=_some(names) or say("missing"))
    if settings.base_url.rstrip("/") == base:
        return Check(say("servers"), "ok", found)
    model = names[0] if names else "…"
    return Check(say("servers"), "ok", found, say("server_use", base=base, model=model))


def _some(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (f", … ({len(names)})" if len(names) > MOST_NAMES else "")
