"""Writes a conversation to a file: to read, as events, or as a notebook of its approved code; it overwrites none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .approved import Cell, cells, foreign
from .errors import NepheleError, SettingError
from .events import Event, StreamChunk, ThinkingChunk
from .journal import encode
from .secrets import Secrets
from .strings import Strings
from .twin import markdown, spoken

if TYPE_CHECKING:
    from .agent import Agent

Form = Literal["markdown", "events", "notebook"]
ENDS: dict[str, Form] = {".md": "markdown", ".jsonl": "events", ".ipynb": "notebook"}
NAMES: dict[Form, str] = {"markdown": "chat.md", "events": "events.jsonl", "notebook": "code.ipynb"}
MOST_NUMBERS = 1000


def export(agent: Agent, path: str | Path | None = None, form: Form = "markdown") -> Path:
    """Write the conversation to ``path``, whose end says the form: .md, .jsonl or .ipynb; return where it is.

    Without a path a free name beside the notebook is taken. Raises NepheleError where there is nothing to write, the
    file is there already, or it can't be written.
    """
    say = words(agent)
    target = _free(agent, form) if path is None else Path(path).expanduser()
    if (wanted := ENDS.get(target.suffix.casefold())) is None:
        raise SettingError(say("wrong_end", path=target))
    text = _written(agent, wanted, say)
    try:
        with target.open("x", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
    except FileExistsError:
        raise NepheleError(say("exists", path=target)) from None
    except OSError as error:
        raise NepheleError(say("unwritable", path=target, why=error.strerror or error)) from error
    return target


def report(agent: Agent, path: str | Path | None = None, form: Form = "markdown") -> str:
    """Export, and say in a line what is where."""
    written = export(agent, path, form)
    return words(agent)(ENDS[written.suffix.casefold()], path=written)


def named(text: str) -> Path | None:
    """Return the file that a text names for an export: one word with one of its ends, or anything quoted."""
    found = re.fullmatch(r"(['\"])(.+)\1|(\S+)", text)
    path = Path((found[2] or found[3]) if found else "")
    return path if found and (found[2] or path.suffix.casefold() in ENDS) else None


def approved_cells(agent: Agent) -> list[dict[str, Any]]:
    """Return the approved code as cells for a front end: ``type``, ``source`` and ``tags``."""
    return [asdict(cell) for cell in cells(agent.journal, words(agent), Secrets(agent.settings).hide)]


def words(agent: Agent) -> Strings:
    """Return what an export says, in the language of the conversation."""
    return Strings(spoken(agent.conversation.events, agent.settings.language).language, "export")


def _free(agent: Agent, form: Form) -> Path:
    """Return a name of the notebook's, in its folder, that no file has yet."""
    stem = Path(agent.notebook or "nephele").stem
    name = Path(f"{stem}-{NAMES[form]}")
    numbered = (name.with_stem(f"{name.stem}-{n}") for n in range(2, MOST_NUMBERS))
    return next((p for p in (name, *numbered) if not p.exists()), name)


def _written(agent: Agent, form: Form, say: Strings) -> str:
    events, secrets = list(agent.conversation.events), Secrets(agent.settings)
    if not events:
        raise NepheleError(say("nothing"))
    if form == "markdown":
        return secrets.hide(markdown(events, agent.settings.language, agent.conversation.aside)) + "\n"
    if form == "events":
        return "".join(f"{encode(secrets.hide_in(event.to_dict()))}\n" for event in _bare(events, secrets))
    made = cells(agent.journal, say, secrets.hide)
    if not made:
        raise NepheleError(say("no_code"))
    names = ", ".join(f"`{name}`" for name in foreign(made))
    about = "\n\n".join(filter(None, (say("title"), say("about"), say("foreign", names=names) if names else "")))
    return notebook([Cell("markdown", about), *made])


def _bare(events: Sequence[Event], secrets: Secrets) -> Iterator[Event]:
    """Yield events without the secrets that are spread over the pieces of a text."""
    for kind, group in groupby(events, type):
        if kind in (StreamChunk, ThinkingChunk):
            pieces: list[Any] = list(group)
            hidden = secrets.hide_pieces([piece.text for piece in pieces])
            yield from (replace(piece, text=text) for piece, text in zip(pieces, hidden, strict=True))
        else:
            yield from group


def notebook(made: Sequence[Cell]) -> str:
    """Return cells as a notebook's file, the same each time."""
    listed = [_cell(cell, number) for number, cell in enumerate(made)]
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    whole = {"cells": listed, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _cell(cell: Cell, number: int) -> dict[str, Any]:
    run: dict[str, Any] = {"execution_count": None, "outputs": []} if cell.type == "code" else {}
    about = {"metadata": {"tags": list(cell.tags)} if cell.tags else {}}
    source = cell.source.splitlines(keepends=True)
    return {"cell_type": cell.type, "id": f"{cell.type}-{number}", **about, **run, "source": source}
