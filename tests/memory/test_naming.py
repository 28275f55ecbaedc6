"""A title becomes a file name that stays in the folder, on every system."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.memory import Memory
from nephele_nb.memory.naming import stem


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("..\\..\\windows", "windows"),
        ("/absolute", "absolute"),
        ("C:\\x", "c-x"),
        (".hidden", "hidden"),
        ("CON", "card-con"),
        ("nul.", "card-nul"),
        ("COM¹", "card-com1"),
        ("com1.txt", "com1-txt"),
        ("😀", "card"),
        ("...", "card"),
        ("-", "card"),
        ("a\x00b\nc", "a-b-c"),
        ("ＡＢＣ", "abc"),
        ("乌龙茶 断货", "乌龙茶-断货"),
        ("a" * 500, "a" * 60),
        ("茶" * 500, "茶" * 60),
        ("\u202eevil", "evil"),
    ],
)
def test_a_title_stays_in_the_folder(memory: Memory, title: str, name: str) -> None:
    assert stem(title, ()) == name
    if len(title) < 300:
        written = memory.write(title, "", "user", "b")
        assert written == name
    assert {p.parent for p in memory.folder.parent.rglob("*.md")} <= {memory.folder}


@given(st.text(max_size=80))
def test_no_title_makes_a_name_that_could_leave(title: str) -> None:
    name = stem(title.encode("utf-8", "ignore").decode(), ())
    assert name
    assert not set(name) & set('/\\:*?"<>|. \0')
    assert len(f"{name}-999.md".encode()) <= 255


def test_two_cards_of_one_title_are_numbered(memory: Memory) -> None:
    assert [memory.write(title, "s", "user", "b") for title in ("Plots", "plots", "PLOTS!")] == [
        "plots",
        "plots-2",
        "plots-3",
    ]
    assert len(memory.list()) == 3
