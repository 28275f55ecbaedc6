"""Tools on demand lose no task: what is loaded first, named by the message or called outright gives the same result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nephele_nb.events import ToolFinish
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session

Start = Callable[..., Session]

TASKS: list[tuple[str, str, dict[str, Any]]] = [
    ("tell me why, and give me an overview of my library", "get_stats", {}),
    ("说说库里有多少篇笔记，以及为什么", "get_stats", {}),
    ("which items are linked to it?", "graph_query", {"content_id": "note:none", "hops": 1}),
    ("what shape has the dataframe?", "inspect_variables", {"names": ["numbers"]}),
    ("变量 numbers 是什么类型？", "inspect_variables", {"names": ["numbers"]}),
    ("save this as a note", "create_note", {"title": "Kept", "text": "It rained."}),
]


def whole(s: Session, request: int) -> list[str]:
    return [tool["function"]["name"] for tool in s.bodies[request]["tools"]]


def result(s: Session, message: str, steps: list[Step | str]) -> tuple[bool, str]:
    """Return how the last call of a round ended."""
    run, answer = s.ask(message)
    assert answer.text.startswith("Done.")
    last = [e for e in run.events if isinstance(e, ToolFinish)][-1]
    return last.ok, last.result.split("content_id")[0]


@pytest.mark.parametrize(("message", "tool", "arguments"), TASKS)
def test_a_task_ends_alike_by_each_way_to_its_tool(
    session: Start, message: str, tool: str, arguments: dict[str, Any]
) -> None:
    call = Step(calls=[Call(tool, arguments)])
    load = Step(calls=[Call("load_tools", {"names": [tool]})])
    s = session([call, "Done.", load, call, "Done.", call, "Done."], approve="always", namespace={"numbers": [1, 2]})
    named = result(s, message, [])
    assert tool in whole(s, 0)
    assert "load_tools" in whole(s, 0)
    loaded = result(s, "go on", [])
    assert tool not in whole(s, 2)
    assert tool in whole(s, 3)
    outright = result(s, "go on", [])
    assert tool not in whole(s, 5)
    assert named == loaded == outright


def test_an_unknown_name_is_a_sentence_the_model_can_act_on(session: Start) -> None:
    s = session([Step(calls=[Call("load_tools", {"names": ["teleport"]})]), "Done."])
    run, _ = s.ask("hm")
    finish = next(e for e in run.events if isinstance(e, ToolFinish))
    assert not finish.ok
    assert "teleport" in finish.result
    assert "graph_query" in finish.result
