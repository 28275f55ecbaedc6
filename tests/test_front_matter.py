"""Front matter as people write it: read without loss, changed without touching what isn't changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.front_matter import LONGEST, change, read, write

CARDS = Path(__file__).parent / "fixtures" / "cards"
FILES = sorted(path.name for path in CARDS.glob("*.md"))


def text(name: str) -> str:
    return (CARDS / name).read_bytes().decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("name", FILES)
def test_no_character_is_lost_by_reading(name: str) -> None:
    assert read(text(name)).text == text(name)


@pytest.mark.parametrize(
    ("name", "fields", "line"),
    [
        (
            "R07_colon.md",
            {
                "title": "Governance: who signs what",
                "description": "Use when asked about money. Plus: budgets",
                "tags": ["a", "b"],
            },
            2,
        ),
        ("R07b_tab_indent.md", {"title": "Tabs", "tags": ["a"]}, 4),
        (
            "R07c_quote_at.md",
            {"title": "@home and `code`", "description": '"quoted" and more', "percent": "%100"},
            2,
        ),
        ("R07d_hash.md", {"title": "C# and #tags", "colour": "#ff0000"}, 2),
        ("R08l_duplicate_key.md", {"title": "Second"}, 3),
    ],
)
def test_what_is_no_yaml_is_read_line_by_line_and_said(name: str, fields: dict[str, object], line: int) -> None:
    sheet = read(text(name))
    assert sheet.fields == fields
    assert sheet.faults[0].line == line


def test_text_stays_the_text_that_was_written() -> None:
    assert read(text("R08_scalars.md")).fields == {
        "id": "0123",
        "version": "1.10",
        "country": "no",
        "enabled": "yes",
        "created": "2031-04-01",
        "at": "2031-04-01T23:39:45-04:00",
        "sleep": "10:00",
        "sci": "1e3",
        "nothing": "",
        "empty": "",
        "big": "12345678901234567890",
    }
    words = "on off yes No TRUE null ~ NaN .inf 0x1F 1_000 12e03 2031-04-01".split()
    sheet = read("---\n" + "".join(f"k{n}: {word}\n" for n, word in enumerate(words)) + "---\n")
    assert list(sheet.fields.values()) == words
    assert sheet.faults == ()


@pytest.mark.parametrize("name", ["R08e_no_front_matter.md", "R08f_unclosed.md", "R08g_list_root.md", "R08n_empty.md"])
def test_what_is_no_front_matter_is_body(name: str) -> None:
    sheet = read(text(name))
    assert (sheet.fields, sheet.body) == ({}, text(name))


def test_a_rule_in_the_body_ends_nothing() -> None:
    assert read(text("R08d_rule_in_body.md")).body == "above\n\n---\n\nbelow\n"


def test_a_tag_makes_no_object_and_an_anchor_is_not_followed() -> None:
    assert read(text("R08h_python_tag.md")).fields == {"title": "Tagged", "run": ["exit 1"]}
    bomb = read(text("R08i_anchor_bomb.md"))
    assert bomb.fields["title"] == "Bomb"
    assert len(str(bomb.fields)) < 1000
    assert "anchor" in bomb.faults[0].why


@pytest.mark.parametrize("head", ["[" * 5000, "a:\n" + "  - - " * 3000, "x: 1\n" * LONGEST, "? [a]\n: b\n", "a\x07: 1"])
def test_a_hostile_head_is_read_all_the_same(head: str) -> None:
    whole = f"---\n{head}\n---\nBody.\n"
    assert read(whole).text == whole


@pytest.mark.parametrize("name", FILES)
def test_a_change_touches_its_own_lines_only(name: str) -> None:
    sheet = read(text(name))
    new = change(sheet, {"title": "New: #1"})
    again = read(new)
    assert again.fields == {**sheet.fields, "title": "New: #1"}
    assert again.body.removeprefix("\ufeff") == sheet.body.removeprefix("\ufeff")
    lines = set(text(name).splitlines()) - set(new.splitlines())
    assert all(line.startswith("title:") for line in lines)


def test_comments_order_and_blank_lines_stay() -> None:
    new = change(read(text("R08m_unknown_keys.md")), {"summary": "one line", "title": "Other", "updated": "now"})
    assert new == (
        '---\n# mine\nzebra: 1   # kept\ntitle: "Other"\nalpha: {x: [1, 2]}\n\nsummary: "one line"\n'
        'more:\n  - a\nupdated: "now"\n---\nBody.\n'
    )


def test_the_comment_beside_a_changed_value_stays() -> None:
    assert change(read("---\ntitle: a # why\n---\n"), {"title": "b"}) == '---\ntitle: "b" # why\n---\n'
    assert change(read("---\ntitle: a #why\n---\n"), {"title": "b"}) == '---\ntitle: "b"\n---\n'


def test_line_ends_and_the_byte_order_mark_stay() -> None:
    whole = "\ufeff---\r\ntitle: a\r\n---\r\nBody.\r\n"
    assert change(read(whole), {"title": "b", "more": "c"}) == (
        '\ufeff---\r\ntitle: "b"\r\nmore: "c"\r\n---\r\nBody.\r\n'
    )
    bare = "\ufeffJust text.\r\n"
    assert change(read(bare), {"title": "b"}) == '\ufeff---\r\ntitle: "b"\r\n---\r\nJust text.\r\n'


def test_what_can_t_be_changed_safely_is_refused() -> None:
    sheet = read("---\n{title: a, b: c}\n---\nBody.\n")
    with pytest.raises(ValueError, match="safely"):
        change(sheet, {"title": "b"})


@given(st.text(st.characters(codec="utf-8"), max_size=60), st.text(st.characters(codec="utf-8"), max_size=60))
def test_ours_always_comes_back(value: str, body: str) -> None:
    sheet = read(write({"title": value, "summary": value}, body))
    assert (sheet.fields, sheet.body, sheet.faults) == ({"title": value, "summary": value}, body, ())


LINES = st.lists(
    st.sampled_from(
        [
            *("title: a", "title: 'b' # c", "x: 1", "x: [1, 2]", "y:", "  - a", "\t- b", "- c", "# note", "", "---"),
            *("summary: |", "  text", "z: a: b", "q: #no", "{a: 1}", "*a", "w: &a b", "&: 1", "title: @x", "a b"),
        ]
    ),
    max_size=8,
)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_change_never_loses_anything(lines: list[str], newline: str, closed: bool) -> None:
    whole = newline.join(["---", *lines, *(["---", "Body."] if closed else [])])
    sheet = read(whole)
    assert sheet.text == whole
    try:
        new = change(sheet, {"title": "new"})
    except ValueError:
        return
    again = read(new)
    assert again.fields == {**sheet.fields, "title": "new"}
    assert again.body == sheet.body
