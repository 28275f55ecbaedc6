"""What is assigned to an agent is a setting that counts from then on, or an error that names the right one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nephele_nb.errors import SettingError
from tests.loop.session import Session, python

Start = Callable[..., Session]


def test_an_assigned_policy_and_mode_count_from_the_next_message_on(session: Start) -> None:
    s = session([python("x = 1"), "Done.", "Plain."])
    s.agent.approve = "always"
    assert s.ask()[1].text.startswith("Done.")
    assert s.names["x"] == 1
    s.agent.mode = "chat"
    assert s.agent.mode == "chat"  # type: ignore[attr-defined]
    run, _ = s.ask()
    assert run.events[0].to_dict()["mode"] == "chat"


def test_an_assigned_time_limit_counts_for_tools_and_requests_that_there_were_before(session: Start) -> None:
    script = [python("x = 1"), "Done.", python("import time; time.sleep(30)"), "Cut.", "Late."]
    s = session(script, approve="always", first_delay_s=0.5)
    s.ask()
    s.agent.run_timeout_s = 0.5
    assert s.ask()[1].text.startswith("Cut.")
    assert "0.5" in s.results()[-1]
    s.agent.first_byte_timeout_s = 0.1
    assert s.ask()[1].finish == "error"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("approve", "alwys", "did you mean 'always'"),
        ("headless_approve", "nevr", "did you mean 'never'"),
        ("mode", "caht", "mode"),
        ("max_steps", "many", "max_steps"),
        ("aprove", "always", "did you mean 'approve'"),
        ("home", "/elsewhere", r"Agent\(home=…\)"),
        ("library", "/elsewhere", r"Agent\(library=…\)"),
        ("tools", {}, "Agent.tools can't be assigned"),
        ("history", [{}], "Agent.history can't be assigned"),
        ("notebook", "x.ipynb", "Agent.notebook can't be assigned"),
    ],
)
def test_what_can_not_be_assigned_says_so_and_changes_nothing(
    session: Start, name: str, value: Any, words: str
) -> None:
    s = session(["Hello."])
    with pytest.raises(SettingError, match=words):
        setattr(s.agent, name, value)
    assert getattr(s.agent, name, None) != value
    assert s.ask()[1].text == "Hello."


def test_the_settings_take_the_same(session: Start) -> None:
    s = session([python("x = 1"), "Done."])
    s.agent.settings.approve = "always"
    assert s.agent.settings.with_(mode="chat").approve == "always"
    with pytest.raises(SettingError, match="did you mean 'approve'"):
        s.agent.settings.aprove = "never"
    s.ask()
    assert s.names["x"] == 1


def test_an_unknown_attribute_names_the_nearest(session: Start) -> None:
    s = session(["Hello."])
    with pytest.raises(AttributeError, match="did you mean 'approve'"):
        _ = s.agent.aprove  # type: ignore[attr-defined]
    assert not hasattr(s.agent, "_repr_html_")
