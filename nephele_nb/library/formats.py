"""Which reader turns which kind of file into a note; it reads nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from .documents import MAX_BYTES, Document, Unreadable, read_markdown, read_plain
from .notebooks import read_notebook
from .office import read_docx, read_pdf
from .web_page import read_html
from .words import whole

READERS: Mapping[str, Callable[[Path], Document]] = {
    ".md": read_markdown, ".markdown": read_markdown, ".txt": read_plain, ".text": read_plain,
    ".ipynb": read_notebook, ".html": read_html, ".htm": read_html, ".docx": read_docx, ".pdf": read_pdf,
}  # fmt: skip


def read_document(path: Path) -> Document:
    """Read a file by its suffix; raises Unreadable with the reason."""
    if path.stat().st_size > MAX_BYTES:
        raise Unreadable(f"larger than {MAX_BYTES // 1_000_000} MB; cut it into parts")
    document = READERS[path.suffix.casefold()](path)
    # JSON can hold half a character, where a program cut a text; no store keeps it
    return document._replace(title=whole(document.title), text=whole(document.text))
