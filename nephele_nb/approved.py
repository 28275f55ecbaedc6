"""The approved code of a conversation as notebook cells, in the order it ran; it changes no byte and writes no file.

Code that did not run, failed, was stopped or was taken back is left out, and a line says so. Failed code stays where
it changed something on its way that later code builds on: without it the notebook would come to other values.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .events import ApprovalRequest, ApprovalResolved, LoopDone, RoundStart, ToolFinish
from .kernel.effects import Effects, analyse
from .twin import quoted, safe
from .undo import UNDO

if TYPE_CHECKING:
    from .journal import Journal
    from .strings import Strings

CODE_TOOL = "run_python"
RAISES = "raises-exception"
"""The tag by which a runner of notebooks knows that a cell ends in an error and is meant to."""
GIVEN = {*dir(builtins), "get_ipython", "display", "In", "Out"}
"""Names that stand in every notebook."""

Fate = Literal[
    "pending", "approved", "edited", "rejected", "expired", "cancelled", "ran", "failed", "stopped", "undone", "partly"
]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a notebook."""

    type: Literal["markdown", "code"]
    source: str
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class Piece:
    """One piece of code that was asked for, and what became of it."""

    round_id: str
    call_id: str
    description: str
    code: str
    fate: Fate = "pending"

    @property
    def stays(self) -> bool:
        return self.fate in ("ran", "partly")

    @property
    def effects(self) -> Effects:
        return analyse(self.code, {})


def cells(journal: Journal, say: Strings, hide: Callable[[str], str]) -> list[Cell]:
    """Return the questions, the code that stays with its descriptions, and what was left out; none where none stays."""
    found: list[Cell] = []
    asked = {e.round_id: e.text for e in journal.record.events if isinstance(e, RoundStart)}
    text: list[str] = []
    for piece in pieces(journal):
        if piece.round_id in asked:
            text.append(quoted(safe(asked.pop(piece.round_id))))
        about = safe(" ".join(piece.description.split()))
        if not piece.stays:
            text.append(say("left_out", why=say(piece.fate), what=about or say("undescribed")))
            continue
        code = hide(piece.code)
        text += [about, say("partly") if piece.fate == "partly" else "", say("secret") if code != piece.code else ""]
        found += [*_text(text, hide), Cell("code", code, (RAISES,) if piece.fate == "partly" else ())]
        text = []
    return [*found, *_text(text, hide)] if found else []


def foreign(made: Sequence[Cell]) -> list[str]:
    """Return the names that code needs and none of it makes, in the order they are needed."""
    known, needed = set(GIVEN), dict[str, None]()
    for cell in made:
        if cell.type == "code":
            effects = analyse(cell.source, {})
            needed |= dict.fromkeys(n for n in effects.reads if n not in known and not n.startswith("_"))
            known |= {*effects.writes}
    return list(needed)


def pieces(journal: Journal) -> list[Piece]:
    """Return the code that was asked for in a conversation, in the order of the calls, with what became of it."""
    asked: dict[str, Piece] = {}
    for event in list(journal.record.events):
        if isinstance(event, ApprovalRequest) and event.tool == CODE_TOOL:
            piece = Piece(event.round_id, event.call_id, event.description, event.code or "")
            asked[event.approval_id] = piece
        elif isinstance(event, ApprovalResolved) and event.approval_id in asked:
            piece = asked[event.approval_id]
            piece.fate, piece.code = event.outcome, piece.code if event.code is None else event.code
        elif isinstance(event, ToolFinish | LoopDone):
            _ended([p for p in asked.values() if p.round_id == event.round_id], event)
    found = list(asked.values())
    _taken_back(found, journal)
    _needed(found, journal)
    return found


def _ended(mine: Sequence[Piece], event: ToolFinish | LoopDone) -> None:
    """Note how code ended that was running, or that a stop of its round ended it."""
    if isinstance(event, LoopDone):
        for piece in mine[-1:] if event.finish in ("stopped", "timeout") else ():
            piece.fate = "stopped" if piece.fate == "failed" else piece.fate
        return
    for piece in mine:
        if piece.call_id == event.call_id and piece.fate in ("approved", "edited"):
            piece.fate = "ran" if event.ok else "stopped" if "KeyboardInterrupt" in event.result else "failed"


def _taken_back(found: Sequence[Piece], journal: Journal) -> None:
    """Note which code was taken back; an undo that was undone brings it back."""
    times: Counter[tuple[str, str]] = Counter()
    for round_id, places in journal.record.taken.items():
        operations = journal.operations(round_id)
        original = round_id.partition(UNDO)[0]
        times.update((original, operations[n].call_id) for n in places if n < len(operations))
    for piece in found:
        if times[piece.round_id, piece.call_id] % 2:
            piece.fate = "undone"


def _needed(found: Sequence[Piece], journal: Journal) -> None:
    """Note which failed code made or changed what code after it builds on."""
    changed = {(o.round_id, o.call_id) for o in journal.record.operations if o.inverse is not None}
    wanted: set[str] = set()
    for piece in reversed(found):
        if piece.fate == "failed" and (piece.round_id, piece.call_id) in changed:
            effects = piece.effects
            if wanted & {*effects.writes, *effects.changes, *effects.deletes}:
                piece.fate = "partly"
                wanted |= {*effects.reads}
        elif piece.fate == "ran":
            effects = piece.effects
            wanted = (wanted - {*effects.writes}) | {*effects.reads}


def _text(parts: Sequence[str], hide: Callable[[str], str]) -> list[Cell]:
    text = "\n\n".join(part for part in parts if part)
    return [Cell("markdown", hide(text))] if text else []
