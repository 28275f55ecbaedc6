"""What the doctor finds in the agent's own things: home, library, embedder, tape, keys; it shows no key."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from .. import keys as kept
from ..errors import LibraryError, NepheleError
from ..settings import Effective
from ..strings import Strings
from .check import Check

if TYPE_CHECKING:
    from ..agent import Agent


def home(say: Strings, settings: Effective) -> Check:
    """Try to write into the home folder; where there is none yet, into the folder it would be made in."""
    folder = settings.home_folder
    there = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    try:
        if not there.is_dir():
            raise NotADirectoryError(say("no_folder", path=there))
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return Check(say("home"), "fail", say("home_closed", path=folder, why=error), say("home_remedy"))
    return Check(say("home"), "ok", str(folder) if there == folder else say("home_later", path=folder))


def library(say: Strings, agent: Agent) -> list[Check]:
    """Open the library and count; look at the embedder's rung."""
    where = str(agent.settings.library or agent.home / "library").rpartition("@")[2].partition("?")[0]
    try:
        stats = agent.library.stats()
    except (LibraryError, OSError) as error:
        return [Check(say("library"), "fail", f"{where}: {error}", say("library_remedy"))]
    found = say(
        "library_found", where=where, notes=stats["notes"], tables=len(stats["tables"]), passages=stats["passages"]
    )
    closed = Path(where).exists() and not os.access(where, os.W_OK)
    state = Check(say("library"), "fail", say("library_closed", where=where), say("home_remedy")) if closed else None
    return [state or Check(say("library"), "ok", found), _embedder(say, stats)]


def _embedder(say: Strings, stats: dict[str, object]) -> Check:
    rung = str(stats["embedder"])
    if fault := stats.get("embedder_fault"):
        return Check(say("embedder"), "warn", say("embedder_fell", rung=rung, why=fault), say("embedder_remedy"))
    if rung == "none":
        return Check(say("embedder"), "warn", say("no_embedder"), say("embedder_remedy"))
    share = float(str(stats["embedded"]))
    return Check(say("embedder"), "ok", say("embedder_found", rung=rung, share=f"{share:.0%}"))


def tape(say: Strings, settings: Effective) -> Check:
    """Tell whether exchanges are recorded or replayed."""
    if not settings.tape and not settings.tape_mode:
        return Check(say("tape"), "ok", say("no_tape"))
    path = Path(settings.tape).expanduser() if settings.tape else None
    mode = settings.tape_mode or "auto"
    if mode == "replay" and path is not None and not path.is_file():
        return Check(say("tape"), "fail", say("tape_missing", path=path), say("tape_remedy"))
    return Check(say("tape"), "ok", say("tape_on", mode=mode, path=path or say("tape_beside")))


def keys(say: Strings, agent: Agent) -> Check:
    """Tell where the key for the endpoint comes from."""
    settings = agent.settings
    try:
        endpoint = agent.endpoint
    except NepheleError:
        endpoint = None
    if endpoint is None or endpoint.tier == "lite":
        lying = bool(os.environ.get("OPENAI_API_KEY"))
        return Check(say("keys"), "ok", say("key_lying") if lying else say("key_unneeded"))
    if not endpoint.api_key:
        return Check(say("keys"), "ok", say("key_none", host=endpoint.host))
    given = settings.platform_key if endpoint.on_platform else settings.api_key
    if given.strip() == endpoint.api_key:
        origin = "key_setting"
    elif os.environ.get("OPENAI_API_KEY", "").strip() == endpoint.api_key:
        origin = "key_environment"
    else:
        origin = "key_keyring" if endpoint.api_key in kept.known() else "key_setting"
    return Check(say("keys"), "ok", say(origin, host=endpoint.host))
