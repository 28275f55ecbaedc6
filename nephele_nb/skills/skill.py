"""One skill: a folder with SKILL.md, read as the open Agent Skills form has it; it never leaves the folder.

A skill may hold a Chinese text beside the English one, in SKILL.zh.md. What is wrong with a skill is said in
``warnings``; one without a text to follow is listed and never used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from .. import front_matter
from ..front_matter import Sheet
from ..strings import Language

Place = Literal["home", "project", "built in"]
FILES = (FILE, CHINESE) = ("SKILL.md", "SKILL.zh.md")
LONGEST = 40_000
"""Characters of a skill's text."""
LONGEST_FILE = 200_000
"""Bytes of a SKILL.md that are read."""
LONGEST_DESCRIPTION = 1024
MOST_FILES = 40
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Words:
    """A skill in one language."""

    description: str
    text: str = field(repr=False)
    triggers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill. ``hides`` are the places of others with the same name, which are not used."""

    name: str
    description: str
    path: Path
    source: Place
    license: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    allowed_tools: str = ""
    hides: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    usable: bool = True
    words: Mapping[Language, Words] = field(default_factory=dict, repr=False)

    def in_(self, language: Language) -> Words:
        """Return the skill in a language, else in the one it is written in."""
        return self.words.get(language) or self.words["en"]

    def text(self, language: Language) -> str:
        """Return what the model is to follow, and what else lies in the folder."""
        beside = self.files() if self.source != "built in" else ()
        more = f"\n\nBeside this text, in {self.path}: {', '.join(beside)}" if beside else ""
        return self.in_(language).text + more

    def files(self) -> tuple[str, ...]:
        """Return the other files of the folder, as many as can be named."""
        found = (p for p in self.path.rglob("*") if p.is_file() and p.name not in FILES)
        return tuple(sorted(p.relative_to(self.path).as_posix() for p in islice(found, MOST_FILES)))


def read(folder: Path, source: Place) -> Skill:
    """Read the skill of a folder, whatever state it is in."""
    sheet, warnings = _sheet(folder / FILE, folder)
    if sheet is None:
        return Skill(folder.name, "", folder, source, warnings=warnings, usable=False)
    name, description = sheet.value("name").strip(), " ".join(sheet.value("description").split())
    if name != folder.name:
        said = f"the name {name!r} is not the folder's" if name else "there is no name"
        warnings += (f"{said}; it goes by the folder's name, {folder.name!r}",)
    if not NAME.fullmatch(folder.name) or len(folder.name) > LONGEST_NAME:
        warnings += (f"{folder.name!r} is no skill's name: small letters, digits and single hyphens, at most 64",)
    if not description:
        warnings += ("there is no description, so it can't be told when to use it",)
    if len(description) > LONGEST_DESCRIPTION:
        warnings += (f"the description is longer than {LONGEST_DESCRIPTION} characters; the rest was left out",)
    words, oddities = _words(sheet, description)
    warnings += oddities
    if not words.text:
        return Skill(folder.name, description, folder, source, warnings=(*warnings, "there is no text"), usable=False)
    spoken: dict[Language, Words] = {"en": words}
    if (folder / CHINESE).exists():
        chinese, more = _sheet(folder / CHINESE, folder)
        warnings += more
        if chinese is not None and chinese.body.strip():
            spoken["zh"], _ = _words(chinese, " ".join(chinese.value("description").split()) or description)
    return Skill(
        folder.name,
        words.description,
        folder,
        source,
        sheet.value("license"),
        _metadata(sheet),
        sheet.value("allowed-tools"),
        warnings=warnings,
        words=spoken,
    )


def _sheet(path: Path, folder: Path) -> tuple[Sheet | None, tuple[str, ...]]:
    """Return a file taken apart and what is odd about it; None where it can't be read, or its folder not be named."""
    if not folder.name.isprintable() or any(mark in folder.name for mark in '<>"'):
        return None, ("the folder's name holds what no name may: a quote, an angle bracket or what can't be printed",)
    try:
        if not path.resolve().is_relative_to(folder.resolve()):
            return None, (f"{path.name} is a link that leads out of the folder; it was not read",)
        if not path.is_file():
            return None, (f"there is no {path.name}",)
        with path.open("rb") as file:
            data = file.read(LONGEST_FILE + 1)
    except OSError as error:
        return None, (f"{path.name} can't be read: {error.strerror}",)
    if len(data) > LONGEST_FILE:
        return None, (f"{path.name} is longer than {LONGEST_FILE} bytes; it was not read",)
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, (f"{path.name}, line {line}: not UTF-8; save it as UTF-8",)
    sheet = front_matter.read(text)
    return sheet, tuple(f"{path.name}, line {fault.line}: {fault.why}" for fault in sheet.faults)


def _words(sheet: Sheet, description: str) -> tuple[Words, tuple[str, ...]]:
    text = sheet.body.strip()
    cut = (f"the text is longer than {LONGEST} characters; the rest was left out",) if len(text) > LONGEST else ()
    triggers = tuple(t.strip() for t in _metadata(sheet).get("triggers", "").split(";") if t.strip())
    return Words(description[:LONGEST_DESCRIPTION], text[:LONGEST], triggers), cut


def _metadata(sheet: Sheet) -> dict[str, str]:
    held = sheet.fields.get("metadata")
    if not isinstance(held, dict):
        return {}
    return {str(k): "; ".join(map(str, v)) if isinstance(v, list) else str(v) for k, v in held.items()}
