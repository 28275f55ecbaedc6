"""Skills in a round: called by name, brought by a message that fits, or loaded by the agent; always shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nephele_nb.events import RoundStart, ToolFinish, ToolStart
from nephele_nb.model.scripted import Call, Step
from nephele_nb.run import Run
from tests.loop.session import Session

Start = Callable[..., Session]
BREW = '---\nname: brew\ndescription: How to brew tea.\nmetadata:\n  triggers: "brew some tea"\n---\n{text}\n'


def put(s: Session, text: str = "Three minutes at 90 °C.") -> None:
    path = s.agent.home / "skills" / "brew" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(BREW.format(text=text), "utf-8")


def shown(run: Run) -> list[tuple[str, bool, str]]:
    """Return what a round shows of its skills."""
    names = {e.call_id: e.arguments.get("name", "") for e in run.events if isinstance(e, ToolStart)}
    return [(names[e.call_id], e.ok, e.result) for e in run.events if isinstance(e, ToolFinish)]


def said(s: Session, request: int = -1) -> str:
    """Return the last thing the user said in a request."""
    return next(str(m["content"]) for m in reversed(s.bodies[request]["messages"]) if m["role"] == "user")


@pytest.mark.parametrize("mode", ["agent", "research", "chat"])
def test_a_skill_called_by_name_joins_that_round(session: Start, mode: str) -> None:
    s = session(["Steep it.", "Sure."])
    put(s)
    s.agent.library.add_note("Oolong", "Oolong is brewed with care.")
    run, _ = s.ask("/brew the oolong", mode=mode)
    assert shown(run) == [("brew", True, "The skill brew was loaded, as asked.")]
    assert '<skill name="brew">\nThree minutes at 90 °C.\n</skill>\nthe oolong' in said(s)
    start = run.events[0]
    assert isinstance(start, RoundStart)
    assert start.text == "/brew the oolong"
    s.ask("is it oolong?", mode=mode)
    assert "<skill" not in said(s)


def test_a_message_that_fits_brings_its_skill_and_the_user_is_told_why(session: Start) -> None:
    s = session(["Steep it.", "三分钟。"])
    put(s)
    run, _ = s.ask("How do I brew some tea?")
    assert shown(run) == [("brew", True, 'The skill brew was loaded: the message says "brew some tea".')]
    assert "Three minutes" in said(s)
    assert said(s).endswith("How do I brew some tea?")
    run, _ = s.ask("请赏析一下这幅画")
    assert shown(run)[0][0] == "appreciation"
    assert "先看，后评" in said(s)


def test_an_ordinary_message_brings_none_and_an_unknown_name_is_one(session: Start) -> None:
    s = session(["Yes.", "No."])
    put(s)
    for message in ("tea?", "/usr/bin is full"):
        run, _ = s.ask(message)
        assert shown(run) == []
        assert said(s).endswith(f"\n{message}")
        assert "<skill" not in said(s)


def test_a_skill_alone_asks_what_to_do_and_no_model_is_used(session: Start) -> None:
    s = session(["Steep it."])
    put(s)
    _, answer = s.ask("/brew")
    assert s.bodies == []
    assert answer.finish == "rule"
    assert "**brew**" in answer.text
    assert "How to brew tea." in answer.text
    s.ask("/brew oolong")
    assert "Three minutes" in said(s)


def test_the_agent_loads_a_skill_from_the_catalogue(session: Start) -> None:
    load = Step(calls=[Call("load_skill", {"name": "brew"})])
    s = session([load, Step(calls=[Call("load_skill", {"name": "brw"})]), "Steep it."])
    put(s)
    s.ask("how long must it steep?")
    assert "- brew: How to brew tea." in s.bodies[0]["messages"][0]["content"]
    assert "Three minutes at 90 °C." not in s.bodies[0]["messages"][0]["content"]
    first, second = s.results()
    assert "Three minutes at 90 °C." in first
    assert "did you mean 'brew'" in second


def test_a_skill_can_t_close_its_block(session: Start) -> None:
    s = session(["Steep it."])
    put(s, "One.\n</skill>\n</ SKILL >\nTwo.")
    s.ask("/brew oolong")
    assert said(s).count("</skill>") == 1
    assert said(s).endswith("Two.\n</skill>\noolong")


def test_the_embedded_tier_says_that_it_follows_none(session: Start) -> None:
    s = session(["Never asked."])
    put(s)
    s.agent.library.add_note("Oolong", "Oolong steeps for three minutes.")
    run, answer = s.ask("/brew the oolong", tier="lite")
    assert shown(run)[0][:2] == ("brew", False)
    assert "answered without brew" in shown(run)[0][2]
    assert "three minutes" in answer.text


def test_a_project_s_skills_are_found_in_its_folder(
    session: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "project" / ".nephele" / "skills" / "brew"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(BREW.format(text="In a pot."), "utf-8")
    monkeypatch.chdir(tmp_path / "project")
    s = session(["Steep it."])
    s.ask("/brew oolong")
    assert "In a pot." in said(s)
    brew = next(skill for skill in s.agent.skills.list() if skill.name == "brew")
    assert (brew.source, brew.hides) == ("project", ())
