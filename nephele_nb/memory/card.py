"""One card as a file holds it: read whatever a person made of it, changed without touching the rest; it does no I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from .. import front_matter
from ..errors import NepheleError, nearest
from ..front_matter import Sheet

TYPES = ("user", "workflow", "project", "reference", "correction")
NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "name"),
    "summary": ("summary", "description"),
    "type": ("type",),
    "created": ("created", "date"),
    "updated": ("updated", "modified"),
}
"""The keys of the front matter that mean each field, ours first."""
LONGEST_LINE = 300
"""Characters of a title or a summary."""
_JOINERS = "\u200c\u200d"
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Card:
    """One memory card. Line ends of ``body`` are plain newlines; dates stand as written, else they are the file's."""

    id: str
    title: str
    summary: str
    type: str
    body: str = field(repr=False)
    created: str
    updated: str
    path: Path
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """A card with the bytes it was read from; ``frozen`` says why it can't be changed, if it can't.

    ``whole`` is False where ``data`` is not all of the file.
    """

    card: Card
    sheet: Sheet
    data: bytes
    changed: float
    frozen: str = ""
    whole: bool = True

    @property
    def when(self) -> tuple[float, float]:
        """What tells the newer of two cards."""
        return timestamp(self.card.updated) or self.changed, self.changed


def read(id: str, path: Path, data: bytes, changed: float, cut: int = 0) -> Held:
    """Take a file's bytes as a card; ``changed`` is the file's time, ``cut`` how many bytes of it were not read."""
    text, oddity = decoded(data, cut)
    sheet = front_matter.read(text)
    warnings = [f"{path.name}, line {fault.line}: {fault.why}" for fault in sheet.faults]
    if oddity:
        warnings.append(f"{path.name}, {oddity}")
    if cut:
        oddity = oddity or f"the file is longer than {len(data)} bytes"
        warnings.append(f"{path.name}: longer than {len(data)} bytes; the rest was not read")
    kind = sheet.value("type").strip().casefold()
    if kind and kind not in TYPES:
        why = f"the type {kind!r} is none of {', '.join(TYPES)}; taken as a reference"
        warnings.append(f"{path.name}, line {_line_of(sheet, 'type')}: {why}")
    body = sheet.body.removeprefix("\ufeff").replace("\r\n", "\n")
    heading = _HEADING.search(body)
    file_time = datetime.fromtimestamp(changed, UTC).isoformat(timespec="seconds")
    card = Card(
        id,
        one_line(sheet.value(*NAMES["title"])) or one_line(heading[1] if heading else "") or id,
        one_line(sheet.value(*NAMES["summary"])),
        kind if kind in TYPES else "reference",
        body,
        sheet.value(*NAMES["created"]) or file_time,
        sheet.value(*NAMES["updated"]) or file_time,
        path,
        tuple(warnings),
    )
    return Held(card, sheet, data, changed, oddity, not cut)


def unread(id: str, path: Path, why: str) -> Held:
    """Return what stands for a file that can't be read."""
    card = Card(id, id, "", "reference", "", "", "", path, (f"{path.name}: {why}",))
    return Held(card, Sheet({}, ""), b"", 0.0, why, whole=False)


def new(title: str, summary: str, type: str, body: str, now: datetime) -> bytes:
    """Return the file of a new card."""
    today = now.isoformat(timespec="seconds")
    fields = {"title": title, "summary": summary, "type": type, "created": today, "updated": today}
    return front_matter.write(fields, body.replace("\r\n", "\n")).encode()


def changed(held: Held, title: str, summary: str, type: str, body: str, now: datetime) -> bytes:
    """Return the file with the new values in it, the very same bytes where nothing is new; raises NepheleError."""
    card, sheet = held.card, held.sheet
    fields = {
        sheet.key(*NAMES[name]) or name: value
        for name, value in {"title": title, "summary": summary, "type": type}.items()
        if value != getattr(card, name)
    }
    body = body.replace("\r\n", "\n")
    same = body == card.body
    if same and not fields:
        return held.data
    if held.frozen:
        raise NepheleError(f"The card {card.path.name} can't be changed here: {held.frozen}.")
    fields[sheet.key(*NAMES["updated"]) or "updated"] = now.isoformat(timespec="seconds")
    new_body = sheet.body if same else body.replace("\n", sheet.newline)
    try:
        return front_matter.change(sheet, fields, new_body).encode()
    except ValueError as error:
        raise NepheleError(
            f"The card {card.path.name} can't be changed here: {error}. Edit the file itself."
        ) from error


def checked(title: str, summary: str, type: str, body: str) -> tuple[str, str]:
    """Return title and summary as one line each; raises NepheleError for what can't be a card."""
    title, summary = one_line(title), one_line(summary)
    if type not in TYPES:
        known = ", ".join(TYPES)
        raise NepheleError(f"The type {type!r} is not known{nearest(str(type), TYPES)}; use one of {known}.")
    if not title:
        raise NepheleError("The title is empty; say in a few words what the card is about.")
    for name, text in {"title": title, "summary": summary}.items():
        if len(text) > LONGEST_LINE:
            raise NepheleError(f"The {name} has {len(text)} characters; it is one line of at most {LONGEST_LINE}.")
    try:
        (title + summary + body).encode()
    except UnicodeEncodeError as error:
        raise NepheleError(f"The text holds half a character ({error.reason}); leave it out.") from error
    return title, summary


def one_line(text: str) -> str:
    """Return a text as one line, without control characters; what joins emoji and letters stays."""
    return " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in text).split())


def timestamp(text: str) -> float:
    """Return a written date as Unix seconds, 0 where it is none."""
    try:
        when = datetime.fromisoformat(text.strip())
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def decoded(data: bytes, cut: int = 0) -> tuple[str, str]:
    """Return the bytes as text, and, where they are no UTF-8, in words what they were taken for."""
    try:
        return data.decode(), ""
    except UnicodeDecodeError as error:
        if cut and error.start > len(data) - 4:
            return data[: error.start].decode(), ""
        line = data.count(b"\n", 0, error.start) + 1
    for encoding in ("utf-16", "gb18030"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if (encoding == "utf-16" and data[:2] in (b"\xff\xfe", b"\xfe\xff")) or _is_chinese(text):
            break
    else:
        text, encoding = data.decode("cp1252", "replace"), "Western European"
    return text, f"line {line}: the file is not UTF-8 (taken as {encoding}); save it as UTF-8 to have it changed here"


def _is_chinese(text: str) -> bool:
    """True where all that isn't ASCII is Chinese, as Western text read so never is."""
    foreign = re.sub(r"[\x00-\x7f]", "", text)
    return re.fullmatch(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef\u2010-\u2026]+", foreign) is not None and bool(
        re.search(r"[\u4e00-\u9fff]{2}", text)
    )


def _line_of(sheet: Sheet, name: str) -> int:
    first, _ = sheet.places.get(sheet.key(*NAMES[name]) or "", (0, 0))
    return first + 2
