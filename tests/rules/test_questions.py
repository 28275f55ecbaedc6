"""Two hundred questions that merely hold a command's words reach the model; commands are taken, each for its call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import nephele_nb as nn
from nephele_nb.commands import Names
from nephele_nb.ruled import choose
from nephele_nb.rules import Rulebook, Ruling

FIXTURES = Path(__file__).parent.parent / "fixtures" / "rules"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").splitlines()]


QUESTIONS, COMMANDS = rows("questions.jsonl"), rows("commands.jsonl")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Names]:
    """Return what bears a name in a library and a notebook like a user's."""
    library = nn.Library(tmp_path_factory.mktemp("named") / "library", embedder="none")
    library.add_table("sales", [{"region": "North", "amount": 1.5}])
    library.add_table("销量", [{"月": 1}])
    for content_id, title in (("plan-id", "Plan"), ("review-id", "Quarterly review"), ("zh-id", "季度总结")):
        library.add_note(title, "Nothing much.", content_id=content_id)
    notebook = {"df": pd.DataFrame({"a": [1, 2, 3]}), "price": 3.0, "tables": [1]}
    yield Names(lambda: library, notebook.get)
    library.close()


def chosen(text: str, names: Names) -> Ruling | None:
    return asyncio.run(choose(Rulebook(Path("nowhere")).match(text), names, alone=False))


def test_there_are_a_hundred_questions_in_each_language_and_enough_commands() -> None:
    languages = [row["language"] for row in QUESTIONS]
    assert languages.count("en") >= 100
    assert languages.count("zh") >= 100
    assert len(COMMANDS) >= 120
    assert not {row["text"] for row in QUESTIONS} & {row["text"] for row in COMMANDS}


def test_every_question_reaches_the_model(names: Names) -> None:
    assert {row["text"]: str(ruling) for row in QUESTIONS if (ruling := chosen(row["text"], names))} == {}


def test_every_command_is_taken_for_its_call(names: Names) -> None:
    wrong = {}
    for row in COMMANDS:
        ruling = chosen(row["text"], names)
        got = (ruling.call, ruling.arguments) if ruling else None
        if got != (row["call"], row["arguments"]):
            wrong[row["text"]] = got
    assert wrong == {}


def test_a_name_that_nothing_bears_goes_to_the_model_unless_the_command_is_plain(names: Names) -> None:
    for text in ("open Nosuch", "head of nosuch", "打开没有的东西", "show price", "show tables of contents"):
        assert chosen(text, names) is None
    assert chosen("open table nosuch", names) == Ruling("open_view", {"view": "table", "target": "nosuch"})
    assert chosen("schema of table `no such`", names) == Ruling("table_schema", {"name": "no such"})
    assert asyncio.run(choose(Rulebook(Path("nowhere")).match("head of nosuch"), names, alone=True)) == Ruling(
        "show_rows", {"name": "nosuch"}
    )


def test_a_library_that_can_not_be_opened_is_left_to_whoever_answers(tmp_path: Path) -> None:
    (tmp_path / "library").write_text("in the way")
    names = Names(lambda: nn.Library(tmp_path / "library", embedder="none"), {}.get)
    assert chosen("open Plan", names) is None
    assert chosen("list notes", names) == Ruling("list_items", {"kind": "notes"})
