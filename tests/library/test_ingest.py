"""Files go in once, come again when they change, leave when they are gone, and a bad one says why."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library
from nephele_nb.library.documents import Unreadable, decoded, front_matter

WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Memo</w:t></w:r></w:p>'
    "<w:p><w:r><w:t>caterpillar </w:t></w:r><w:r><w:t>counts</w:t></w:r></w:p></w:body></w:document>"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "desk"
    (root / "sub" / ".hidden").mkdir(parents=True)
    (root / "a.md").write_text("---\ntitle: Alpha\ntags: [tea, 茶]\ndate: 2025-03-10\n---\nabout armadillos\n", "utf-8")
    (root / "sub" / "b.txt").write_text("关于乌龙茶的笔记", "gb18030")
    (root / "page.html").write_text("<title>Page</title><script>evil()</script><h2>Sub</h2><p>badger &amp; co</p>")
    cells = [{"cell_type": "markdown", "source": ["# Lab\n"]}, {"cell_type": "code", "source": "camel = 1"}]
    (root / "lab.ipynb").write_text(json.dumps({"cells": cells}))
    with zipfile.ZipFile(root / "memo.docx", "w") as archive:
        archive.writestr("word/document.xml", WORD)
    (root / "rows.csv").write_text("code,n,day\n007,1,2025-01-01\n008,,2025-01-02\n")
    (root / "sub" / ".hidden" / "secret.md").write_text("never read")
    return root


def test_a_folder_goes_in_once(lib: Library, folder: Path) -> None:
    first = lib.add(folder)
    assert set(first.added) == {
        "desk/a.md", "desk/sub/b.txt", "desk/page.html", "desk/lab.ipynb", "desk/memo.docx", "table:rows",
    }  # fmt: skip
    again = lib.add(folder)
    assert set(again.unchanged) == set(first.added)
    assert (again.added, again.updated, again.removed, again.skipped) == ((), (), (), ())


def test_every_kind_of_file_is_found_by_its_words(lib: Library, folder: Path) -> None:
    lib.add(folder)
    for word, title in [("armadillos", "Alpha"), ("乌龙茶", "b"), ("badger", "Page"), ("camel", "Lab")]:
        assert lib.search(word)[0].title == title
    assert lib.search("caterpillar")[0].title == "Memo"
    assert not lib.search("evil")
    alpha = lib.read("Alpha")
    assert (alpha.tags, alpha.created, alpha.text) == (("tea", "茶"), 1741564800.0, "about armadillos\n")


def test_changed_and_deleted_files_are_noticed(lib: Library, folder: Path) -> None:
    lib.add(folder)
    (folder / "a.md").write_text("about zebras")
    (folder / "rows.csv").unlink()
    report = lib.add(folder)
    assert (report.updated, report.removed) == (("desk/a.md",), ("table:rows",))
    assert not lib.search("armadillos")
    assert lib.search("zebras")
    assert lib.stats()["tables"] == {}


def test_a_single_file_and_its_folder_are_one_note(lib: Library, folder: Path) -> None:
    assert lib.add(folder / "a.md").added == ("desk/a.md",)
    assert "desk/a.md" in lib.add(folder).unchanged


def test_two_folders_of_one_name_keep_their_notes_apart(lib: Library, tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / name / "notes").mkdir(parents=True)
        (tmp_path / name / "notes" / "same.md").write_text(f"from {name}")
        (tmp_path / name / "notes" / "t.csv").write_text(f"a\n{name}\n")
        lib.add(tmp_path / name / "notes")
    assert lib.stats()["notes"] == 2
    assert set(lib.stats()["tables"]) == {"t", "notes_t"}


def test_a_bad_file_is_skipped_with_its_reason(lib: Library, tmp_path: Path) -> None:
    bad = {
        "b.ipynb": b"{",
        "c.json": b'{"a": 1}',
        "d.parquet": b"PAR?",
        "e.docx": b"no zip",
        "f.csv": b"",
        "g.png": b"",
    }
    bad |= {"h.txt": b"caf\xe9 cr\xe8me br\xfbl\xe9e", "i.csv": b"a,b\n1,2\n3\n"}
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "good.md").write_text("fine")
    report = lib.add(tmp_path)
    assert {Path(s.path).name for s in report.skipped} == set(bad)
    assert all(s.reason for s in report.skipped)
    assert len(report.added) == 1


def test_no_such_path(lib: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="no file or folder"):
        lib.add(tmp_path / "nowhere")


def test_progress_is_told(lib: Library, folder: Path) -> None:
    told: list[tuple[str, int, int]] = []
    lib.add(folder, progress=lambda *step: told.append(step))
    assert told[-1] == ("desk", 6, 6)
    assert [done for _, done, _ in told] == list(range(7))


def test_text_of_several_encodings() -> None:
    assert decoded("\ufeff茶\r\nx".encode()) == "茶\nx"
    assert decoded("茶叶".encode("utf-16")) == "茶叶"
    assert decoded("华东仓库".encode("gb18030")) == "华东仓库"
    with pytest.raises(Unreadable):
        decoded(b"na\xefve caf\xe9")


def test_front_matter_stays_text() -> None:
    fields, body = front_matter('---\nid: 0123\nok: no\ntags:\n  - a\n  - "b c"\n---\nbody\n---\nmore')
    assert fields == {"id": "0123", "ok": "no", "tags": ["a", "b c"]}
    assert body == "body\n---\nmore"
    assert front_matter("---\nno end")[0] == {}
    assert front_matter("---\njust a rule\n---\n")[0] == {}
