"""Links are found with their evidence and stay right when notes come, change and go."""

from __future__ import annotations

from pathlib import Path

from nephele_nb.library import Library
from nephele_nb.types import Neighbours


def pairs(found: Neighbours) -> set[tuple[str, str, str]]:
    return {(e.source, e.target, e.kind) for e in found.edges}


def test_every_kind_of_link_with_its_evidence(lib: Library) -> None:
    lib.add_note("Supplier delay", "no links", content_id="delay")
    lib.add_table("sales", [{"a": 1}])
    text = "See [[Supplier delay|the delay]].\nThe Sales table and #urgent: 华东断货说明 says more."
    lib.add_note("华东断货说明", "x", content_id="zh")
    lib.add_note("Meeting", text, tags=["ops"], content_id="m")
    found = lib.graph("m")
    assert pairs(found) == {
        ("m", "delay", "wiki"), ("m", "table:sales", "table"), ("m", "tag:urgent", "tag"), ("m", "tag:ops", "tag"),
        ("m", "zh", "mention"),
    }  # fmt: skip
    for edge in found.edges:
        if edge.target == "tag:ops":
            assert edge.span is None
        else:
            assert edge.span is not None
            assert text[slice(*edge.span)] in edge.evidence
    assert found.titles["tag:urgent"] == "#urgent"
    assert pairs(lib.graph("m", kinds=["wiki"])) == {("m", "delay", "wiki")}


def test_links_work_both_ways_and_over_hops(lib: Library) -> None:
    for name, text in [("a", "[[b]]"), ("b", "[[c]]"), ("c", "[[d]]"), ("d", "end")]:
        lib.add_note(name, text, content_id=name)
    assert pairs(lib.graph("b")) == {("b", "c", "wiki"), ("a", "b", "wiki")}
    assert set(lib.graph("a", hops=2).titles) == {"a", "b", "c"}
    assert set(lib.graph("a", hops=9).titles) == {"a", "b", "c", "d"}
    assert lib.graph("a", hops=9).hops == 3


def test_a_link_finds_a_note_written_later(lib: Library) -> None:
    lib.add_note("Now", "waits for [[Later]] and speaks of Zanzibar plan", content_id="now")
    assert pairs(lib.graph("now")) == set()
    lib.add_note("Later", "x", content_id="later")
    lib.add_note("Zanzibar plan", "x", content_id="z")
    assert pairs(lib.graph("now")) == {("now", "later", "wiki"), ("now", "z", "mention")}
    assert lib.stats()["edges"] == 2
    lib.remove("later")
    lib.update_note("now", "says nothing")
    assert pairs(lib.graph("now")) == set()
    assert lib.stats()["edges"] == 0


def test_tags_join_notes(lib: Library) -> None:
    lib.add_note("one", "x", tags=["Tea"], content_id="1")
    lib.add_note("two", "#tea", content_id="2")
    assert pairs(lib.graph("tag:tea")) == {("1", "tag:tea", "tag"), ("2", "tag:tea", "tag")}
    assert set(lib.graph("1", hops=2).titles) == {"1", "2", "tag:tea"}


def test_markdown_links_follow_files(lib: Library, tmp_path: Path) -> None:
    root = tmp_path / "w"
    (root / "deep").mkdir(parents=True)
    (root / "deep" / "a.md").write_text("[up](../my%20b.md#part) [web](https://example.org/b.md) ![pic](b.md)")
    (root / "my b.md").write_text("# Title of B")
    lib.add(root)
    assert pairs(lib.graph("w/deep/a.md")) == {("w/deep/a.md", "w/my b.md", "link")}


def test_a_word_inside_another_is_no_mention(lib: Library) -> None:
    lib.add_note("plan", "x", content_id="p")
    lib.add_note("Other", "the planet, a plan-free world", content_id="o")
    lib.add_note("Third", "an airplane", content_id="t")
    assert pairs(lib.graph("p")) == {("o", "p", "mention")}


def test_a_hub_is_bounded(lib: Library, tmp_path: Path) -> None:
    for i in range(230):
        (tmp_path / f"{i}.md").write_text("[[Hub]]")
    (tmp_path / "hub.md").write_text("# Hub")
    lib.add(tmp_path)
    assert len(lib.graph("Hub").edges) == 200
