"""What a GGUF file says of itself in its header; it never reads a weight."""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAGIC = b"GGUF"
TEXT, ARRAY = 8, 9
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
LONGEST_TEXT = 1 << 20
NO_CHAT_NAME = re.compile(r"mmproj|embed|rerank|\bbge\b|\blora\b|imatrix|-vae\b|clip", re.IGNORECASE)
SPLIT = re.compile(r"-(\d{5})-of-(\d{5})$")


@dataclass(frozen=True, slots=True)
class Gguf:
    """A model file: its name, its size in bytes with all its parts, the tokens it was trained to take (0: unsaid).

    ``chat`` says that it holds a chat template and makes text: no embedder, no image projector, no adapter.
    """

    path: Path
    name: str
    bytes: int
    context: int
    chat: bool


def look(path: Path, name: str = "") -> Gguf | None:
    """Return what a file is, or None for one that can't be read, is no GGUF, or is no first part of a whole one."""
    split = SPLIT.search(path.stem)
    parts = [path]
    if split:
        if int(split[1]) != 1:
            return None
        stem, count = path.stem[: split.start()], int(split[2])
        parts = [path.with_name(f"{stem}-{n:05d}-of-{count:05d}{path.suffix}") for n in range(1, count + 1)]
    try:
        said = header(path)
        size = sum(part.stat().st_size for part in parts)
    except (OSError, ValueError, struct.error):
        return None
    family = str(said.get("general.architecture", ""))
    text = said.get("general.type", "model") == "model" and f"{family}.pooling_type" not in said
    chat = text and "tokenizer.chat_template" in said and not NO_CHAT_NAME.search(name or path.stem)
    context = said.get(f"{family}.context_length", 0)
    return Gguf(path, name or path.stem, size, context if isinstance(context, int) else 0, chat)


def header(path: Path) -> dict[str, Any]:
    """Return the key-value pairs of a header, lists left out; raises OSError, ValueError and struct.error."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:4] != MAGIC:
            raise ValueError(f"{path.name} is no GGUF file")
        (version,) = struct.unpack_from("<I", data, 4)
        if version not in (2, 3):
            raise ValueError(f"{path.name} has the GGUF version {version}, which is not known here")
        (count,) = struct.unpack_from("<Q", data, 16)
        return dict(_pairs(data, count))


def _pairs(data: mmap.mmap, count: int) -> Iterator[tuple[str, Any]]:
    at = 24
    for _ in range(count):
        key, at = _text(data, at)
        (kind,) = struct.unpack_from("<I", data, at)
        value, at = _value(data, at + 4, kind)
        if kind != ARRAY:
            yield key, value


def _value(data: mmap.mmap, at: int, kind: int) -> tuple[Any, int]:
    if kind == TEXT:
        return _text(data, at)
    if kind == ARRAY:
        return None, _past_list(data, at)
    if kind not in SCALARS:
        raise ValueError(f"a value of the unknown kind {kind}")
    form = f"<{SCALARS[kind]}"
    return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)


def _text(data: mmap.mmap, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from("<Q", data, at)
    end = at + 8 + length
    if length > LONGEST_TEXT or end > len(data):
        raise ValueError("a text that is longer than the file can hold")
    return data[at + 8 : end].decode("utf-8", "replace"), end


def _past_list(data: mmap.mmap, at: int) -> int:
    kind, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if kind in SCALARS:
        return int(at + count * struct.calcsize(f"<{SCALARS[kind]}"))
    if kind != TEXT:
        raise ValueError(f"a list of the unknown kind {kind}")
    read = struct.Struct("<Q").unpack_from
    for _ in range(count):
        at += 8 + read(data, at)[0]
    return at
