"""The text after the magic arrives as it was typed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from nephele_nb.agent import Agent
from nephele_nb.errors import ApprovalUnanswered, LibraryError, ModelError, NepheleError, SettingError
from nephele_nb.magic import NepheleMagics, Options, _must_fail, _path, parse_options, take_as_typed
from nephele_nb.settings import shared


@pytest.mark.parametrize(
    "text",
    [
        "why did sales fall in March?",
        'what\'s in {x} and $y, or "this"?',
        "三月销量为什么下降？?",
        "is it 5 % or `10`?? \\n",
        "add up these numbers; please!",
    ],
)
def test_questions_reach_the_magic_untouched(text: str) -> None:
    manager = TransformerManager()
    manager.cleanup_transforms.append(take_as_typed)
    code = manager.transform_cell(f"x = 1\n%nephele {text}\ny = 2")
    calls: list[tuple[str, str]] = []

    class Shell:
        def run_line_magic(self, name: str, line: str) -> None:
            calls.append((name, line))

    names: dict[str, object] = {"get_ipython": Shell}
    exec(code, names)
    assert calls == [("nephele", text)]
    assert (names["x"], names["y"]) == (1, 2)


def test_a_string_is_left_alone() -> None:
    lines = ['doc = """\n', "%nephele why?\n", '"""\n']
    assert take_as_typed(lines) == lines


def test_a_cell_magic_is_left_alone() -> None:
    lines = ["%%nephele\n", "%nephele why?\n"]
    assert take_as_typed(lines) == lines


@pytest.mark.parametrize(
    ("line", "options", "rest"),
    [
        ("why?", Options(), "why?"),
        ("--wait why -- really?", Options(wait=True), "why -- really?"),
        ("--mode chat --tier byok --research x", Options("chat", "byok", True), "x"),
        ("-- --wait is a word", Options(), "-- --wait is a word"),
    ],
)
def test_options(line: str, options: Options, rest: str) -> None:
    assert parse_options(line) == (options, rest)


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(SettingError, match="--wait"):
        parse_options("--wiat why")


@pytest.mark.parametrize(
    "text",
    [
        "up all of these numbers " * 200,
        "/" + "long" * 2000,
        "~nosuchuser/x to my list",
        "'~nosuchuser/x'",
        "nothing\0here",
        "'nothing\0here'",
        "these numbers",
        "",
    ],
)
def test_what_cannot_be_a_path_is_a_question(text: str) -> None:
    assert _path(text) is None


def test_a_path_is_taken_quoted_or_where_it_exists(tmp_path: Path) -> None:
    assert _path(str(tmp_path)) == tmp_path
    assert _path(f'"{tmp_path}/not yet"') == tmp_path / "not yet"


@pytest.mark.parametrize("strict", ["", "strict"])
def test_what_ends_a_notebook_that_nobody_looks_at(strict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared(), "headless", strict)
    assert _must_fail(ApprovalUnanswered("nobody"))
    assert _must_fail(ModelError("off", code="tape"))
    said: list[NepheleError] = [SettingError("no such mode"), LibraryError("no such table"), ModelError("busy")]
    assert [_must_fail(error) for error in said] == [strict != ""] * 3


@pytest.mark.parametrize(
    ("word", "command"),
    [("stauts", "status"), ("undoo", "undo"), ("Export", "export"), ("hepl", "help"), ("docter", "doctor")],
)
def test_a_slip_of_a_command_is_told_and_asks_nobody(word: str, command: str, quiet: Agent) -> None:
    with pytest.raises(SettingError, match=f"`%nephele {command}`\\? `%nephele -- {word}` asks"):
        NepheleMagics(None)._command(word)
    assert quiet.runs == []


@pytest.mark.parametrize("text", ["hello", "undoo it all", "stauts?", "why", "hey", "stats", "stop!", "概况"])
def test_what_is_no_slip_is_no_command(text: str, quiet: Agent) -> None:
    assert NepheleMagics(None)._command(text) is None


@pytest.fixture
def quiet(tmp_path: Path) -> Iterator[Agent]:
    """Yield an agent that quotes from an empty library."""
    agent = Agent(home=tmp_path, tier="lite", lite_model="none", embedder="none", namespace={})
    yield agent
    agent.close()
