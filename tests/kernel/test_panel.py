"""The kernel's end of the side panel in a real kernel: announced, heard while a cell runs, with the newest agent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.kernel.conftest import Notebook, open_notebook

pytestmark = pytest.mark.kernel

ANNOUNCE = "nephele_nb.announce"
CHAT = "nephele_nb.chat"
AGENT = """
import nephele_nb as nn
from nephele_nb.model.scripted import Call, ScriptedModel, Step
model = ScriptedModel([Step(calls=[Call("run_python", {"code": "x = 42", "description": "Set x."})]), "Done."]).start()
agent = nn.Agent(base_url=model.base_url, model="scripted", embedder="none", approve="always")
"""
WAIT = """
import pathlib, time
_until = time.monotonic() + 60
while not pathlib.Path({path!r}).exists() and time.monotonic() < _until:
    time.sleep(0.02)
"""


class FarEnd:
    """The front end's end of one panel, which speaks over the control channel."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook
        self.id = uuid4().hex
        self._send("comm_open", target_name=CHAT, data={})

    def say(self, **message: Any) -> None:
        """Send a message of the view's."""
        self._send("comm_msg", data=message)

    def close(self) -> None:
        """Close the panel, as a page does that goes away."""
        self._send("comm_close", data={})

    def heard(self, kind: str) -> list[dict[str, Any]]:
        """Return what the kernel has sent of a kind."""
        return [data for data in self._told("comm_msg") if data["type"] == kind]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of a kind that came in batches."""
        return [event for batch in self.heard("events") for event in batch["events"] if event["kind"] == kind]

    def closed(self) -> bool:
        """Tell whether the kernel has closed this panel."""
        return bool(self._told("comm_close"))

    def wait(self, kind: str, count: int = 1) -> dict[str, Any]:
        """Wait for so many messages of a kind; returns the last."""
        wait_until(self.notebook, lambda: len(self.heard(kind)) >= count)
        return self.heard(kind)[-1]

    def _told(self, message: str) -> list[dict[str, Any]]:
        told = every_message(self.notebook)
        return [c["data"] for kind, c in told if kind == message and c["comm_id"] == self.id]

    def _send(self, kind: str, **content: Any) -> None:
        session = self.notebook.client.session
        self.notebook.client.control_channel.send(session.msg(kind, {"comm_id": self.id, **content}))


def every_message(notebook: Notebook) -> list[tuple[str, dict[str, Any]]]:
    """Return all that was published, whatever asked for it."""
    return [message for told in notebook.published.values() for message in told]


def wait_until(notebook: Notebook, ready: Any) -> None:
    """Listen until something holds."""
    until = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < until, "it never came"
        notebook.listen(0.05)


def announcements(notebook: Notebook) -> int:
    """Count the open announcements, as a front end does."""
    request = notebook.client.comm_info(ANNOUNCE)
    while True:
        reply = notebook.client.get_shell_msg(timeout=30)
        if reply["parent_header"].get("msg_id") == request:
            return len(reply["content"]["comms"])


def person(notebook: Notebook, code: str) -> Any:
    """Run a cell as a front end with a person does."""
    cell = notebook.finish(notebook.send(code, allow_stdin=True))
    assert cell.status == "ok", cell.messages
    return cell


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Notebook]:
    """A kernel of the test's own."""
    notebook = open_notebook(NEPHELE_HOME=str(tmp_path / "home"))
    yield notebook
    notebook.client.stop_channels()
    notebook.manager.shutdown_kernel(now=True)


def test_it_announces_itself_to_a_person_and_not_to_a_runner(fresh: Notebook) -> None:
    fresh.ok("%load_ext nephele_nb")
    assert announcements(fresh) == 0
    person(fresh, "%reload_ext nephele_nb")
    assert announcements(fresh) == 1
    person(fresh, "import nephele_nb.panel as p; p.announce()")
    assert announcements(fresh) == 1
    panel = FarEnd(fresh)
    panel.say(type="hello", view="panel")
    panel.wait("snapshot")
    person(fresh, "%unload_ext nephele_nb")
    wait_until(fresh, panel.closed)
    assert announcements(fresh) == 0
    left = person(
        fresh, f"k = get_ipython().kernel; print({CHAT!r} in k.comm_manager.targets, 'comm_msg' in k.control_handlers)"
    )
    assert left.text == "False False\n"


def test_an_agent_alone_announces_it_too(fresh: Notebook) -> None:
    person(fresh, AGENT)
    assert announcements(fresh) == 1


def test_a_panel_makes_an_agent_where_there_is_none(fresh: Notebook) -> None:
    person(fresh, "%load_ext nephele_nb")
    panel = FarEnd(fresh)
    panel.say(type="hello", view="panel")
    assert panel.wait("snapshot")["state"]["tier"] == "lite"
    assert person(fresh, "import nephele_nb as nn; print(nn.Agent.latest.bridge.alive)").text == "True\n"


