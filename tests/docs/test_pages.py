"""What the pages of prose say is so: links lead somewhere, snippets run, commands exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from nephele_nb.model.scripted import ScriptedModel
from nephele_nb.settings import Nephele

from . import reference
from .pages import PAGES, READMES, ROOT, anchors, blocks, links, prose

NOTE = "# Returns\n\nTea can be returned within 14 days. 退货须在十四天内。\n"


def test_links_lead_somewhere() -> None:
    lost = [
        f"{page.name}: {link}"
        for page in PAGES
        for link in links(page)
        if not re.match(r"https?://\w", link) and not _is_there(page, link)
    ]
    assert sum(len(links(page)) for page in PAGES) > 20
    assert lost == []


def _is_there(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in anchors(target))


@pytest.mark.kernel
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (tmp_path / "notes", tmp_path / "home" / "notes"):
        folder.mkdir(parents=True)
        (folder / "returns.md").write_text(NOTE, "utf-8")
    (tmp_path / "sales.csv").write_text("date,region,units\n2025-03-01,East,4\n2025-03-02,West,7\n")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in _cells(page)])
    with ScriptedModel(["Two notes speak of returns."]) as model:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("NEPHELE_HOME", str(tmp_path / "nephele"))
        monkeypatch.setenv("NEPHELE_EMBEDDER", "none")
        monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
        monkeypatch.setenv("NEPHELE_MODEL", model.model)
        NotebookClient(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


def _cells(page: Path) -> list[str]:
    """Return a page's snippets as cells; in one with magics, each paragraph is a cell of its own."""
    cells: list[str] = []
    for block in blocks(page, "python"):
        cells += re.split(r"\n\n(?=\S)", block) if re.search(r"^%", block, re.MULTILINE) else [block]
    return cells


def test_shell_commands_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    lines = [line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines() if line.strip()]
    assert lines
    for line in lines:
        command = shlex.split(line, comments=True)
        assert command[0] == "make", line
        assert command[1] in targets, line
    said = [word for page in PAGES for word in re.findall(r"`make ([a-z-]+)", prose(page))]
    assert set(said) <= targets


def test_settings_in_prose_exist() -> None:
    known = set(Nephele.class_trait_names(config=True))
    said = {name for page in PAGES for name in re.findall(r"\bNephele\.([a-z]\w*)\b(?!\()", page.read_text("utf-8"))}
    assert said
    assert said <= known | {"tier"}
    variables = {t.metadata.get("env", f"NEPHELE_{n.upper()}") for n, t in Nephele.class_traits(config=True).items()}
    named = {name for page in PAGES for name in re.findall(r"\bNEPHELE_[A-Z_]+", page.read_text("utf-8"))}
    assert named <= variables | {"NEPHELE_CHROMIUM", "NEPHELE_BENCH"}


def test_the_reference_is_written_out_of_the_code() -> None:
    assert reference.PAGE.read_text("utf-8") == reference.page(), "run `make docs`"


def test_the_readmes_are_twins() -> None:
    english, chinese = READMES
    assert len(re.findall("^#+ ", prose(english), re.MULTILINE)) == len(
        re.findall("^#+ ", prose(chinese), re.MULTILINE)
    )
    assert [_bare(b) for b in blocks(english, "python")] == [_bare(b) for b in blocks(chinese, "python")]
    there = {link for link in links(english) if "README" not in link}
    assert there == {link for link in links(chinese) if "README" not in link}


def _bare(block: str) -> list[str]:
    """Return a snippet without comments, questions, blanks and what stands in quotes."""
    lines = [re.sub(r"#.*|\"[^\"]*\"|(?<=^%nephele ).*", "", line).rstrip() for line in block.splitlines()]
    return [line for line in lines if line]
