"""Tools, policies and names of the user's own can't end, brick or starve the agent."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from nephele_nb.errors import SettingError
from nephele_nb.events import ToolFinish
from nephele_nb.face import Face
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session, python

Start = Callable[..., Session]


def leaves() -> str:
    sys.exit("no key")


def test_a_tool_that_exits_fails_and_the_next_round_goes_on(session: Start) -> None:
    s = session([Step(calls=[Call("leaves", {})]), "Sorry.", "Next."])
    s.agent.tools.register(leaves, "reads")
    assert s.ask()[1].text == "Sorry."
    assert "SystemExit: no key" in s.results(1)[0]
    assert s.ask()[1].text == "Next."


def test_a_policy_that_exits_rejects_with_its_reason(session: Start) -> None:
    def policy(approval: Any) -> bool:
        sys.exit("no key")

    s = session([python("x = 1"), "Sorry."], approve=policy)
    assert s.ask()[1].text == "Sorry."
    assert "SystemExit: no key" in s.results()[0]
    assert "x" not in s.names


def test_tools_that_hang_starve_no_other(session: Start) -> None:
    free = threading.Event()

    def hang(n: int) -> str:
        free.wait()
        return ""

    s = session(
        [Step(calls=[Call("hang", {"n": i}) for i in range(40)]), python("y = 2"), "Done."],
        tool_timeout_s=0.5,
        approve="always",
    )
    s.agent.tools.register(hang, "reads", parallel=True)
    try:
        run, answer = s.ask()
    finally:
        free.set()
    assert repr(answer) == "Done."
    assert s.names["y"] == 2
    assert [e.ok for e in run.events if isinstance(e, ToolFinish)] == [False] * 40 + [True]


@pytest.mark.parametrize("setting", ["approve", "headless_approve"])
def test_a_policy_for_a_tool_that_is_not_there_is_told_when_asked(session: Start, setting: str) -> None:
    s = session(["Hello."], **{setting: {"leavs": "always"}})
    with pytest.raises(SettingError, match="'leavs'"):
        s.agent.ask("go")
    s.agent.tools.register(leaves, name="leavs")
    assert s.ask()[1].text == "Hello."


@pytest.mark.parametrize("code", [2, ["x = 2"], {"code": "x"}, True])
def test_a_view_that_sends_no_text_decides_nothing(session: Start, code: Any) -> None:
    s = session([python("x = 1"), "Done."])
    run = s.agent.ask("go")
    approval = s.pending(run)
    sent: list[dict[str, Any]] = []
    view = Face(s.agent, sent.append)
    for text in (code, "x = 3"):
        view.hear({"type": "decide", "approval_id": approval.id, "action": "approve", "code": text})
    refused, taken = [m for m in sent if m["type"] == "decided"]
    assert (refused["ok"], taken["ok"]) == (False, True)
    assert "nothing was decided" in refused["message"]
    assert repr(s.finish(run)) == "Done."
    assert s.names["x"] == 3
