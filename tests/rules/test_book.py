"""Rules take plain commands and nothing else; what they are made of is data that can be wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.rules import Candidate, Rulebook, forced

OWN = """
[[rule]]
name = "latest"
call = "scan_table"
phrases = ["latest sales", "最新销量"]
arguments = { name = "sales", order_by = "day desc" }

[[rule]]
name = "remember"
call = "create_note"
phrases = ["note down [that] {text}", "记下{text}"]
arguments = { title = "Noted", text = "{text}" }
"""


@pytest.fixture
def book(tmp_path: Path) -> Rulebook:
    return Rulebook(tmp_path / "rules")


def write(book: Rulebook, name: str, text: str | bytes) -> Path:
    book.folder.mkdir(exist_ok=True)
    path = book.folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def only(found: list[Candidate]) -> tuple[str, dict[str, Any]]:
    assert found
    return found[0].call, dict(found[0].arguments)


@pytest.mark.parametrize(
    "text",
    [
        "list tables",
        "LIST TABLES",
        " list  tables ",
        "list tables.",
        "ｌｉｓｔ tables",
        "list tables, please",
        "please list tables",
    ],
)
def test_case_white_space_courtesy_and_a_full_stop_change_nothing(book: Rulebook, text: str) -> None:
    assert only(book.match(text)) == ("list_items", {"kind": "tables"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "list tables\nand explain them",
        "list tables and explain them",
        "why list tables",
        "// list tables",
        "//list tables",
        "undo?",
        "please help",
        "can you help?",
        "help me",
        "list tables " + "x" * 300,
        "列出所有表格并解释",
        "怎么列出所有表格",
    ],
)
def test_a_message_that_is_more_than_a_command_is_none(book: Rulebook, text: str) -> None:
    assert [c for c in book.match(text) if c.sure] == []


def test_a_question_is_a_command_only_where_the_rule_says_so(book: Rulebook) -> None:
    assert book.match("how many notes do I have?")
    assert book.match("could you list the notes?")
    assert book.match("能不能列出所有笔记？")
    assert not book.match("switch to research mode?")


def test_the_sign_that_forces_the_model_is_taken_off() -> None:
    assert forced("// list tables") == ("list tables", True)
    assert forced("  //undo") == ("undo", True)
    assert forced("see https://example.org") == ("see https://example.org", False)
    assert forced("/skill x") == ("/skill x", False)


def test_names_keep_their_case_and_lose_their_quotes(book: Rulebook) -> None:
    for text in ('open note "My Plan"', "open note `My Plan`", "open note “My Plan”", "打开笔记《My Plan》"):
        found = book.match(text)[0]
        assert (found.name, found.wants, found.sure) == ("My Plan", "note", True)
    assert [c.sure for c in book.match("open note taking methods compared")] == [False] * len(
        book.match("open note taking methods compared")
    )


SLOTS = """
[slots.tea]
oolong = ["oolong", "乌龙", "乌龙茶"]
jasmine = ["jasmine", "茉莉"]

