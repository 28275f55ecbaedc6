"""Where skills are looked for, and which of two with one name counts: the first; it never loads one by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from ..errors import NepheleError, nearest
from ..strings import Language
from .skill import FILES, Place, Skill, read

PROJECT = Path(".nephele") / "skills"
"""Where a project keeps its skills, below its folder."""
MOST = 200
"""Folders that are read of one place."""
LONGEST_LINE = 400

Found = list[Skill]


class Skills:
    """The skills of one agent: those in home, then the project's, then the built-in ones."""

    def __init__(self, home: Path, project: Path) -> None:
        self._places: tuple[tuple[Place, Path], ...] = (
            ("home", home / "skills"),
            ("project", project / PROJECT),
        )
        self._seen: dict[Path, tuple[tuple[float, ...], Skill]] = {}

    def __repr__(self) -> str:
        return f"Skills({', '.join(skill.name for skill in self.usable())})"

    def list(self) -> Found:
        """Return all skills in the order they are looked for, with what each hides and what is wrong with it.

        One that can't be used hides none.
        """
        listed: Found = []
        first: dict[str, int] = {}
        for skill in self._all():
            place = first.get(skill.name) if skill.usable else None
            if place is not None:
                listed[place] = replace(listed[place], hides=(*listed[place].hides, str(skill.path)))
                continue
            if skill.usable:
                first[skill.name] = len(listed)
            listed.append(skill)
        return listed

    def usable(self) -> Found:
        """Return the skills that may be loaded."""
        return [skill for skill in self.list() if skill.usable]

    def find(self, name: str) -> Skill:
        """Return a skill by its name; raises NepheleError that names the real ones."""
        usable = {skill.name: skill for skill in self.usable()}
        if name not in usable:
            known = ", ".join(usable)
            raise NepheleError(f"There is no skill {name!r}{nearest(name, usable)}. The skills are: {known}.")
        return usable[name]

    def catalogue(self, language: Language) -> str:
        """Return a line for each skill that may be loaded: its name and when it is of use."""
        return "\n".join(_line(skill, language) for skill in self.usable())

    def _all(self) -> Iterator[Skill]:
        for source, place in self._places:
            yield from (self._read(folder, source) for folder in _folders(place))
        yield from _built_in()

    def _read(self, folder: Path, source: Place) -> Skill:
        if folder.is_symlink() and not folder.resolve().is_relative_to(folder.parent.resolve()):
            why = "a link that leads out of the skills folder; it was not read"
            return Skill(folder.name, "", folder, source, warnings=(why,), usable=False)
        stamp = tuple(_time(folder / name) for name in FILES)
        seen = self._seen.get(folder)
        if seen is None or seen[0] != stamp:
            self._seen[folder] = seen = (stamp, read(folder, source))
        return seen[1]


@cache
def _built_in() -> tuple[Skill, ...]:
    """Return the skills of the package, which don't change while it runs."""
    place = Path(str(files(__package__))) / "builtin"
    return tuple(read(folder, "built in") for folder in _folders(place))


def _folders(place: Path) -> Iterator[Path]:
    try:
        inside = sorted(p for p in place.iterdir() if p.is_dir() and not p.name.startswith((".", "_")))
    except OSError:
        return iter(())
    return iter(inside[:MOST])


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _line(skill: Skill, language: Language) -> str:
    text = skill.in_(language).description
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    text = f"{skill.name}: {text}".translate({ord("<"): "‹", ord(">"): "›"})
    return f"- {text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + '…'}"
