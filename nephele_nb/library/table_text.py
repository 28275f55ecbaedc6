"""Writes a table's rows as the text a model reads: whole rows up to a cap, and a last line that says which they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

CELL = 400
LEAST_CAP = 200
_PLAIN = (bool, int, float, Decimal, date, time, timedelta)
_HINTS = 3
"""The share of the cap, as a divisor, that the line about columns left out may take."""
_ROOMY = 400
"""The least cap with room for a line on how to get the next part."""


class Coverage(NamedTuple):
    """What part of a table is read: its offset among the matched rows, and where it stands ("version 3", "live")."""

    offset: int
    matched: int
    total: int
    standing: str


class Page(NamedTuple):
    """The text for the model and the rows it shows."""

    text: str
    rows: list[dict[str, Any]]


def most_rows(columns: int, cap: int) -> int:
    """Return how many rows can fit at all, so that no more are read."""
    return cap // max(1, 3 * columns - 2) + 1


def page(
    rows: Iterable[Mapping[str, Any]], names: Sequence[str], left_out: Sequence[str], of: Coverage, cap: int
) -> Page:
    """Write rows until ``cap`` characters are full (at least 200); a long cell is cut and says by how much."""
    cap = max(cap, LEAST_CAP)
    tail = f" shown of {of.matched} matched of {of.total} in all ({of.standing})"
    room = cap - len(tail) - len(f"rows {of.offset + 1}-{of.offset + cap}") - 1
    out = _left_out(left_out, room // _HINTS)
    more = len(f"more: offset={of.offset + cap}\n") if cap >= _ROOMY else 0
    room -= len(out) + more
    header = " | ".join(cell(name) for name in names)
    if len(header) > room // 2:
        kept = header[: room // 2].rsplit(" | ", 1)[0]
        header = f"{kept} | … ({len(names)} columns)"
    lines, shown = [header], list[dict[str, Any]]()
    room -= len(header)
    for row in rows:
        line = " | ".join(cell(row[name]) for name in names)
        if len(line) + 1 > room:
            if not shown:
                lines.append("A row is wider than the space for this answer: name fewer columns."[: max(room - 1, 0)])
            break
        lines.append(line)
        shown.append(dict(row))
        room -= len(line) + 1
    return Page("\n".join([*lines, *_ending(of, len(shown), out, more > 0, tail)]), shown)


def cell(value: Any, most: int = CELL) -> str:
    """Write one value on one line; no digit of a number is dropped, and no foreign object's own code is run."""
    if value is None:
        return ""
    if isinstance(value, str):
        text = value or '""'
    elif isinstance(value, bytes | bytearray):
        return f"<{len(value)} bytes>"
    elif isinstance(value, list | dict | tuple):
        text = json.dumps(value, ensure_ascii=False, default=_inner)
    else:
        text = _inner(value)
    text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("|", "\\|")
    return text if len(text) <= most else f"{text[:most]}… (+{len(text) - most})"


def _inner(value: Any) -> str:
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    known = type(value).__module__.split(".")[0] in ("builtins", "datetime", "decimal", "uuid", "pandas", "numpy")
    return str(value) if known and (isinstance(value, _PLAIN) or type(value).__module__ != "builtins") else _name(value)


def _name(value: Any) -> str:
    return f"<{type(value).__module__}.{type(value).__qualname__}>"


def _left_out(names: Sequence[str], room: int) -> str:
    """The line that names the columns not shown, as many as there is room for."""
    if not names or room < 40:
        return ""
    listed = ", ".join(cell(name, 60) for name in names)
    kept = listed if len(listed) + 20 <= room else listed[: room - 40].rpartition(", ")[0] + ", …"
    return f"columns left out ({len(names)}): {kept}\n"


def _ending(of: Coverage, shown: int, out: str, more: bool, tail: str) -> list[str]:
    lines = [out.rstrip("\n")] if out else []
    end = of.offset + shown
    if more and shown > 0 and end < of.matched:
        lines.append(f"more: offset={end}")
    first, last = (of.offset + 1, end) if shown else (0, 0)
    return [*lines, f"rows {first}-{last}{tail}"]