[[rule]]
name = "brew"
call = "brewing"
phrases = ["brew [me] [some] {tea}", "泡[一杯]{tea}", "open the {view} of {tea}"]
"""


def test_a_file_may_bring_slots_of_its_own_beside_the_ones_there_are(book: Rulebook) -> None:
    write(book, "shop.toml", SLOTS)
    assert only(book.match("brew some jasmine")) == ("brewing", {"tea": "jasmine"})
    assert only(book.match("泡一杯乌龙茶")) == ("brewing", {"tea": "oolong"})
    assert only(book.match("open the journal of oolong")) == ("brewing", {"view": "journal", "tea": "oolong"})
    assert not book.match("brew some coffee")
    assert not book.faults


@pytest.mark.parametrize(
    "slots",
    [
        "slots = 3",
        "[slots.tea]\noolong = []",
        "[slots]\ntea = 3",
        '[slots.tea]\noolong = "oolong"',
        "[slots.n]\na = ['b']",
    ],
)
def test_slots_that_are_none_are_named_and_the_file_left_out(book: Rulebook, slots: str) -> None:
    write(book, "shop.toml", f"{slots}\n[[rule]]\nname = 'x'\ncall = 'x'\nphrases = ['brew tea']\n")
    assert not book.match("brew tea")
    assert "shop.toml" in book.faults[0]
    assert "slot" in book.faults[0]


@pytest.mark.parametrize("name", ["own.toml", "own.json"])
def test_the_users_own_rules_come_first(book: Rulebook, name: str) -> None:
    import tomllib

    data = tomllib.loads(OWN)
    data["rule"].append({"name": "mine", "call": "get_stats", "phrases": ["list tables"]})
    text = (
        json.dumps(data)
        if name.endswith("json")
        else OWN + ('[[rule]]\nname = "mine"\ncall = "get_stats"\nphrases = ["list tables"]\n')
    )
    write(book, name, text)
    assert only(book.match("latest sales")) == ("scan_table", {"name": "sales", "order_by": "day desc"})
    assert only(book.match("最新销量")) == ("scan_table", {"name": "sales", "order_by": "day desc"})
    assert only(book.match("note down that Bo called")) == ("create_note", {"title": "Noted", "text": "Bo called"})
    assert only(book.match("记下Bo来电")) == ("create_note", {"title": "Noted", "text": "Bo来电"})
    assert [c.call for c in book.match("list tables")] == ["get_stats", "list_items"]
    assert book.names()[:3] == ["latest", "remember", "mine"]
    assert book.faults == []


def test_a_changed_file_is_read_again(book: Rulebook) -> None:
    path = write(book, "own.toml", OWN)
    assert book.match("latest sales")
    path.write_text(OWN.replace("latest sales", "newest sales"))
    os.utime(path, (1, 1))
    assert not book.match("latest sales")
    assert book.match("newest sales")
    path.unlink()
    assert not book.match("newest sales")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[rule]\n", "own.toml"),
        ("x = 1", "no list of rules"),
        (b"\xff\xfe\x00rule", "own.toml"),
        ('[[rule]]\nname = "a"\ncall = "b"', "phrases is missing"),
        ('[[rule]]\nname = "a"\nphrases = ["so it is"]', "call is missing"),
        ('[[rule]]\nname = "a"\ncal = "b"\nphrases = ["so it is"]', "did you mean 'call'"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = "so it is"', "phrases must be a list"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = [5]', "phrase 5"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = ["{text}"]', "any message"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = ["[please] {text}"]', "any message"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = ["say {txt}"]', "no slot {txt}"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = ["say [it"]', "is missing"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = ["say it)"]', "opens nothing"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = ["say {text"]', "brace"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = ["say ()"]', "empty"),
        ('[[rule]]\nname = "a"\ncall = "b"\nphrases = ["{text} and {text} and {text}"]', "more than 2"),
        ("rule = [5]", "a rule is a table"),
    ],
)
def test_a_bad_rule_is_named_and_hides_no_other(book: Rulebook, text: str | bytes, why: str) -> None:
    write(book, "own.toml", text)
    write(book, "zz.toml", OWN)
    assert book.match("latest sales")
    assert book.match("list tables")
    assert len(book.faults) == 1
    assert why in book.faults[0]
    assert "own.toml" in book.faults[0]


def test_a_good_rule_beside_a_bad_one_is_used(book: Rulebook) -> None:
    write(book, "own.toml", OWN + '[[rule]]\nname = "bad"\ncall = "b"\nphrases = ["say [it"]\n')
    assert book.match("latest sales")
    assert "rule bad" in book.faults[0]


def test_no_phrase_makes_matching_slow_to_the_point_of_hanging(book: Rulebook) -> None:
    """Names and text are the only open slots, and there are at most two of them."""
    for text in ("open " + "a " * 90, "打开" + "表" * 180, "show me the first rows of " + "the " * 40):
        assert book.match(text[:200]) is not None
