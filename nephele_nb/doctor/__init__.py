"""``%nephele doctor``: looks at everything the agent stands on and names a remedy for what fails; it mends nothing.

It sends one request to the endpoint that is configured, which lists its models, and asks the usual ports of this
machine; nothing else leaves the process. Whatever is broken becomes a line of the report, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ..errors import NepheleError
from ..kernel.front import ipython
from ..settings import Effective, shared
from ..strings import Strings, language_of
from . import environment, models, organs
from .check import Check

if TYPE_CHECKING:
    from ..agent import Agent

__all__ = ["Check", "checks", "examine", "report"]

MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def checks(agent: Agent, servers: Iterable[models.Server] = models.SERVERS) -> list[Check]:
    """Return what was found, in the order to read it; ``servers`` are the local addresses to ask."""
    say = _words(agent.settings)
    return _all(
        say, [*_alone(say, agent.settings), *_of_agent(say, agent), *_models(say, agent, agent.settings, servers)]
    )


def without_agent(settings: Effective, error: NepheleError | OSError) -> list[Check]:
    """Return what can be found out where no agent could be made, that fault first."""
    say = _words(settings)
    return [Check(say("agent"), "fail", str(error), say("agent_remedy")), *_all(say, _alone(say, settings))]


def examine(agent: Callable[[], Agent]) -> str:
    """Return the report on an agent, or on what can be looked at where none can be made."""
    try:
        found = checks(agent())
    except (NepheleError, OSError) as error:
        found = without_agent(Effective(shared(ipython()), {}), error)
    return report(found)


def report(found: Iterable[Check]) -> str:
    """Return the findings as a list in markdown, each remedy below its finding."""
    lines = []
    for check in found:
        lines.append(f"- {MARKS[check.state]} **{check.name}**: {check.found}")
        lines += [f"    - → {check.remedy}"] if check.remedy else []
    return "\n".join(lines)


Look = tuple[str, Callable[[], Check | list[Check]]]
"""The name of a check in the strings, and the check."""


def _words(settings: Effective) -> Strings:
    return Strings(language_of("", settings.language), "doctor")


def _alone(say: Strings, settings: Effective) -> list[Look]:
    return [
        ("python", lambda: environment.python(say)),
        ("packages", lambda: environment.packages(say)),
        ("front_end", lambda: environment.front_end(say)),
        ("proxies", lambda: environment.proxies(say)),
        ("home", lambda: organs.home(say, settings)),
        ("tape", lambda: organs.tape(say, settings)),
        ("lite", lambda: models.lite(say, settings)),
    ]


def _of_agent(say: Strings, agent: Agent) -> list[Look]:
    return [("kernel", lambda: environment.kernel(say, agent)), ("library", lambda: organs.library(say, agent))]


def _models(say: Strings, agent: Agent, settings: Effective, servers: Iterable[models.Server]) -> list[Look]:
    return [
        ("endpoint", lambda: models.endpoint(say, agent)),
        ("keys", lambda: organs.keys(say, agent)),
        ("servers", lambda: models.local_servers(say, settings, servers)),
    ]


def _all(say: Strings, looks: list[Look]) -> list[Check]:
    """Look at all at once, since some must wait for an answer."""
    with ThreadPoolExecutor(len(looks), "nephele-doctor") as pool:
        found = list(pool.map(lambda look: _safely(say, *look), looks))
    return [check for each in found for check in each]


def _safely(say: Strings, name: str, look: Callable[[], Check | list[Check]]) -> list[Check]:
    try:
        found = look()
    except Exception as error:  # what is broken in an unforeseen way is a finding too, and the other checks go on
        found = Check(say(name), "fail", f"{type(error).__name__}: {error}", say("unforeseen"))
    return found if isinstance(found, list) else [found]
