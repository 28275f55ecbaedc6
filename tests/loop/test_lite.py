"""Tier lite through a whole agent: a real model on this machine, the passages where it fails, never a loop."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import nephele_nb as nn
from nephele_nb.commands.report import status
from nephele_nb.events import Progress, RoundStart, StreamChunk, ToolStart
from nephele_nb.run import Run
from nephele_nb.strings import Strings
from tests.loop.session import PATIENCE_S, check
from tests.model.test_local import alive
from tests.model.tiny_gguf import write

pytest.importorskip("xllamacpp")
NOTE = "Sales fell in March because the depot in Brno closed. Tea is served at four."
QUOTED = "> Sales fell in March because the depot in Brno closed. [1]"
QUESTION = "Why did sales fall in March?"

Start = Callable[..., nn.Agent]


@pytest.fixture
def lite(tmp_path: Path) -> Iterator[Start]:
    """Return what starts an agent of tier lite over a library with one note."""
    made: list[nn.Agent] = []

    def start(**settings: Any) -> nn.Agent:
        library = nn.Library(tmp_path / "library", embedder="none")
        library.add_note("Sales", NOTE)
        made.append(nn.Agent(home=tmp_path / "home", library=library, namespace={}, tier="lite", **settings))
        return made[-1]

    yield start
    for agent in made:
        agent.close()
        agent.library.close()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("models") / "tiny.gguf", ["Sales", " fell", " in", " March", " [1]."])


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("models") / "endless.gguf", ["Sales", " fell", ". "], endless=True)


def asked(agent: nn.Agent, text: str = QUESTION, **more: Any) -> tuple[Run, Any]:
    run = agent.ask(text, **more)
    answer = run.result(timeout=PATIENCE_S)
    check(run.events)
    return run, answer


def pid(agent: nn.Agent) -> int:
    lite = agent._route._lite
    assert lite is not None
    server = lite._served.server
    assert server is not None
    assert server._child is not None
    return server._child.pid


def first_words(run: Run) -> None:
    next(event for event in run if isinstance(event, StreamChunk))


@pytest.mark.parametrize("mode", ["chat", "research", "agent"])
def test_a_model_here_answers_in_one_turn_whatever_the_mode(lite: Start, tiny: Path, mode: str) -> None:
    agent = lite(lite_model=str(tiny), mode=mode)
    run, answer = asked(agent)
    assert answer.text == "Sales fell in March [1]."
    assert (answer.finish, answer.usage.steps, [s.title for s in answer.sources]) == ("answer", 1, ["Sales"])
    starts = [e for e in run.events if isinstance(e, RoundStart)]
    assert [(e.tier, e.mode, e.host) for e in starts] == [("lite", "chat", "")]
    assert [e for e in run.events if isinstance(e, Progress) and "tiny" in e.label]
    assert not [e for e in run.events if isinstance(e, ToolStart)]


def test_it_ends_with_its_agent(lite: Start, tiny: Path) -> None:
    agent = lite(lite_model=str(tiny))
    asked(agent)
    child = pid(agent)
    assert alive(child)
    agent.close()
    assert not alive(child)


def test_two_agents_have_a_model_each_and_end_it_each(lite: Start, tiny: Path) -> None:
    agents = [lite(lite_model=str(tiny), conversation=name) for name in ("one", "two")]
    runs = [agent.ask(QUESTION) for agent in agents]
    assert [run.result(timeout=PATIENCE_S).text for run in runs] == ["Sales fell in March [1]."] * 2
    first, second = map(pid, agents)
    agents[0].close()
    assert (alive(first), alive(second)) == (False, True)
    assert asked(agents[1])[1].text == "Sales fell in March [1]."


def test_without_a_model_passages_are_quoted(lite: Start) -> None:
    _, answer = asked(lite(lite_model="none"))
    assert QUOTED in answer.text
    assert "no model was used" in answer.text


def test_nothing_found_is_a_statement_and_loads_no_model(lite: Start, tiny: Path) -> None:
    agent = lite(lite_model=str(tiny))
    _, answer = asked(agent, "zebra xylophone")
    assert answer.text.startswith("Nothing in your library matches")
    assert "lite install" not in answer.text
    _, answer = asked(lite(lite_model="none", conversation="other"), "zebra xylophone")
    assert "%nephele lite install" in answer.text


@pytest.mark.parametrize("text", [QUESTION, "Brno depot closed 为什么？"])
def test_a_model_that_cannot_start_leaves_the_passages_and_says_why(lite: Start, tmp_path: Path, text: str) -> None:
    odd = write(tmp_path / "odd.gguf", ["x"], general__architecture="nosuch", nosuch__context_length=64)
    _, answer = asked(lite(lite_model=str(odd)), text)
    assert "nosuch" in answer.text
    assert "Brno" in answer.text
    assert answer.finish == "answer"


def test_a_named_model_that_is_not_there_is_said(lite: Start, tmp_path: Path) -> None:
    _, answer = asked(lite(lite_model=str(tmp_path / "no.gguf")))
    assert "no.gguf" in answer.text
    assert QUOTED in answer.text


def test_a_model_that_dies_in_its_answer_leaves_the_passages(lite: Start, endless: Path) -> None:
    agent = lite(lite_model=str(endless))
    run = agent.ask(QUESTION)
    first_words(run)
    os.kill(pid(agent), signal.SIGKILL)
    answer = run.result(timeout=PATIENCE_S)
    check(run.events)
    assert "Sales fell" in answer.text
    assert "ended (exit -9)" in answer.text
    assert QUOTED in answer.text


def test_a_stop_ends_its_answer_and_keeps_the_model(lite: Start, endless: Path) -> None:
    agent = lite(lite_model=str(endless))
    run = agent.ask(QUESTION)
    first_words(run)
    run.stop()
    assert run.result(timeout=PATIENCE_S).finish == "stopped"
    assert alive(pid(agent))


def test_the_status_names_the_model_that_answers_and_none_where_there_is_none(lite: Start, tiny: Path) -> None:
    (named, *_), (none, *_) = (status(lite(lite_model=m), (), Strings("en")) for m in (str(tiny), "none"))
    assert named == "tier: lite (tiny, this machine)"
    assert none == "tier: lite (no model, this machine)"
