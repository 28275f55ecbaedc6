"""Links are found with their evidence and stay right when notes come, change and go."""

from __future__ import annotations

from pathlib import Path

from nephele_nb.library import Library
from nephele_nb.library.graph import located
from nephele_nb.library.walk import PER_ITEM
from nephele_nb.library.words import normal
from nephele_nb.tools.graph_query import written
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


def test_a_hub_on_the_way_does_not_drown_the_rest(lib: Library, tmp_path: Path) -> None:
    for i in range(300):
        (tmp_path / f"f{i}.md").write_text("#busy [[Hub]]")
    (tmp_path / "start.md").write_text("# Start\n\nto [[Hub]] and [[Quiet]] #busy")
    (tmp_path / "quiet.md").write_text("# Quiet\n\nto [[Far]]")
    (tmp_path / "far.md").write_text("# Far\n\nto [[Farther]]")
    (tmp_path / "farther.md").write_text("# Farther")
    (tmp_path / "hub.md").write_text("# Hub")
    lib.add(tmp_path)
    found = lib.graph("Start", hops=3)
    assert {"Quiet", "Far", "Farther"} <= set(found.titles.values())
    assert len(found.edges) <= 200
    hub = next(n.content_id for n in found.nodes if n.title == "Hub")
    assert sum(e.target == hub for e in found.edges) <= PER_ITEM + 1 + sum(n.distance == 3 for n in found.nodes)
    assert found.left_out > 200
    assert "more links not walked" in written(found)
    assert len(written(found)) < 6200


def test_each_neighbour_has_its_way_and_evidence_nearest_first(lib: Library) -> None:
    lib.add_table("stock", [{"a": 1}])
    lib.add_note("C", "the Stock table", content_id="c")
    lib.add_note("B", "to [[C]] twice [[C]]", content_id="b")
    lib.add_note("A", "to [[B]] #t", content_id="a")
    found = lib.graph("a", hops=3)
    assert [(n.content_id, n.kind, n.distance) for n in found.nodes] == [
        ("b", "note", 1), ("tag:t", "tag", 1), ("c", "note", 2), ("table:stock", "table", 3),
    ]  # fmt: skip
    way = found.nodes[-1].path
    assert [(e.source, e.target, e.kind) for e in way] == [
        ("a", "b", "wiki"), ("b", "c", "wiki"), ("c", "table:stock", "table"),
    ]  # fmt: skip
    for edge in way:
        assert edge.span is not None
        assert lib.read(edge.source).text[slice(*edge.span)].strip("[]").casefold() in ("b", "c", "stock")
    assert found.left_out == 0
    text = written(found)
    assert text.split("\n")[0] == "1 · note B (b) by A -wiki-> B at 3-8: to [[B]] #t"
    assert text.endswith("4 neighbours")
    assert written(lib.graph("table:stock", hops=1)).startswith("1 · note C (c) by C -table-> stock at 4-9: the Stock")
    lib.add_note("Alone", "x", content_id="alone")
    assert written(lib.graph("alone")) == "alone is linked with nothing."


def test_a_mention_is_shown_where_it_stands_in_whatever_form() -> None:
    cases = [
        ("plan", "the planet has a Plan", "Plan"),
        ("caf\u00e9 menu", "a Cafe\u0301\n Menu!", "Cafe\u0301\n Menu"),
        ("abc 123", "the ＡＢＣ１２３? no, ＡＢＣ　１２３", "ＡＢＣ　１２３"),
        ("断货", "三月斷貨了", "斷貨"),
        ("ガ行", "ｶﾞ行の話", "ｶﾞ行"),
    ]
    for key, text, shown in cases:
        span = located(normal(key), text)
        assert span is not None
        assert text[slice(*span)] == shown
    assert located("plan", "planet") is None


def test_links_follow_every_change(lib: Library, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Alpha\n\nsee [[Beta]] and the 断货说明 text")
    (tmp_path / "b.md").write_text("# Beta")
    (tmp_path / "c.txt").write_text("nothing")
    lib.add(tmp_path)
    lib.add_note("断货说明", "x", content_id="zh")
    a = f"{tmp_path.name}/a.md"
    assert {(e.kind, e.target) for e in lib.graph(a).edges} == {("wiki", f"{tmp_path.name}/b.md"), ("mention", "zh")}
    (tmp_path / "b.md").write_text("# Gamma")
    lib.update_note("zh", "x", title="改名")
    lib.add(tmp_path)
    assert {e.kind for e in lib.graph(a).edges} == set()
    (tmp_path / "a.md").write_text("# Alpha\n\nsee [[Gamma]], 改名")
    lib.add(tmp_path)
    assert {(e.kind, e.target) for e in lib.graph(a).edges} == {("wiki", f"{tmp_path.name}/b.md"), ("mention", "zh")}
    (tmp_path / "a.md").unlink()
    lib.add(tmp_path)
    assert lib.graph("zh").edges == lib.graph("Gamma").edges == ()
    assert lib.stats()["edges"] == 0
