"""Reads what office programs write, PDF and Word; it takes the words and their headings, never the looks."""

from __future__ import annotations

import logging
import re
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from .documents import MAX_BYTES, Document, Unreadable, first_heading, timestamp

MAX_CHARS = 20_000_000
_UNHEARD = logging.NullHandler()
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DUBLIN = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"


def read_docx(path: Path) -> Document:
    """Read a Word document: paragraphs, those in tables too, with headings marked as in markdown."""
    try:
        with zipfile.ZipFile(path) as archive:
            tree = _xml(archive, "word/document.xml")
            has_core = "docProps/core.xml" in archive.namelist()
            core = _xml(archive, "docProps/core.xml") if has_core else ET.Element("none")
    except (zipfile.BadZipFile, zipfile.LargeZipFile, KeyError, ET.ParseError, NotImplementedError) as error:
        raise Unreadable(f"not a Word document that can be read: {error}") from error
    lines = []
    for paragraph in tree.iter(f"{_WORD}p"):
        line = "".join(_run(part) for part in paragraph.iter())
        style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
        level = re.fullmatch(r"[Hh]eading ?([1-6])", style.get(f"{_WORD}val", "") if style is not None else "")
        lines.append("#" * int(level.group(1)) + " " + line if level and line else line)
    text = "\n\n".join(line for line in lines if line.strip())
    title = (core.findtext(f"{_DUBLIN}title") or "").strip()
    created, updated = (timestamp(core.findtext(f"{_TERMS}{name}") or "") for name in ("created", "modified"))
    return Document(title or first_heading(text) or path.stem, text, (), created, updated)


def _run(part: ET.Element) -> str:
    if part.tag == f"{_WORD}t":
        return part.text or ""
    return {f"{_WORD}tab": "\t", f"{_WORD}br": "\n"}.get(part.tag, "")


def _xml(archive: zipfile.ZipFile, name: str) -> ET.Element:
    info = archive.getinfo(name)
    if info.file_size > MAX_BYTES:
        raise Unreadable(f"its text is larger than {MAX_BYTES // 1_000_000} MB; cut it into parts")
    raw = archive.read(info)
    # entities that grow without end need a document type, which Word never writes
    if b"<!DOCTYPE" in raw:
        raise Unreadable("not a Word document: it declares entities")
    return ET.fromstring(raw)  # noqa: S314


def read_pdf(path: Path) -> Document:
    """Read the text of a PDF, page by page; one that holds pictures alone is refused."""
    try:
        pypdf: Any = import_module("pypdf")
    except ImportError as error:
        raise Unreadable("PDF needs the package pypdf: pip install pypdf") from error
    logging.getLogger("pypdf").addHandler(_UNHEARD)  # else it writes to the user's cell what the report says anyway
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("this PDF is locked by a password; save a copy without one")
        pages, length = [], 0
        for page in reader.pages:
            pages.append(page.extract_text().strip())
            length += len(pages[-1])
            if length > MAX_CHARS:
                raise Unreadable(f"its text is longer than {MAX_CHARS // 1_000_000} million characters; cut it up")
        text = "\n\n".join(page for page in pages if page)
        title = str(reader.metadata.title or "").strip() if reader.metadata else ""
    except (pypdf.errors.PyPdfError, ValueError, KeyError, TypeError, AttributeError, OSError) as error:
        raise Unreadable(f"not a PDF that can be read: {error}") from error
    if not text:
        raise Unreadable("this PDF holds pictures of text only; run it through text recognition first")
    return Document(title or path.stem, text)
