"""The notebook's folder: bibliographies, texts and file names; it reads, bounded, and follows no link out."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from ..threads import in_thread
from .reference import Reference

FILES, LARGEST, SECONDS = 2_000, 1_000_000, 5.0
"""How many files are read, the bytes of the largest, and how long it may take."""

TEXTS = {".md", ".txt", ".rst", ".ipynb", ".bib", ".tex", ".org", ".html"}
NAMED = TEXTS | {".pdf", ".docx", ".csv", ".png", ".jpg", ".jpeg", ".svg"}
_ENTRY = re.compile(r"@(\w+)\s*\{\s*([^,\s]+)\s*,(.*?)(?=\n\s*@|\Z)", re.DOTALL)
_FIELD = re.compile(r"(\w+)\s*=\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\"([^\"]*)\"|(\d+))")
_WORD = re.compile(r"[^\W_]{2,}")
_HAN = re.compile("[\u4e00-\u9fff]+")


class Folder:
    """Searches the files below one folder by the share of the query's words they hold."""

    name, online = "folder", False

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def find(self, query: str, count: int) -> list[Reference]:
        """Return entries of bibliographies and files, best first."""
        return await in_thread(self._find, query, count)

    def _find(self, query: str, count: int) -> list[Reference]:
        words = _words(query)
        if not words:
            return []
        scored: list[tuple[float, int, Reference]] = []
        for path in _files(self._folder):
            for reference, text in _candidates(path, path.relative_to(self._folder)):
                score = _share(words, text)
                if score >= 0.5:
                    scored.append((-score, len(scored), reference))
        return [reference for _, _, reference in sorted(scored)[:count]]


def _candidates(path: Path, name: Path) -> Iterator[tuple[Reference, str]]:
    body = _read(path) if path.suffix.lower() in TEXTS else ""
    if path.suffix.lower() == ".bib":
        for kind, key, fields in _ENTRY.findall(body):
            if kind.lower() not in ("comment", "string", "preamble"):
                yield _entry(key, fields, str(name)), fields
        return
    yield (
        Reference("file", str(name), ("folder",), url=str(path), snippet=" ".join(body[:300].split())),
        f"{name} {body}",
    )


def _entry(key: str, body: str, file: str) -> Reference:
    found = {name.lower(): a or b or c for name, a, b, c in _FIELD.findall(body)}
    plain = {name: " ".join(re.sub(r"[{}]|\\[a-z\"'`^~]*", "", value).split()) for name, value in found.items()}
    year = re.search(r"\d{4}", plain.get("year", ""))
    return Reference(
        "paper",
        plain.get("title", key),
        ("folder",),
        tuple(name.strip() for name in plain.get("author", "").split(" and ") if name.strip()),
        int(year.group()) if year else None,
        plain.get("url", ""),
        plain.get("doi", ""),
        snippet=f"{file}: {key}",
    )


def _files(folder: Path) -> Iterator[Path]:
    """Yield what may be read, nearest first, for a bounded time."""
    end, left, waiting = time.monotonic() + SECONDS, FILES, [folder]
    while waiting and left and time.monotonic() < end:
        here = waiting.pop(0)
        try:
            entries = sorted(os.scandir(here), key=lambda e: e.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith((".", "__")) or entry.name == "node_modules" or entry.is_symlink():
                continue
            if entry.is_dir():
                waiting.append(Path(entry.path))
            elif Path(entry.name).suffix.lower() in NAMED and left:
                left -= 1
                yield Path(entry.path)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def _words(text: str) -> set[str]:
    """Return the words of a text, Chinese as pairs of characters."""
    folded = text.casefold()
    pairs = {run[i : i + 2] for run in _HAN.findall(folded) for i in range(max(len(run) - 1, 1))}
    return pairs | {word for word in _WORD.findall(_HAN.sub(" ", folded)) if len(word) > 2 or word.isdigit()}


def _share(words: set[str], text: str) -> float:
    folded = text.casefold()
    return sum(word in folded for word in words) / len(words)
