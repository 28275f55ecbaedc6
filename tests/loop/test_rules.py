"""A plain command is answered by a rule: one call, no request, and the model knows of it afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import nephele_nb as nn
from nephele_nb.errors import ModelError
from nephele_nb.events import LoopDone, NavigateView, Progress, RoundStart, ToolFinish, ToolStart
from nephele_nb.model.scripted import Call, Step
from nephele_nb.run import Run
from tests.loop.session import Session, python

Start = Callable[..., Session]


def called(run: Run) -> tuple[str, dict[str, Any], bool]:
    (start,) = (e for e in run.events if isinstance(e, ToolStart))
    (finish,) = (e for e in run.events if isinstance(e, ToolFinish))
    return start.tool, start.arguments, finish.ok


def stocked(session: Start, script: Any = ("From the model.",), **settings: Any) -> Session:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    s = session(list(script), namespace={"df": frame}, **settings)
    s.agent.library.add_table("sales", [{"region": "North", "amount": 1.5}, {"region": "South", "amount": 2.0}])
    s.agent.library.add_note("Plan", "Buy bread.", content_id="plan-id")
    return s


def test_a_command_takes_one_call_and_no_request(session: Start) -> None:
    s = stocked(session)
    run, answer = s.ask("list tables")
    assert [e.kind for e in run.events] == ["RoundStart", "ToolStart", "ToolFinish", "StreamChunk", "LoopDone"]
    assert called(run) == ("list_items", {"kind": "tables"}, True)
    assert answer.finish == "rule"
    assert "sales (2)" in answer.text
    assert answer.text.endswith('*No model was used:* `list_items(kind="tables")`')
    start = run.events[0]
    assert isinstance(start, RoundStart)
    assert (start.tier, start.host) == ("lite", "")
    assert s.model.requests == []
    assert answer.usage.steps == 0


@pytest.mark.parametrize(
    ("text", "tool", "said"),
    [
        ("list notes", "list_items", "Plan"),
        ("list variables", "list_items", "`df`"),
        ("list tools", "list_items", "search_notes"),
        ("list rules", "list_items", "undo"),
        ("list skills", "list_items", "Skills:"),
        ("list memories", "list_items", "Nothing is remembered"),
        ("how many notes do I have?", "count_items", "Notes: 1"),
        ("stats", "show_stats", "1 tables with 2 rows"),
        ("schema of df", "table_schema", "- a (int64)"),
        ("schema of sales", "table_schema", "- amount ("),
        ("df.head(2)", "show_rows", "the first 2 of 3 rows"),
        ("head of sales", "show_rows", "| North | 1.5 |"),
        ("shape of df", "table_shape", "3 rows × 2 columns"),
        ("how many rows in sales?", "count_rows", "has 2 rows"),
        ("df有多少行？", "count_rows", "有 3 行"),
        ("状态", "show_status", "档位"),
        ("help", "show_help", "%nephele"),
    ],
)
def test_what_each_command_says(session: Start, text: str, tool: str, said: str) -> None:
    s = stocked(session)
    run, answer = s.ask(text)
    assert (called(run)[0], called(run)[2]) == (tool, True)
    assert said in answer.text


def test_the_next_request_is_valid_and_knows_of_it(session: Start) -> None:
    s = stocked(session)
    s.ask("list tables")
    _, answer = s.ask("and now?")
    assert answer.text == "From the model."
    sent = s.bodies[0]["messages"]
    assert [m["role"] for m in sent] == ["system", "user", "assistant", "user"]
    assert sent[1]["content"] == "list tables"
    assert "sales (2)" in sent[2]["content"]
    assert "<<result" in sent[2]["content"]
    assert "No model was used" not in sent[2]["content"]


@pytest.mark.parametrize("text", ["// list tables", "//list tables"])
def test_the_sign_forces_the_model_and_is_taken_off(session: Start, text: str) -> None:
    s = stocked(session)
    run, answer = s.ask(text)
    assert answer.text == "From the model."
    assert run.text == "list tables"
    assert s.bodies[0]["messages"][-1]["content"].endswith("\nlist tables")


@pytest.mark.parametrize("more", [{"research": True}, {"mode": "research"}])
def test_research_is_never_answered_by_a_rule(session: Start, more: dict[str, Any]) -> None:
    s = stocked(session)
    assert s.ask("list tables", **more)[1].finish == "answer"
    assert len(s.model.requests) == 1


def test_opening_and_closing_show_a_view(session: Start) -> None:
    s = stocked(session)
    shown = []
    for text in ("open Plan", "open sales", "open the graph", "show the graph of Plan", "close"):
        run, _ = s.ask(text)
        shown += [(e.view, e.target) for e in run.events if isinstance(e, NavigateView)]
    assert shown == [("note", "plan-id"), ("table", "sales"), ("graph", ""), ("graph", "plan-id"), ("chat", "")]


def test_a_plain_command_for_what_is_not_there_says_what_is(session: Start) -> None:
    s = stocked(session)
    run, answer = s.ask("schema of table nosuch")
    assert called(run)[2] is False
    assert answer.finish == "rule"
    assert 'no table or data frame named "nosuch"' in answer.text
    assert "sales" in answer.text
    assert "`//`" in answer.text
    assert s.ask("open nosuch")[1].text == "From the model."


def test_it_works_with_the_network_down_and_with_no_endpoint_at_all(tmp_path: Path) -> None:
    for settings in ({"base_url": "http://127.0.0.1:9/v1", "model": "m"}, {"tier": "byok"}, {"tier": "zephyr"}):
        agent = nn.Agent(home=tmp_path / "home", embedder="none", namespace={}, conversation="talk", **settings)
        try:
            answer = agent.ask("list notes").result(30)
            assert answer.finish == "rule"
            assert agent.ask("status").result(30).finish == "rule"
            if "tier" in settings:
                assert agent.ask("open nosuch").result(30).finish == "rule"
                with pytest.raises(ModelError):
                    agent.ask("what is new?")
        finally:
            agent.close()


def test_mode_and_tier_change_what_comes_after(session: Start) -> None:
    s = stocked(session)
    assert s.ask("switch to chat mode")[1].finish == "rule"
    assert s.agent.settings.mode == "chat"
    s.ask("research mode")
    assert s.agent.settings.mode == "research"
    assert s.ask("切换到代理模式")[1].finish == "rule"
    assert s.agent.settings.mode == "agent"
    run, answer = s.ask("switch to zephyr")
    assert called(run)[2] is False
    assert "endpoint" in answer.text
    assert s.agent.endpoint.tier == "byok"
    s.ask("use lite")
    assert s.agent.endpoint.tier == "lite"


def test_clear_begins_anew_and_stays_so(session: Start) -> None:
    s = stocked(session)
    s.ask("hello there")
    _, answer = s.ask("clear the conversation")
    assert "2 messages" in answer.text
    s.ask("and now?")
    assert next(m["content"] for m in s.bodies[1]["messages"] if m["role"] == "user") == "clear the conversation"
    kept = len(s.agent.history)
    s.agent.close()
    again = nn.Agent(home=s.agent.home, library=s.agent.library, namespace={}, conversation="talk", tier="lite")
    assert len(again.history) == kept
    assert any(isinstance(e, RoundStart) and e.text == "hello there" for e in again.conversation.events)
    again.close()


def test_undo_takes_back_the_last_round(session: Start) -> None:
    note = Call("create_note", {"title": "New", "text": "text"})
    s = stocked(session, [Step(calls=[note]), "Written."], approve="always")
    s.ask("write it")
    assert s.agent.library.stats()["notes"] == 2
    run, answer = s.ask("undo")
    assert called(run)[:1] == ("undo",)
    assert "Taken back: 1" in answer.text
    assert "UNDO" not in answer.text
    assert s.agent.library.stats()["notes"] == 1
    assert "nothing to undo" in s.ask("undo")[1].text


def test_stop_ends_what_runs_the_moment_it_comes(session: Start) -> None:
    s = stocked(session, [python("1 + 1"), "Never said."])
    run = s.agent.ask("compute")
    s.pending(run)
    stopping = s.agent.ask("stop")
    assert s.finish(run).finish == "stopped"
    answer = s.finish(stopping)
    assert answer.finish == "rule"
    assert "Stopped" in answer.text
    assert "Nothing is running" in s.ask("stop")[1].text


def test_stop_steered_into_a_round_stops_it_and_another_command_does_not(session: Start) -> None:
    s = stocked(session, [python("1 + 1"), "Never said."])
    run = s.agent.ask("compute")
    s.pending(run)
    run.steer("停止")
    assert s.finish(run).finish == "stopped"
    while len(s.agent.runs) < 2:
        threading.Event().wait(0.01)
    assert s.finish(s.agent.runs[-1]).finish == "rule"


def test_a_steer_for_the_model_loses_its_sign(session: Start) -> None:
    s = stocked(session, [python("1 + 1"), "Heard."])
    run = s.agent.ask("compute")
    s.pending(run)
    run.steer("// stop")
    assert s.finish(run).text == "Heard."
    assert s.bodies[1]["messages"][-1]["content"] == "stop"


OWN = """
[[rule]]
name = "north"
call = "scan_table"
phrases = ["north please"]
arguments = { name = "sales", where = "region = 'North'" }

