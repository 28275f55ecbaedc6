"""Agents over a scripted model: real HTTP, a real library, code in a dict; nobody in front."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb.model.scripted import ScriptedModel
from tests.loop.providers import SESSION
from tests.loop.session import Session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Callable[..., Session]]:
    """Return what starts an agent over a script, with strict providers' rules on every request."""
    with ExitStack() as stack:

        def start(script: Any, *, namespace: dict[str, Any] | None = None, **settings: Any) -> Session:
            http = {k: settings.pop(k) for k in ("delay_s", "end", "chunking", "first_delay_s") if k in settings}
            rules = settings.pop("rules", SESSION)
            model = stack.enter_context(ScriptedModel(script, rules=rules, **http))
            library = nn.Library(tmp_path / "library", embedder="none")
            stack.callback(library.close)
            names: dict[str, Any] = {} if namespace is None else namespace
            agent = nn.Agent(
                base_url=model.base_url,
                model=model.model,
                home=tmp_path / "home",
                library=library,
                namespace=names,
                conversation=settings.pop("conversation", "talk"),
                **settings,
            )
            stack.callback(agent.close)
            return Session(agent, model, names)

        yield start
