"""A card in front of a running cell says so, and no longer when the cell is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel.conftest import Notebook
from tests.kernel.test_panel import AGENT, WAIT, FarEnd, fresh, person, wait_until

pytestmark = pytest.mark.kernel
__all__ = ["fresh"]


def held(panel: FarEnd) -> bool:
    """Return what the panel was told last of a running cell."""
    return bool((panel.heard("snapshot") + panel.heard("state"))[-1]["state"]["cell_running"])


def asked(panel: FarEnd) -> set[str]:
    """Return the ids of the approvals the panel was told of."""
    batches = panel.heard("snapshot") + panel.heard("events")
    return {e["approval_id"] for batch in batches for e in batch["events"] if e["kind"] == "ApprovalRequest"}


def test_a_running_cell_is_told_while_an_approval_waits(fresh: Notebook, tmp_path: Path) -> None:
    person(fresh, AGENT.replace('approve="always"', 'approve="ask"'))
    panel = FarEnd(fresh)
    panel.say(type="hello", view="panel")
    panel.say(type="ask", text="set x", mode="agent", research=False)
    wait_until(fresh, lambda: asked(panel))
    assert held(panel) is False
    assert "Python 3." in panel.wait("snapshot")["state"]["place"]
    cell = fresh.send(WAIT.format(path=str(tmp_path / "go-on")))
    wait_until(fresh, lambda: held(panel))
    (approval_id,) = asked(panel)
    panel.say(type="decide", approval_id=approval_id, action="approve", code=None, reason="")
    wait_until(fresh, lambda: panel.events("Progress"))
    assert panel.events("ToolFinish") == []
    (tmp_path / "go-on").touch()
    wait_until(fresh, lambda: panel.events("LoopDone"))
    waits = [(event["done"], event["total"]) for event in panel.events("Progress")]
    assert waits == [(0, None), (1, 1)]
    fresh.finish(cell)


def test_a_cell_that_waits_for_the_agent_holds_nothing_up(fresh: Notebook) -> None:
    person(fresh, AGENT.replace('approve="always"', 'approve="ask"') + "run = agent.ask('go')\n")
    panel = FarEnd(fresh)
    panel.say(type="hello", view="panel")
    fresh.send("run.result(timeout=60)")
    wait_until(fresh, lambda: asked(panel))
    (approval_id,) = asked(panel)
    assert held(panel) is False
    panel.say(type="decide", approval_id=approval_id, action="approve", code=None, reason="")
    wait_until(fresh, lambda: panel.events("LoopDone"))
    assert panel.events("Progress") == []