[[rule]]
name = "jot"
call = "create_note"
phrases = ["jot down {text}"]
arguments = { title = "Jotted", text = "{text}" }
"""


def test_own_rules_call_tools_and_what_writes_is_asked(session: Start) -> None:
    s = stocked(session)
    folder = s.agent.home / "rules"
    folder.mkdir(parents=True)
    (folder / "own.toml").write_text(OWN)
    run, answer = s.ask("north please")
    assert called(run)[0] == "scan_table"
    assert "North" in answer.text
    assert [source.title for source in answer.sources] == ["sales"]
    run = s.agent.ask("jot down milk")
    s.pending(run).reject("no")
    assert "rejected" in s.finish(run).text
    assert s.agent.library.stats()["notes"] == 1
    run = s.agent.ask("jot down milk")
    s.pending(run).approve()
    assert "UNDO" in s.finish(run).text
    assert s.agent.library.stats()["notes"] == 2
    assert s.model.requests == []


def test_a_broken_rule_is_told_once_and_stands_in_the_status(session: Start) -> None:
    s = stocked(session)
    folder = s.agent.home / "rules"
    folder.mkdir(parents=True)
    (folder / "bad.toml").write_text('[[rule]]\nname = "bad"\ncall = "x"\nphrases = ["say {it}"]\n')
    told = []
    for text in ("hello there", "hello again"):
        run, _ = s.ask(text)
        told += [e.label for e in run.events if isinstance(e, Progress)]
    assert len(told) == 1
    assert "bad.toml" in told[0]
    assert "bad.toml" in s.ask("status")[1].text


def test_a_command_whose_tool_is_not_there_is_no_fault_of_the_round(session: Start) -> None:
    s = stocked(session)
    folder = s.agent.home / "rules"
    folder.mkdir(parents=True)
    (folder / "own.json").write_text('[{"name": "gone", "call": "nosuch_tool", "phrases": ["do the thing"]}]')
    run, answer = s.ask("do the thing")
    assert isinstance(run.events[-1], LoopDone)
    assert answer.finish == "rule"
    assert "no tool named 'nosuch_tool'" in answer.text


def test_the_model_never_sees_the_commands(session: Start) -> None:
    s = stocked(session)
    s.ask("hello there")
    offered = {t["function"]["name"] for t in s.bodies[0]["tools"]}
    assert not offered & {"undo", "stop", "clear", "set_tier", "set_mode", "list_items", "show_rows"}
    assert "undo" not in str(s.bodies[0]["tools"])
