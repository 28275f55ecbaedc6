"""What a file says as a note: its text in whatever encoding, markdown and plain text; it never writes or fetches."""

from __future__ import annotations

import codecs
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from .chunk import heading
from .tags import tags_in
from .words import normal

MAX_BYTES = 32_000_000
_FIRST, _LAST = (datetime(*day, tzinfo=UTC).timestamp() for day in ((1, 1, 1), (9999, 12, 31)))
_MARKED = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
"""The marks a text may begin with; the first two bytes of UTF-32's are also UTF-16's."""

_ENOUGH = 8
"""So many characters tell Korean from Chinese by their codes alone."""

_KANA = re.compile("[\u3041-\u30f6]")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_FENCED = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,}).*?(?:^[ \t]{0,3}\1|\Z)", re.MULTILINE | re.DOTALL)


class Unreadable(Exception):
    """A file that can't be taken in, and why, in words for the report."""


class Document(NamedTuple):
    """What a file says. Times are Unix seconds, 0 where the file doesn't say."""

    title: str
    text: str
    tags: tuple[str, ...] = ()
    created: float = 0.0
    updated: float = 0.0


def decoded(data: bytes) -> str:
    """Return text with Unix line ends; raises Unreadable where the bytes don't tell what they are.

    Read are UTF-8, UTF-16 and UTF-32 with their marks, ISO-2022, and GB 18030, EUC-JP or EUC-KR where they look so.
    """
    marked = next((name for mark, name in _MARKED if data.startswith(mark)), "utf-8-sig")
    try:
        text = data.decode("iso2022_jp_2" if b"\x1b$" in data and data.isascii() else marked)
    except UnicodeDecodeError as error:
        if marked != "utf-8-sig" or data.isascii():
            raise Unreadable(f"its {error.encoding} text is damaged ({error.reason}); save it as UTF-8") from error
        text = _eastern(data, error)
    if "\x00" in text:
        raise Unreadable("not text: it holds zero bytes; UTF-16 without a mark must be saved as UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _eastern(data: bytes, error: UnicodeDecodeError) -> str:
    # in Latin-1 text high bytes stand alone, in Chinese text they come in runs; and where many pairs end in a low
    # byte, it is some other encoding of the East, which would come out as rare characters
    runs = re.findall(rb"[\x80-\xff]+", data)
    pairs = re.findall(rb"[\x81-\xfe][\x40-\xfe]", data)
    rare = sum(pair[1] < 0xA1 or pair[0] < 0xA1 for pair in pairs)
    if sum(map(len, runs)) < 3 * len(runs) or rare * 5 > len(pairs):
        raise Unreadable("neither UTF-8 nor GB 18030 text; save it as UTF-8") from error
    codes = [pair[0] for pair in pairs if pair[0] >= 0xB0]
    korean = all(code <= 0xC8 for code in codes)  # half of what is common in Chinese comes later
    try:
        text = data.decode("gb18030")
        # the two encodings write kana alike, and a Chinese text has none
        if len(_KANA.findall(text)) * 20 > len(text):
            return data.decode("euc-jp")
        return data.decode("euc-kr") if korean and len(codes) >= _ENOUGH else text
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
    return _within((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def _within(seconds: float) -> float:
    """A day that the calendar of UTC no longer has says nothing."""
    return seconds if _FIRST <= seconds <= _LAST else 0.0


def _unquoted(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def read_markdown(path: Path) -> Document:
    """Read markdown: front matter gives title, tags and dates, else the first heading or the file's name.

    Tags in the text follow those of the front matter.
    """
    fields, text = front_matter(decoded(path.read_bytes()))
    tags = fields.get("tags") or fields.get("tag") or []
    if isinstance(tags, str):
        tags = [t for t in re.split(r"[,，\s]+", tags) if t]
    title = fields.get("title")
    created = timestamp(fields.get("created") or fields.get("date") or "")
    updated = timestamp(fields.get("updated") or fields.get("modified") or "")
    named = title if isinstance(title, str) and title else first_heading(text) or path.stem
    told: dict[str, str] = {}
    for tag in (*(t.lstrip("#") for t in tags), *(t.name for t in tags_in(text))):
        told.setdefault(normal(tag), tag)
    return Document(named, text, tuple(told.values()), created, updated)


def first_heading(text: str) -> str:
    """Return the first heading that isn't inside a code fence, or an empty string."""
    m = _HEADING.search(_FENCED.sub("", text))
    return heading(m.group(1)) if m else ""


def read_plain(path: Path) -> Document:
    """Read a text file under the name of its file."""
    return Document(path.stem, decoded(path.read_bytes()))
