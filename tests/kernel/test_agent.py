"""An agent in a real kernel: asked from cells, approved from cells, beside the user's own work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.kernel

BEGIN = """
import json, os, tempfile, time
import nephele_nb as nn
from nephele_nb.model.scripted import Call, ScriptedModel, Step
home = tempfile.mkdtemp()
def code(*texts, say=""):
    return Step(say=say, calls=[Call("run_python", {"code": t, "description": "d"}) for t in texts])
def begin(script, **settings):
    global model, agent
    model = ScriptedModel(script, **settings.pop("http", {})).start()
    settings = {"confirm_timeout_s": 30} | settings
    agent = nn.Agent(base_url=model.base_url, model="scripted", embedder="none", home=home, **settings)
def told(run):
    from nephele_nb.events import ToolFinish, ApprovalResolved
    return json.dumps({
        "done": run.done, "text": run.result(30).text, "finish": run.result(30).finish,
        "results": [e.result for e in run.events if isinstance(e, ToolFinish)],
        "outcomes": [e.outcome for e in run.events if isinstance(e, ApprovalResolved)],
        "kinds": [e.kind for e in run.events],
    })
"""


@pytest.fixture(scope="module")
def nb(open_kernel: Callable[..., Any]) -> Iterator[Any]:
    notebook = open_kernel()
    notebook.ok(BEGIN)
    yield notebook


def tell(nb: Any, name: str = "run") -> dict[str, Any]:
    import json

    found: dict[str, Any] = json.loads(nb.ok(f"print(told({name}))").text)
    return found
