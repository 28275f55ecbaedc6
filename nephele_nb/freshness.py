"""Which numbers of past answers are out of date: what their results were made of has changed since; it reads only.

A variable is known by its fingerprint, a table by its version. What is not there any more (a new kernel holds no
variables) is not called changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .errors import LibraryError
from .events import Event, LoopDone
from .kernel.fingerprint import fingerprint
from .kernel.seen import text

if TYPE_CHECKING:
    from .agent import Agent

ROUNDS = 30
"""How many of the last rounds are looked at."""

VARIABLE, TABLE = "variable ", "table "


def stale(agent: Agent, events: Iterable[Event]) -> dict[str, list[str]]:
    """Return by round the calls whose numbers are out of date, each variable and table looked at once.

    ``events`` are those of the rounds to look at.
    """
    seen: dict[str, str | None] = {}

    def changed(name: str, then: str) -> bool:
        if name not in seen:
            seen[name] = _now(agent, name)
        return seen[name] not in (None, then)

    done = [e for e in list(events) if isinstance(e, LoopDone) and e.numbers][-ROUNDS:]
    found = {
        e.round_id: dict.fromkeys(n.call_id for n in e.numbers if any(changed(*pair) for pair in n.reads.items()))
        for e in done
    }
    return {round_id: list(calls) for round_id, calls in found.items() if calls}


def _now(agent: Agent, name: str) -> str | None:
    """Return the fingerprint of a variable, or the version of a table, as it is now; None where there is none."""
    if name.startswith(VARIABLE):
        namespace, bare = agent.namespace, name.removeprefix(VARIABLE)
        return text(fingerprint(namespace[bare])) if bare in namespace else None
    bare = name.removeprefix(TABLE)
    try:
        return str(agent.library.scan(bare, cap=1).version) if agent.library.has_table(bare) else None
    except LibraryError:  # what can't be read is not there
        return None
