"""Reads one file as a note: its title, text, tags and dates; it never writes and never fetches."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

MAX_BYTES = 32_000_000
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


class Unreadable(Exception):
    """A file that can't be taken in, and why, in words for the report."""


class Document(NamedTuple):
    """What a file says. Times are Unix seconds, 0 where the file doesn't say."""

    title: str
    text: str
    tags: tuple[str, ...] = ()
    created: float = 0.0
    updated: float = 0.0


def read_document(path: Path) -> Document:
    """Read a file by its suffix; raises Unreadable with the reason."""
    if path.stat().st_size > MAX_BYTES:
        raise Unreadable(f"larger than {MAX_BYTES // 1_000_000} MB; cut it into parts")
    return READERS[path.suffix.casefold()](path)


def decoded(data: bytes) -> str:
    """Return text from UTF-8, UTF-16 with a mark, or GB 18030 where the bytes look Chinese, with Unix line ends."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            text = _chinese(data, error)
    if "\x00" in text:
        raise Unreadable("not text: it holds zero bytes")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _chinese(data: bytes, error: UnicodeDecodeError) -> str:
    # in Latin-1 text high bytes stand alone, in Chinese text they come in runs
    runs = re.findall(rb"[\x80-\xff]+", data)
    if sum(map(len, runs)) < 3 * len(runs):
        raise Unreadable("neither UTF-8 nor GB 18030 text; save it as UTF-8") from error
    try:
        return data.decode("gb18030")
    except UnicodeDecodeError as second:
        raise Unreadable("neither UTF-8 nor GB 18030 text; save it as UTF-8") from second


def front_matter(text: str) -> tuple[dict[str, str | list[str]], str]:
    """Split off the lines between ``---`` at the top; values stay text. No front matter gives ({}, text)."""
    m = re.match(r"---[ \t]*\n(.*?)\n?---[ \t]*(?:\n|\Z)", text, re.DOTALL)
    if m is None or (m.group(1) and not re.match(r"\s*[\w-]+\s*:", m.group(1))):
        return {}, text
    out: dict[str, str | list[str]] = {}
    key = ""
    for line in m.group(1).split("\n"):
        item = re.match(r"\s*-\s+(.*)", line)
        pair = re.match(r"([\w-]+)\s*:\s*(.*)", line)
        if item and key:
            held = out[key]
            out[key] = [*(held if isinstance(held, list) else []), _unquoted(item.group(1))]
        elif pair:
            key, value = pair.group(1).casefold(), pair.group(2).strip()
            listed = value.startswith("[") and value.endswith("]")
            out[key] = [_unquoted(v) for v in value[1:-1].split(",") if v.strip()] if listed else _unquoted(value)
    return out, text[m.end() :]


def timestamp(value: object) -> float:
    """Return an ISO date or date and time as Unix seconds (UTC where no zone is given), 0 where it is neither."""
    try:
        when = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return 0.0
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _markdown(path: Path) -> Document:
    fields, text = front_matter(decoded(path.read_bytes()))
    tags = fields.get("tags") or fields.get("tag") or []
    if isinstance(tags, str):
        tags = [t for t in re.split(r"[,，\s]+", tags) if t]
    title = fields.get("title")
    created = timestamp(fields.get("created") or fields.get("date") or "")
    updated = timestamp(fields.get("updated") or fields.get("modified") or "")
    named = title if isinstance(title, str) and title else _first_heading(text) or path.stem
    return Document(named, text, tuple(t.lstrip("#") for t in tags), created, updated)


def _first_heading(text: str) -> str:
    m = _HEADING.search(text)
    return m.group(1) if m else ""


def _plain(path: Path) -> Document:
    return Document(path.stem, decoded(path.read_bytes()))


def _notebook(path: Path) -> Document:
    try:
        cells = json.loads(decoded(path.read_bytes()))["cells"]
        parts = []
        for cell in cells:
            source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            if source.strip():
                parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"not a notebook: {error}") from error
    text = "\n\n".join(parts)
    return Document(_first_heading(text) or path.stem, text)


class _Page(HTMLParser):
    """Keeps what a reader of the page sees, headings marked as in markdown."""

    BLOCKS = frozenset("p div section article li tr br table ul ol pre blockquote h1 h2 h3 h4 h5 h6".split())
    HIDDEN = frozenset(("script", "style", "template", "noscript", "svg"))

    def __init__(self) -> None:
        super().__init__()
        self.title, self.parts, self._hidden, self._in_title = "", list[str](), 0, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in self.HIDDEN
        self._in_title = self._in_title or tag == "title"
        if tag in self.BLOCKS:
            self.parts.append("\n\n" + "#" * int(tag[1]) + " " if re.fullmatch("h[1-6]", tag) else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self.HIDDEN and self._hidden > 0
        self._in_title = self._in_title and tag != "title"
        if tag in self.BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._hidden:
            self.parts.append(re.sub(r"\s+", " ", data))


def _html(path: Path) -> Document:
    page = _Page()
    page.feed(decoded(path.read_bytes()))
    page.close()
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]*\n[ \t]*", "\n", "".join(page.parts))).strip()
    return Document(page.title.strip() or _first_heading(text) or path.stem, text)


def _docx(path: Path) -> Document:
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo("word/document.xml")
            if info.file_size > MAX_BYTES:
                raise Unreadable(f"its text is larger than {MAX_BYTES // 1_000_000} MB; cut it into parts")
            tree = ET.fromstring(_entity_free(archive.read(info)))  # noqa: S314
    except (zipfile.BadZipFile, KeyError, ET.ParseError) as error:
        raise Unreadable(f"not a Word document: {error}") from error
    lines = []
    for paragraph in tree.iter(f"{_WORD}p"):
        line = "".join(t.text or "" for t in paragraph.iter(f"{_WORD}t"))
        style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
        level = re.fullmatch(r"[Hh]eading([1-6])", style.get(f"{_WORD}val", "") if style is not None else "")
        lines.append("#" * int(level.group(1)) + " " + line if level and line else line)
    text = "\n\n".join(line for line in lines if line.strip())
    return Document(_first_heading(text) or path.stem, text)


def _entity_free(xml: bytes) -> bytes:
    # entities that grow without end need a document type, which Word never writes
    if b"<!DOCTYPE" in xml:
        raise Unreadable("not a Word document: it declares entities")
    return xml


def _pdf(path: Path) -> Document:
    try:
        pypdf = import_module("pypdf")
    except ImportError as error:
        raise Unreadable("PDF needs the package pypdf: pip install pypdf") from error
    try:
        reader = pypdf.PdfReader(path)
        text = "\n\n".join(page.extract_text() for page in reader.pages).strip()
        title = str(reader.metadata.title or "").strip() if reader.metadata else ""
    except (pypdf.errors.PyPdfError, ValueError, KeyError, TypeError, OSError) as error:
        raise Unreadable(f"not a PDF that can be read: {error}") from error
    if not text:
        raise Unreadable("this PDF holds pictures of text only; run it through text recognition first")
    return Document(title or path.stem, text)


READERS: dict[str, Callable[[Path], Document]] = {
    ".md": _markdown, ".markdown": _markdown, ".txt": _plain, ".ipynb": _notebook, ".html": _html, ".htm": _html,
    ".docx": _docx, ".pdf": _pdf,
}  # fmt: skip
