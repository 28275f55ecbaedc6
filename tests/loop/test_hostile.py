"""Tools, models and files that misbehave: the round ends, its history is valid, and the next one works."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.errors import NepheleError
from nephele_nb.events import LoopDone, ToolFinish
from nephele_nb.history import mend
from nephele_nb.model.scripted import Call, Step
from tests.loop.providers import SESSION
from tests.loop.session import Session, check, python

Start = Callable[..., Session]


def nested(depth: int) -> Step:
    """Return a step whose arguments are nested ``depth`` deep, as raw text."""
    text = '{"query": ' + "[" * depth + "]" * depth + "}"
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "search_notes", "arguments": text}}
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return Step(raw="".join(f"data: {json.dumps(c)}\n\n" for c in chunks).encode() + b"data: [DONE]\n\n")


@pytest.mark.parametrize("depth", [200, 900, 2000])
def test_arguments_nested_deeply(session: Start, depth: int) -> None:
    s = session([nested(depth), "One.", "Two."])
    run, answer = s.ask()
    assert answer.text == "One."
    assert [e.ok for e in run.events if isinstance(e, ToolFinish)] == [False]
    assert s.ask("more")[1].text == "Two."


def test_a_preview_that_fails_is_told_and_nothing_runs(session: Start) -> None:
    s = session([python("x = a" + ".b()" * 3000), "One."], approve="always")
    run, answer = s.ask()
    assert answer.finish == "answer"
    assert "x" not in s.names
    check(run.events)


def test_a_tool_that_will_not_be_cancelled(session: Start) -> None:
    async def deaf(n: int) -> str:
        """Sleep on."""
        until = asyncio.get_running_loop().time() + 8
        while asyncio.get_running_loop().time() < until:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                continue
        return "slept"

    s = session([Step(calls=[Call("deaf", {"n": 1})]), "One.", "Two."], tool_timeout_s=0.2)
    s.agent.tools.register(deaf, effect="reads")
    _run, answer = s.ask()
    assert answer.text == "One."
    assert "0.2 s" in s.results()[0]
    assert s.ask("more")[1].text == "Two."


def test_a_tool_whose_own_task_was_cancelled(session: Start) -> None:
    async def confused(n: int) -> str:
        """Await what is cancelled."""
        task = asyncio.ensure_future(asyncio.sleep(30))
        task.cancel()
        await task
        return "never"

    s = session([Step(calls=[Call("confused", {"n": 1})]), "One."])
    s.agent.tools.register(confused, effect="reads")
    _run, answer = s.ask()
    assert (answer.text, answer.finish) == ("One.", "answer")
    assert "CancelledError" in s.results()[0]


def test_stop_while_the_wall_clock_is_ending_the_round(session: Start) -> None:
    loop = "import time\nwhile True:\n    try:\n        time.sleep(0.05)\n    except KeyboardInterrupt:\n        pass"
    s = session([python(loop), "In time.", "Next."], approve="always", wall_clock_s=0.5)
    run = s.agent.ask("go")
    assert s.agent.bridge.wait(lambda: any(e.kind == "ApprovalResolved" for e in run.events), 30)
    import time

    time.sleep(1)
    run.stop()
    answer = run.result(timeout=60)
    check(run.events)
    assert answer.finish in ("timeout", "stopped")
    assert s.agent.history[-1]["role"] == "assistant"


def test_a_fault_of_our_own_ends_the_round_whole(session: Start) -> None:
    s = session([python("x = 1"), "One.", "Two."], approve="always")

    heard = s.agent.conversation.journal.event

    def broken(event: Any) -> None:
        if event.kind == "ApprovalResolved":
            s.agent.conversation.journal.event = heard
            raise RuntimeError("a fault of ours")
        heard(event)

    s.agent.conversation.journal.event = broken
    run = s.agent.ask("go")
    answer = run.result(timeout=30)
    assert answer.finish == "error"
    check(run.events)
    assert "a fault of ours" in str([e.to_dict() for e in run.events])
    assert s.ask("more")[1].finish == "answer"


def test_a_ledger_that_cannot_be_written_stops_nothing(session: Start, tmp_path: Path) -> None:
    s = session(["One."])
    (tmp_path / "home" / "ledger").mkdir(parents=True)
    _, answer = s.ask()
    assert (answer.text, answer.finish) == ("One.", "answer")
    assert s.agent.ledger.fault
    assert s.agent.ledger.spent().total > 0


def test_running_the_agents_cell_again_keeps_the_conversation(session: Start) -> None:
    first = session(["One."])
    first.ask("one")
    second = session(["Two."])
    assert [m["content"] for m in second.agent.history if m["role"] == "assistant"] == ["One."]
    with pytest.raises(NepheleError, match="newer one"):
        first.agent.ask("more")
    busy = second.agent.ask("two")
    assert busy.result(30).text == "Two."


def test_undo_goes_back_round_by_round(session: Start) -> None:
    def note(title: str) -> Step:
        return Step(calls=[Call("create_note", {"title": title, "text": title})])

    s = session([note("A"), "one", note("B"), "two"], approve="always")
    s.ask("first")
    s.ask("second")
    assert "B" in s.agent.undo().restored[0]
    assert "A" in s.agent.undo().restored[0]
    with pytest.raises(NepheleError, match="nothing to undo"):
        s.agent.undo()


DAMAGED = [
    {"role": "assistant", "content": "lost its question"},
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "t", "arguments": "{}"}}]},
    {"role": "user", "content": "b"},
    {"role": "user", "content": "c"},
    {"role": "tool", "tool_call_id": "9", "content": "answers nothing"},
    {"role": "assistant", "content": "x"},
    {"role": "assistant", "content": "y"},
]


@pytest.mark.parametrize("lost", range(len(DAMAGED) + 1))
def test_a_damaged_history_is_mended(lost: int) -> None:
    messages = mend(DAMAGED[:lost] + DAMAGED[lost + 1 :], "[lost]", "[no answer]")
    while messages and messages[-1]["role"] != "user":
        messages = messages[:-1]
    assert [rule({"messages": messages}) for rule in SESSION if rule({"messages": messages})] == []


@pytest.mark.parametrize(
    "line",
    [
        '{"message": "x"}',
        '{"message": {}}',
        '{"message": {"role": "tool", "content": "x"}}',
        "[" * 100_000,
        "3",
        "null",
    ],
)
def test_a_line_of_another_form_costs_only_itself(session: Start, tmp_path: Path, line: str) -> None:
    s = session(["One."])
    s.ask("one")
    s.agent.close()
    path = tmp_path / "home" / "journal" / "talk.jsonl"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:2], line, *lines[2:]]) + "\n", "utf-8")
    again = session(["Two."])
    assert again.agent.conversation.journal.record.broken_lines == 1
    assert isinstance(again.agent.conversation.events[-1], LoopDone)
    assert again.ask("two")[1].text == "Two."


def test_a_fault_before_the_round_begins_ends_it_all_the_same(session: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    s = session(["Hello.", "Next."])

    async def settle(round: Any, endpoint: Any) -> Any:
        raise RuntimeError("no rules today")

    with monkeypatch.context() as patch:
        patch.setattr(s.agent._route, "settle", settle)
        _, answer = s.ask()
    assert answer.finish == "error"
    assert "no rules today" in answer.text
    assert s.ask()[1].text == "Hello."
