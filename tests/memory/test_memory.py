"""The folder of cards: nothing is lost, nothing is rewritten that wasn't changed, and one bad card hides no other."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nephele_nb.errors import NepheleError
from nephele_nb.memory import TYPES, Memory
from nephele_nb.memory.card import one_line

CARDS = Path(__file__).parent.parent / "fixtures" / "cards"
FILES = sorted(CARDS.glob("*.md"))


def write(memory: Memory, title: str, summary: str = "s", kind: str = "user", body: str = "b") -> str:
    return memory.write(title, summary, kind, body)


def test_a_card_comes_back_as_it_was_written(memory: Memory) -> None:
    assert memory.list() == []
    name = memory.write("C# and #tags: yes", '"Quoted" @home % `x`', "workflow", "no: 1\n---\n\n- x\n")
    card = memory.read(name)
    assert (card.title, card.summary) == ("C# and #tags: yes", '"Quoted" @home % `x`')
    assert (card.type, card.body, card.warnings) == ("workflow", "no: 1\n---\n\n- x\n", ())
    assert card.path == memory.folder / f"{card.id}.md"
    assert card.created == card.updated
    assert [c.id for c in Memory(memory.folder).list()] == [name]


LINE = st.text(st.characters(codec="utf-8"), max_size=40).map(lambda t: " ".join(t.split()))


@given(LINE, LINE, st.sampled_from(TYPES), st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=80))
def test_any_card_comes_back(
    tmp_path_factory: pytest.TempPathFactory, title: str, summary: str, kind: str, body: str
) -> None:
    memory = Memory(tmp_path_factory.mktemp("memory"))
    assume(one_line(title))
    name = memory.write(title, summary, kind, body)
    card = memory.read(name)
    assert (card.type, card.body, card.warnings) == (kind, body, ())
    before = card.path.read_bytes()
    assert memory.write(card.title, card.summary, card.type, card.body, id=name) == name
    assert memory.write(title, summary, kind, body, id=name) == name
    assert card.path.read_bytes() == before


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_a_foreign_card_is_listed_and_saved_unchanged_byte_for_byte(old: Memory, path: Path) -> None:
    card = old.read(path.stem)
    assert card in old.list()
    assert old.write(card.title, card.summary, card.type, card.body, id=card.id) == card.id
    assert (old.folder / path.name).read_bytes() == path.read_bytes()


def test_a_card_says_what_is_wrong_with_it_and_where(old: Memory) -> None:
    assert len(old.list()) == len(FILES)
    colon = old.read("R07_colon")
    assert (colon.title, colon.summary) == (
        "Governance: who signs what",
        "Use when asked about money. Plus: budgets",
    )
    assert colon.warnings[0].startswith("R07_colon.md, line 2: ")
    assert old.read("R07d_hash").title == "C# and #tags"
    assert old.read("R08b_bom").title == "With BOM"
    assert old.read("R08c_crlf").body == "Line one\nLine two\n"
    assert "must not vanish" in old.read("R08f_unclosed").body
    assert old.read("R08_scalars").created == "2031-04-01"
    assert old.read("R08j_latin1").title == "Café"
    assert old.read("R08j_latin1").warnings[0].startswith("R08j_latin1.md, line 2: the file is not UTF-8")
    assert old.read("R08k_gb18030").body == "三月断货。\n"
    assert old.problems() == tuple(w for card in sorted(old.list(), key=lambda c: c.id) for w in card.warnings)


def test_a_change_keeps_what_it_does_not_change(old: Memory) -> None:
    card = old.read("R08c_crlf")
    old.write("Renamed", card.summary, card.type, card.body, id=card.id)
    text = card.path.read_bytes().decode()
    assert text.startswith('---\r\ntitle: "Renamed"\r\nupdated: "')
    assert text.endswith('"\r\n---\r\nLine one\r\nLine two\r\n')
    old.write("Renamed", card.summary, card.type, "one\ntwo", id=card.id)
    assert card.path.read_bytes().endswith(b"---\r\none\r\ntwo")
    known = old.read("R07_colon")
    old.write(known.title, "A summary", known.type, known.body, id=known.id)
    assert 'description: "A summary"\n' in known.path.read_text("utf-8")
    assert "title: Governance: who signs what\n" in known.path.read_text("utf-8")


def test_a_file_of_another_encoding_is_not_rewritten(old: Memory) -> None:
    card = old.read("R08j_latin1")
    before = card.path.read_bytes()
    with pytest.raises(NepheleError, match="UTF-8"):
        old.write("Tea", "s", "user", card.body, id=card.id)
    assert card.path.read_bytes() == before


def test_an_unknown_type_is_said_and_taken_as_a_reference(memory: Memory) -> None:
    memory.folder.mkdir(parents=True)
    (memory.folder / "a.md").write_text("---\ntitle: A\nType: Musing\n---\nx", "utf-8")
    card = memory.read("a")
    assert card.type == "reference"
    assert "line 3" in card.warnings[0]
    assert memory.write("A", "", "reference", "x", id="a") == "a"
    assert "Musing" in card.path.read_text("utf-8")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (("", "s", "user", "b"), "title is empty"),
        ((" \n", "s", "user", "b"), "title is empty"),
        (("t", "s", "usr", "b"), "did you mean 'user'"),
        (("t" * 301, "s", "user", "b"), "301 characters"),
        (("t", "s" * 301, "user", "b"), "301 characters"),
        (("t", "s", "user", "\ud800"), "half a character"),
    ],
)
def test_what_can_t_be_a_card_is_refused_in_words(memory: Memory, fields: tuple[str, ...], why: str) -> None:
    with pytest.raises(NepheleError, match=why):
        memory.write(*fields)
    assert memory.list() == []


def test_an_id_is_looked_up_and_never_made_a_path(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", "utf-8")
    write(memory, "Plots")
    for name in ("../../secret", str(tmp_path / "secret"), "plts", ""):
        with pytest.raises(NepheleError, match="plots"):
            memory.read(name)
        with pytest.raises(NepheleError, match="plots"):
            memory.write("t", "s", "user", "b", id=name or "x")
        with pytest.raises(NepheleError, match="plots"):
            memory.delete(name)
    assert (tmp_path / "secret.md").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_what_is_no_card_is_named_and_hides_no_card(memory: Memory, tmp_path: Path) -> None:
    write(memory, "Real")
    (tmp_path / "outside.md").write_text("outside", "utf-8")
    (memory.folder / "link.md").symlink_to(tmp_path / "outside.md")
    (memory.folder / "gone.md").symlink_to(memory.folder / "nothing")
    (memory.folder / "folder.md").mkdir()
    (memory.folder / "sub").mkdir()
    (memory.folder / "sub" / "inner.md").write_text("inner", "utf-8")
    os.mkfifo(memory.folder / "pipe.md")
    (memory.folder / "notes.txt").write_text("x", "utf-8")
    (memory.folder / ".draft.md").write_text("x", "utf-8")
    (memory.folder / "Loud.MD").write_text("# Loud\nx", "utf-8")
    assert sorted(card.title for card in memory.list()) == ["Loud", "Real"]
    assert [p.partition(":")[0] for p in memory.problems()] == ["folder.md", "gone.md", "link.md", "pipe.md"]


def test_a_huge_card_is_read_in_part_and_left_alone(memory: Memory) -> None:
    memory.folder.mkdir(parents=True)
    path = memory.folder / "huge.md"
    path.write_text("---\ntitle: Huge\n---\n" + "é" * 900_000, "utf-8")
    size = path.stat().st_size
    card = memory.read("huge")
    assert card.title == "Huge"
    assert "the rest was not read" in card.warnings[0]
    with pytest.raises(NepheleError, match="longer than"):
        memory.write("Small", "", "reference", card.body, id="huge")
    assert path.stat().st_size == size


def test_a_card_deleted_under_us_is_said(memory: Memory) -> None:
    name = write(memory, "Plots")
    memory.read(name).path.unlink()
    assert memory.list() == []
    with pytest.raises(NepheleError, match="no memory card"):
        memory.write("Plots", "s", "user", "new", id=name)


def test_a_card_changed_under_us_is_read_anew(memory: Memory) -> None:
    card = memory.read(write(memory, "Plots"))
    version = memory.version(card.id)
    card.path.write_text("---\ntitle: By hand\n---\nx", "utf-8")
    assert memory.read(card.id).title == "By hand"
    with pytest.raises(NepheleError, match="changed meanwhile"):
        memory.save("Ours", "s", "user", "b", card.id, expected=version)
    assert memory.read(card.id).title == "By hand"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_can_t_be_written_is_said_and_still_read(memory: Memory) -> None:
    write(memory, "Plots")
    memory.folder.chmod(0o500)
    try:
        assert len(memory.list()) == 1
        with pytest.raises(NepheleError, match="can't be written"):
            write(memory, "Other")
    finally:
        memory.folder.chmod(0o700)


def test_a_file_where_the_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("", "utf-8")
    memory = Memory(tmp_path / "memory")
    assert memory.list() == []
    assert "can't be read" in memory.problems()[0]
    with pytest.raises(NepheleError, match="can't be written"):
        write(memory, "Plots")


def fill(folder: str, worker: int) -> None:
    memory = Memory(Path(folder))
    for n in range(10):
        memory.write("Same title", f"{worker}-{n}", "project", "b")


def test_two_kernels_write_at_once_and_lose_nothing(memory: Memory) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=fill, args=(str(memory.folder), n)) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert sorted(c.summary for c in memory.list()) == sorted(f"{w}-{n}" for w in range(2) for n in range(10))
    assert [p.name for p in memory.folder.iterdir() if p.suffix == ".tmp"] == []
