"""What is known to be secret leaves the kernel in no result, event, journal line or request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from nephele_nb.events import to_dict
from nephele_nb.model.scripted import Call, Step
from nephele_nb.secrets import MARK, Secrets
from nephele_nb.settings import Effective, Nephele
from tests.loop.session import Session, python, search

Start = Callable[..., Session]
CANARY = "canary-3f9a/7712+xyz"


def told(s: Session, tmp_path: Path) -> str:
    """Return all that left: requests, events, the journal."""
    journal = "".join(p.read_text("utf-8") for p in (tmp_path / "home" / "journal").glob("*.jsonl"))
    return f"{s.bodies}{[to_dict(e) for r in s.agent.runs for e in r.events]}{journal}"


@pytest.mark.parametrize(
    "code",
    [
        "import os; print('the value is', os.environ['WEATHER_API_KEY'])",
        "import os; os.environ['WEATHER_API_KEY']",
        "import os; raise RuntimeError(os.environ['WEATHER_API_KEY'])",
        "import os; dict(os.environ)",
    ],
)
def test_a_canary_that_code_prints_stays_here(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setenv("WEATHER_API_KEY", CANARY)
    s = session([python(code), "Done."], approve="always")
    s.ask()
    assert CANARY not in told(s, tmp_path)
    assert MARK in s.results()[0]


def test_a_canary_in_a_note_and_in_an_edit_stays_here(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", CANARY)
    s = session([search("budget"), python("x = 1"), "Done."])
    s.agent.library.add_note("Budget", f"budget password: {CANARY}")
    run = s.agent.ask("go")
    s.pending(run).approve(f"x = '{CANARY}'")
    s.finish(run)
    assert s.names["x"] == CANARY
    assert CANARY not in str(s.bodies)
    (operation,) = s.agent.journal.operations(run.round_id)
    assert operation.executed == f"x = '{MARK}'"


def test_a_tool_of_the_users_own_is_held_to_it(session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", CANARY)

    def call_home(n: int) -> str:
        """Call home."""
        raise ValueError(f"GET /?token={CANARY}")

    s = session([Step(calls=[Call("call_home", {"n": 1})]), "Done."])
    s.agent.tools.register(call_home, effect="reads")
    s.ask()
    assert CANARY not in told(s, tmp_path)


def secrets(environ: dict[str, str], **settings: str) -> Secrets:
    return Secrets(Effective(Nephele(), settings), environ)


def test_what_counts_as_secret() -> None:
    environ = {
        "OPENAI_API_KEY": "sk-aaaaaaaa",
        "github_token": "ghp_bbbbbbbb",
        "SHORT_KEY": "1234567",
        "KEYBOARD": "qwertz-layout",
        "HOME": "some/long/home",
        "OPENAI_BASE_URL": "http://user:pa%20ssword@host/v1",
    }
    held = secrets(environ, api_key="sk-cccccccc").values()
    assert {"sk-aaaaaaaa", "ghp_bbbbbbbb", "sk-cccccccc", "pa%20ssword"} <= set(held)
    assert not {"1234567", "qwertz-layout", "some/long/home"} & set(held)


def test_a_secret_is_hidden_whole_and_in_an_address() -> None:
    held = secrets({"A_KEY": CANARY, "B_KEY": CANARY[:12]})
    assert held.hide(f"a {CANARY} b") == f"a {MARK} b"
    assert held.hide("q=canary-3f9a%2F7712%2Bxyz&") == f"q={MARK}&"
    assert held.hide_in({"a": [CANARY, 1]}) == {"a": [MARK, 1]}


@pytest.mark.parametrize("size", [1, 3, 7, 50])
def test_a_secret_cut_in_pieces_is_hidden(size: int) -> None:
    held = secrets({"A_KEY": CANARY})
    text = f"before {CANARY} between {CANARY} after"
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    hidden = held.hide_pieces(pieces)
    assert len(hidden) == len(pieces)
    assert "".join(hidden) == held.hide(text)
