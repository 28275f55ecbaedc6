"""What the doctor finds around the package: Python, libraries, the front end, the kernel, proxies; it imports none."""

from __future__ import annotations

import json
import os
import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_core.paths import jupyter_path
from packaging.requirements import Requirement

from ..strings import Strings
from .check import Check

if TYPE_CHECKING:
    from ..agent import Agent

PACKAGE = "nephele-nb"
OLDEST = (3, 11)
NAMED = ("jupyterlab", "ipykernel", "ipywidgets", "anywidget", "lancedb", "openai")
"""Libraries whose versions are worth reading even where all is well."""
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


def python(say: Strings) -> Check:
    """Look at the interpreter."""
    found = f"{sys.version.split()[0]} ({sys.executable})"
    if sys.version_info < OLDEST:
        return Check(say("python"), "fail", found, say("python_remedy", oldest=".".join(map(str, OLDEST))))
    return Check(say("python"), "ok", found)


def packages(say: Strings) -> list[Check]:
    """Look at the versions of everything the package stands on."""
    wrong = []
    for wanted in map(Requirement, requires(PACKAGE) or ()):
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        here = _version(wanted.name)
        if not here or not wanted.specifier.contains(here, prereleases=True):
            found = say("package_wrong", name=wanted.name, here=here or say("missing"), wanted=str(wanted.specifier))
            line = f"`%pip install -U '{wanted.name}{wanted.specifier}'`"
            wrong.append(Check(say("packages"), "fail", found, say("package_remedy", line=line)))
    known = ", ".join(f"{name} {_version(name)}" for name in NAMED if _version(name))
    return wrong or [Check(say("packages"), "ok", f"{PACKAGE} {_version(PACKAGE)}; {known}")]


def front_end(say: Strings) -> Check:
    """Look for the chat widget and for the JupyterLab extension, which must be of the package's version."""
    if not files("nephele_nb").joinpath("static", "widget.js").is_file():
        return Check(say("front_end"), "fail", say("no_widget"), say("reinstall"))
    ours = _version(PACKAGE)
    found: dict[str, str] = {}
    for folder in jupyter_path("labextensions"):
        file = Path(folder) / PACKAGE / "package.json"
        if file.is_file():
            found[str(file.parent)] = str(json.loads(file.read_text("utf-8")).get("version"))
    if not found:
        return Check(say("front_end"), "warn", say("no_extension"), say("reinstall"))
    where, theirs = next(iter(found.items()))
    if theirs != ours:
        return Check(
            say("front_end"), "fail", say("old_extension", theirs=theirs, ours=ours, where=where), say("reinstall")
        )
    return Check(say("front_end"), "ok", say("extension", version=theirs, where=where))


def kernel(say: Strings, agent: Agent) -> Check:
    """Tell where code runs, and whether clicks are heard while a cell waits."""
    here = _version("ipykernel")
    if not agent.in_kernel:
        return Check(say("kernel"), "ok", say("no_kernel"))
    if not agent.bridge.comms_while_busy:
        return Check(say("kernel"), "warn", say("deaf", version=here), say("deaf_remedy"))
    return Check(say("kernel"), "ok", say("hears", version=here))


def proxies(say: Strings) -> Check:
    """Name the proxies that are set, without what is secret in them."""
    set_ = {name: os.environ.get(name) or os.environ.get(name.upper()) or "" for name in PROXIES}
    shown = ", ".join(f"{name}={re.sub(r'//[^/@]*@', '//…@', value)}" for name, value in set_.items() if value)
    return Check(say("proxies"), "ok", say("proxies_set", proxies=shown) if shown else say("no_proxies"))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
