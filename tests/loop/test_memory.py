"""Memory in a conversation: asked before it is written, refused where it should not last, taken back, known later."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import nephele_nb as nn
from nephele_nb.errors import NepheleError
from nephele_nb.events import ApprovalRequest, ToolFinish
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session

Start = Callable[..., Session]
CARD = {"title": "Plots", "summary": "dark, with units", "type": "user", "body": "Dark plots; units on both axes."}


def remember(**changed: object) -> Step:
    return Step(calls=[Call("memory_write", CARD | changed)])


def system(s: Session, request: int = -1) -> str:
    content = s.bodies[request]["messages"][0]["content"]
    assert isinstance(content, str)
    return content


def test_a_card_is_written_when_the_user_has_approved_it(session: Start) -> None:
    s = session([remember(), "Kept."])
    run = s.agent.ask("remember that I like dark plots")
    approval = s.pending(run)
    assert s.agent.memory.list() == []
    assert (approval.tool, approval.description, approval.code) == ("memory_write", "Plots", None)
    assert list(approval.effects) == ['writes the memory card "Plots"']
    approval.approve()
    answer = s.finish(run)
    assert "<!--UNDO:" in answer.text
    card = s.agent.memory.read("plots")
    assert (card.title, card.summary, card.type, card.body) == tuple(CARD.values())
    report = s.agent.undo()
    assert report.restored == ("memory_write: Plots",)
    assert s.agent.memory.list() == []


def test_a_rejected_card_is_not_written(session: Start) -> None:
    s = session([remember(), "Fine."], approve="never")
    s.ask("remember it")
    assert s.agent.memory.list() == []
    assert not s.agent.memory.folder.exists()


@pytest.mark.parametrize(
    ("changed", "sign"),
    [
        ({"summary": "today the user prefers dark plots"}, "today"),
        ({"body": "The frame lies in /tmp/run/frame.parquet"}, "/tmp/run/frame.parquet"),
        ({"body": "The key is sk-abcdefghij0123456789"}, "a password, a key"),
        ({"body": "canary-value-of-a-key"}, "a password, a key"),
    ],
)
def test_the_passing_and_the_secret_are_refused_and_nobody_is_asked(
    session: Start, monkeypatch: pytest.MonkeyPatch, changed: dict[str, object], sign: str
) -> None:
    monkeypatch.setenv("TEA_API_KEY", "canary-value-of-a-key")
    s = session([remember(**changed), "I did not keep it."], approve="always")
    run, _ = s.ask("remember it")
    finish = next(e for e in run.events if isinstance(e, ToolFinish))
    assert not finish.ok
    assert finish.result.startswith("Not remembered: ")
    assert sign in finish.result
    assert [e for e in run.events if isinstance(e, ApprovalRequest)] == []
    assert s.agent.memory.list() == []


def test_a_change_says_what_it_changes_and_gives_the_former_bytes_back(session: Start) -> None:
    s = session([remember(id="plots", body="Light plots."), "Changed.", remember(id="plots", body="Light plots."), "."])
    name = s.agent.memory.write(*CARD.values())
    path = s.agent.memory.read(name).path
    path.write_bytes(path.read_bytes().replace(b"created", b"# mine\r\ncreated"))
    before = path.read_bytes()
    run = s.agent.ask("no: light plots")
    approval = s.pending(run)
    assert list(approval.effects) == ['changes the memory card "Plots": body']
    approval.approve()
    s.finish(run)
    assert s.agent.memory.read("plots").body == "Light plots."
    again = s.agent.ask("no: light plots")
    s.pending(again).approve()
    assert "<!--UNDO:" not in s.finish(again).text
    assert s.agent.undo(run.round_id).not_restored == ()
    assert path.read_bytes() == before


def test_a_card_changed_while_the_user_was_asked_is_left_alone(session: Start) -> None:
    s = session([remember(id="plots", body="ours"), "So be it."])
    path = s.agent.memory.read(s.agent.memory.write(*CARD.values())).path
    run = s.agent.ask("change it")
    approval = s.pending(run)
    path.write_text("---\ntitle: Plots\n---\nby hand", "utf-8")
    approval.approve()
    s.finish(run)
    assert "has changed meanwhile" in s.results()[-1]
    assert s.agent.memory.read("plots").body == "by hand"


def test_the_index_stands_in_the_prompt_and_changes_only_with_the_cards(session: Start) -> None:
    read = Step(calls=[Call("memory_read", {"id": "plots"})])
    s = session(["Hello.", "Again.", remember(), "Kept.", read, "Dark, with units."], approve="always")
    s.ask("hello")
    assert "(none yet)" in system(s)
    s.ask("hello again")
    assert system(s) == system(s, 0)
    s.ask("remember that")
    assert system(s) == system(s, 0)
    s.ask("recall how I like plots")
    assert "user:\n- plots | Plots: dark, with units" in system(s)
    assert CARD["body"] not in system(s)
    assert CARD["body"] in s.results()[-1]


def test_a_second_card_of_one_title_is_told_of_the_first(session: Start) -> None:
    s = session([remember(title="PLOTS"), "Two cards."])
    s.agent.memory.write(*CARD.values())
    run = s.agent.ask("remember it")
    approval = s.pending(run)
    assert "exists already: plots." in approval.effects[1]
    approval.approve()
    s.finish(run)
    assert "written with id plots-2" in s.results()[0]
    assert "exists already: plots." in s.results()[0]


def test_an_unknown_card_is_a_sentence_the_model_can_act_on(session: Start) -> None:
    bad = [Call("memory_read", {"id": "plts"}), Call("memory_write", CARD | {"id": "../plots"})]
    s = session([Step(calls=bad), Step(calls=[Call("memory_write", CARD | {"type": "mood"})]), "Oh."], approve="always")
    s.agent.memory.write(*CARD.values())
    s.ask("recall my memory")
    assert all("plots" in text for text in s.results()[:2])
    assert "'user'" in s.results()[2]
    assert len(s.agent.memory.list()) == 1


def test_what_the_user_does_by_hand_is_taken_back_in_order(session: Start) -> None:
    s = session([remember(), "Kept."], approve="always")
    s.agent.memory.write("Tea", "", "project", "Oolong.")
    s.ask("remember it")
    s.agent.memory.delete("tea")
    assert [c.id for c in s.agent.memory.list()] == ["plots"]
    assert s.agent.undo().restored == ("memory.delete: Tea",)
    assert s.agent.undo().restored == ("memory_write: Plots",)
    assert [c.id for c in s.agent.memory.list()] == ["tea"]
    assert s.agent.undo().restored == ("memory.write: Tea",)
    with pytest.raises(NepheleError, match="nothing to undo"):
        s.agent.undo()


def test_a_closed_agent_leaves_the_conversation_to_the_next(session: Start) -> None:
    s = session(["Hello."])
    s.agent.close()
    s.agent.memory.write(*CARD.values())
    later = session(["Hello."])
    assert [c.id for c in later.agent.memory.list()] == ["plots"]
    assert later.agent.journal.rounds() == []


def test_a_card_changed_since_is_named_and_left(session: Start) -> None:
    s = session([remember(), "Kept."], approve="always")
    s.ask("remember it")
    s.agent.memory.read("plots").path.write_text("by hand", "utf-8")
    report = s.agent.undo()
    assert report.restored == ()
    assert report.not_restored[0].reason == "the card was changed since"
    assert s.agent.memory.read("plots").body == "by hand"


def test_an_inverse_survives_the_kernel(session: Start) -> None:
    s = session([remember(), "Kept."], approve="always")
    s.ask("remember it")
    s.agent.close()
    later = session(["Hello."])
    assert later.agent.undo().restored == ("memory_write: Plots",)
    assert later.agent.memory.list() == []


def test_a_tape_holds_nothing_of_the_home_and_runs_again_in_another(session: Start, tmp_path: Path) -> None:
    tape = tmp_path / "talk.tape"
    s = session(["Hello."], tape=tape, namespace={"rows": [1, 2]})
    s.agent.memory.write(*CARD.values())
    s.ask("hello")
    s.agent.close()
    assert "Plots" in system(s)
    assert "Plots" not in tape.read_text("utf-8")
    home = tmp_path / "other"
    again = nn.Agent(tape=tape, tape_mode="replay", home=home, namespace={"rows": [1, 2]}, library=tmp_path / "library")
    assert again.ask("hello").result(60).text == "Hello."
    again.close()
