"""Reads a notebook as a note: its markdown, its code and the beginning of what each cell printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .documents import Document, Unreadable, decoded, first_heading

CELL_OUTPUT = 1_000
"""Characters kept of one cell's outputs."""

ALL_OUTPUT = 20_000
"""Characters kept of all outputs of a notebook."""

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def read_notebook(path: Path) -> Document:
    """Read a notebook of format 3 or 4; raises Unreadable for anything else."""
    try:
        book = json.loads(decoded(path.read_bytes()))
        cells = book["cells"] if "cells" in book else [c for sheet in book["worksheets"] for c in sheet["cells"]]
        parts, room = [], ALL_OUTPUT
        for cell in cells:
            for part in _parts(cell, _language(book), room):
                room -= len(part) if part.startswith("```text") else 0
                parts.append(part)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreadable(f"not a notebook: {type(error).__name__} {error}") from error
    text = "\n\n".join(parts)
    return Document(first_heading(text) or path.stem, text)


def _language(book: dict[str, Any]) -> str:
    metadata = book.get("metadata") or {}
    name = (metadata.get("language_info") or {}).get("name") or (metadata.get("kernelspec") or {}).get("language")
    return str(name or "python")


def _parts(cell: dict[str, Any], language: str, room: int) -> Iterator[str]:
    source = _joined(cell.get("source", cell.get("input", "")))
    if not source.strip():
        return
    if cell["cell_type"] != "code":
        yield source if cell["cell_type"] != "heading" else f"{'#' * int(cell.get('level', 1))} {source}"
        return
    yield _fenced(source, language)
    printed = "\n".join(filter(None, (_printed(o).strip() for o in cell.get("outputs") or ())))
    most = min(CELL_OUTPUT, room)
    if printed and most > 0:
        cut = f"\n… ({len(printed) - most} more characters)" if len(printed) > most else ""
        yield _fenced(printed[:most] + cut, "text")


def _printed(output: dict[str, Any]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        return f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"
    data = output.get("data") or {}
    text = output.get("text") or data.get("text/markdown") or data.get("text/plain") or ""
    return _COLOUR.sub("", _joined(text))


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(text)


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
