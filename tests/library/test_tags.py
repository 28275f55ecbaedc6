"""Tags are read from a note's own text in both scripts, and only where they are tags."""

from __future__ import annotations

from pathlib import Path

import pytest

from nephele_nb.library import Library
from nephele_nb.library.documents import read_markdown
from nephele_nb.library.tags import tags_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a #tea and #green/leaf, #two-words.", ["tea", "green/leaf", "two-words"]),
        ("今天 #读书笔记，#茶/绿茶。还有（#会议）", ["读书笔记", "茶/绿茶", "会议"]),
        ("#2025年 #ノート #메모 #caf\u00e9", ["2025年", "ノート", "메모", "caf\u00e9"]),
        ("#first word\nand #last", ["first", "last"]),
        ("# Heading\n## Second\n#tea", ["tea"]),
        ("#fff #FFAA00 #12ab34cd #123 #682 #1-2", []),
        ("C# a#b https://x.org/#anchor [x](#anchor) &#8212; ##two", []),
        ("`#no` ``a ` #no`` #yes", ["yes"]),
        ("```sh\n#no\n```\n#yes\n~~~\n#no", ["yes"]),
        ("text\n\n    #include <stdio.h>\n\n    - #item\n", ["item"]),
        ("<!-- #no --> #yes/", ["yes"]),
        ("", []),
    ],
)
def test_tags_are_told_from_what_looks_like_one(text: str, names: list[str]) -> None:
    found = list(tags_in(text))
    assert [tag.name for tag in found] == names
    assert all(text[tag.start : tag.end] == f"#{tag.name}" for tag in found)


def test_front_matter_comes_first_and_no_tag_comes_twice(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("---\ntags: [Tea, 读书]\n---\nabout #tea, #读书 and #water", "utf-8")
    assert read_markdown(file).tags == ("Tea", "读书", "water")


def test_a_tag_in_the_text_of_a_file_filters_and_finds(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("bamboo #garden", "utf-8")
    (tmp_path / "in" / "b.md").write_text("bamboo `#garden`", "utf-8")
    lib = Library(tmp_path / "lib", embedder="none")
    lib.add(tmp_path / "in")
    assert [hit.content_id for hit in lib.search("bamboo", tags=["#Garden"])] == ["in/a.md"]
    assert lib.stats()["tags"] == {"garden": 1}
    lib.close()