def test_what_such_an_agent_runs_shows_in_no_cell(fresh: Notebook) -> None:
    code = "y = 7\nprint('from the agent')\ny"
    script = f"[Step(calls=[Call('run_python', {{'code': {code!r}, 'description': 'Print.'}})]), 'Done.']"
    person(
        fresh,
        "from nephele_nb.model.scripted import Call, ScriptedModel, Step\n"
        f"model = ScriptedModel({script}).start()\n%load_ext nephele_nb\n"
        "%config Nephele.base_url = model.base_url\n%config Nephele.model = 'scripted'\n"
        "%config Nephele.embedder = 'none'",
    )
    panel = FarEnd(fresh)
    panel.say(type="ask", text="print it", mode="agent", research=False)
    wait_until(fresh, lambda: panel.events("ApprovalRequest"))
    approval_id = panel.events("ApprovalRequest")[0]["approval_id"]
    panel.say(type="decide", approval_id=approval_id, action="approve", code=None, reason="")
    wait_until(fresh, lambda: panel.events("LoopDone"))
    (finish,) = panel.events("ToolFinish")
    assert "from the agent" in finish["result"]
    assert person(fresh, "print('mine', y)").text == "mine 7\n"
    shown = [c["text"] for told in fresh.cells for kind, c in fresh.published[told] if kind == "stream"]
    assert "from the agent" not in "".join(shown)


def test_it_says_why_there_can_be_no_agent(fresh: Notebook) -> None:
    person(fresh, "%load_ext nephele_nb\n%config Nephele.approve = 'perhaps'")
    assert "perhaps" in FarEnd(fresh).wait("trouble")["message"]


def test_panels_follow_the_newest_agent(fresh: Notebook) -> None:
    person(fresh, AGENT)
    panel = FarEnd(fresh)
    panel.say(type="hello", view="panel")
    assert panel.wait("snapshot")["state"]["model"] == "scripted"
    person(fresh, "other = nn.Agent(base_url=model.base_url, model='another', embedder='none', conversation='other')")
    assert panel.wait("snapshot", 2)["state"]["model"] == "another"
    person(fresh, "agent.ask('not here').result(timeout=30)\nother.ask('here').result(timeout=30)")
    wait_until(fresh, lambda: panel.events("LoopDone"))
    assert [event["text"] for event in panel.events("RoundStart")] == ["here"]


def test_a_fault_of_ours_is_told_in_the_view(fresh: Notebook) -> None:
    person(fresh, AGENT + "def broken(*given, **named): raise ZeroDivisionError('no ask')\ntype(agent).ask = broken")
    panel = FarEnd(fresh)
    panel.say(type="ask", text="hello", mode="agent", research=False)
    assert panel.wait("state")["state"]["notice"] == "ZeroDivisionError: no ask"
    panel.say(type="hello", view="panel")
    panel.wait("snapshot")


def test_a_page_that_never_says_goodbye_is_forgotten(fresh: Notebook) -> None:
    person(fresh, AGENT)
    panels = [FarEnd(fresh) for _ in range(9)]
    wait_until(fresh, panels[0].closed)
    panels[1].close()
    for panel in panels[2:]:
        panel.say(type="hello", view="panel")
        panel.wait("snapshot")
    assert person(fresh, "import nephele_nb.panel as p; print(len(p._here[0]._open))").text == "7\n"


def drawing(fresh: Notebook, go_on: Path) -> str:
    """Begin a cell that draws, waits for a file, and tells which figures it still has; returns once it waits."""
    draw = "import matplotlib.pyplot as plt\n%matplotlib inline\nfig, ax = plt.subplots()\nprint('drawn', flush=True)\n"
    cell = fresh.send(draw + WAIT.format(path=str(go_on)) + "print(plt.get_fignums())", allow_stdin=True)
    wait_until(fresh, lambda: "stream" in [kind for kind, _ in fresh.published[cell]])
    return cell


def test_a_busy_cell_holds_nothing_up_and_keeps_its_figure(fresh: Notebook, tmp_path: Path) -> None:
    person(fresh, AGENT + "agent.ask('set it').result(timeout=30)\nround_id = agent.runs[0].round_id")
    round_id = person(fresh, "print(round_id)").text.strip()
    panel, go_on = FarEnd(fresh), tmp_path / "go-on"
    cell = drawing(fresh, go_on)
    panel.say(type="undo", round_id=round_id)
    panel.say(type="hello", view="panel")
    panel.wait("snapshot")
    assert panel.heard("state") == []
    go_on.touch()
    drawn = fresh.finish(cell)
    assert (drawn.text, drawn.pictures) == ("drawn\n[1]\n", 1)
    assert "Taken back: 1" in panel.wait("state")["state"]["notice"]
    assert person(fresh, "print('x' in globals())").text == "False\n"


def test_a_click_in_the_inline_chat_takes_no_figure_either(fresh: Notebook, tmp_path: Path) -> None:
    person(fresh, AGENT + "from nephele_nb.widget import ChatWidget\nwidget = ChatWidget(agent)")
    model_id = person(fresh, "print(widget.comm.comm_id)").text.strip()
    cell, session = drawing(fresh, go_on := tmp_path / "go-on"), fresh.client.session
    hello = {"method": "custom", "content": {"type": "hello", "view": "inline"}}
    fresh.client.control_channel.send(session.msg("comm_msg", {"comm_id": model_id, "data": hello}))
    custom = ("comm_msg", model_id, "custom")
    wait_until(
        fresh,
        lambda: custom in [(k, c.get("comm_id"), c.get("data", {}).get("method")) for k, c in every_message(fresh)],
    )
    go_on.touch()
    drawn = fresh.finish(cell)
    assert (drawn.text, drawn.pictures) == ("drawn\n[1]\n", 1)
