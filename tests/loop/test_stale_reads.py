"""A variable that the user changed after the agent looked: said on the card and to the model, else not a word."""

from __future__ import annotations

from collections.abc import Callable

from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session, python

Start = Callable[..., Session]
LOOK = Step(calls=[Call("inspect_variables", {"names": ["lst"]})])
SAID = "the user has changed lst since you last looked"


def test_it_is_said_on_the_card_and_to_the_model(session: Start) -> None:
    s = session([LOOK, "Seen.", python("print(len(lst))"), "Two."])
    s.names["lst"] = [1]
    s.ask("look")
    s.names["lst"].append(2)
    run = s.agent.ask("count")
    approval = s.pending(run)
    assert "Changed since the agent last looked: lst" in approval.effects
    approval.approve()
    s.finish(run)
    assert SAID in s.results()[-1]


def test_a_change_while_the_card_waits_is_said_to_the_model(session: Start) -> None:
    s = session([LOOK, python("print(len(lst))"), "Two."])
    s.names["lst"] = [1]
    run = s.agent.ask("count")
    approval = s.pending(run)
    assert not [e for e in approval.effects if e.startswith("Changed since")]
    s.names["lst"] = [1, 2]
    approval.approve()
    s.finish(run)
    assert SAID in s.results()[-1]


def test_what_the_agent_itself_changed_is_no_news(session: Start) -> None:
    s = session([LOOK, python("lst.append(2)"), python("print(lst)"), "Two."], approve="always")
    s.names["lst"] = [1]
    s.ask("count")
    assert "since you last looked" not in "".join(s.results())


def test_code_that_only_sets_it_anew_is_not_told(session: Start) -> None:
    s = session([LOOK, "Seen.", python("lst = []"), "Empty."], approve="always")
    s.names["lst"] = [1]
    s.ask("look")
    s.names["lst"].append(2)
    s.ask("empty it")
    assert "since you last looked" not in "".join(s.results())
