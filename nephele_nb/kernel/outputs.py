"""Reads notebook outputs (nbformat v4): what the model is told of them, and how they are bounded; it never does I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..types import Output

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_PICTURES = ("image/png", "image/jpeg")
_TRACEBACK_SHARE = 3


_FRAME = re.compile(r"\s*File |Cell In|Input In")
_FOREIGN = re.compile(r"site-packages|dist-packages|File \"?[\w/]+\.(?:pyx|pxi)|lib/python3")

MODEL_CAP = 8000
"""Characters of a run's outputs that the model reads."""


def model_text(outputs: Iterable[Output], cap: int = MODEL_CAP, where: str = "") -> str:
    """Return what the model reads, at most ``cap`` characters: head and tail, and always the end of an error.

    ``where`` is the file that holds the whole of it.
    """
    merged = merge_streams(outputs)
    errors = "\n".join(_error_text(o, max(cap // _TRACEBACK_SHARE, 200)) for o in merged if o["output_type"] == "error")
    errors = cut(errors, cap // 2)
    rest = "\n".join(filter(None, (_text(o) for o in merged if o["output_type"] != "error")))
    rest = cut(rest, cap - len(errors) - 1 if errors else cap, where)
    return "\n".join(filter(None, (rest, errors)))


def images(outputs: Iterable[Output]) -> tuple[str, ...]:
    """Return the PNG and JPEG pictures as ``data:`` URLs, in order."""
    found = []
    for output in outputs:
        data = output.get("data") or {}
        for mime in _PICTURES:
            if data.get(mime):
                found.append(f"data:{mime};base64,{''.join(_joined(data[mime]).split())}")
                break
    return tuple(found)


def merge_streams(outputs: Iterable[Output]) -> list[Output]:
    """Return the outputs with neighbouring pieces of one stream made one."""
    merged: list[Output] = []
    for output in outputs:
        last = merged[-1] if merged else None
        if last and output["output_type"] == last["output_type"] == "stream" and output["name"] == last["name"]:
            merged[-1] = last | {"text": _joined(last["text"]) + _joined(output["text"])}
        else:
            merged.append(output)
    return merged


def bound(outputs: Iterable[Output], max_bytes: int) -> tuple[Output, ...]:
    """Return the outputs within about ``max_bytes``: later ones give way, and a mark says what was left out."""
    left = max_bytes
    kept: list[Output] = []
    for output in merge_streams(outputs):
        smaller = output if _size(output) <= left else _shrunk(output, max(left, 0))
        left -= _size(smaller)
        kept.append(smaller)
    return tuple(kept)


def is_rich(output: Output) -> bool:
    """Tell whether an output is more than text: a picture, a table in HTML, a widget."""
    return any(not mime.startswith("text/plain") for mime in output.get("data") or {})


def cut(text: str, cap: int, where: str = "") -> str:
    """Return the text in at most ``cap`` characters: head, a mark that counts what is missing, tail.

    ``where`` is the file that holds the whole of it, and stands in the mark.
    """
    if len(text) <= cap:
        return text
    room = cap - len(_mark(len(text), where))
    if room <= 0:
        return _mark(len(text), where)[: max(cap, 0)]
    head = room * 3 // 5
    tail = room - head
    return text[:head] + _mark(len(text) - room, where) + text[len(text) - tail :]


def strip_ansi(text: str) -> str:
    """Return the text without terminal colours and cursor moves."""
    return _ANSI.sub("", text)


def _mark(count: int, where: str) -> str:
    return f"\n… {count} characters left out{f', full text in {where}' if where else ''} …\n"


def _text(output: Output) -> str:
    if output["output_type"] == "stream":
        lines = strip_ansi(_joined(output["text"])).rstrip("\n").split("\n")
        return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
    data = output.get("data") or {}
    for mime in ("text/plain", "text/markdown", "text/latex", "text/html"):
        if data.get(mime):
            return strip_ansi(_joined(data[mime]))
    return f"[{', '.join(sorted(data))}]" if data else ""


def _error_text(output: Output, cap: int) -> str:
    line = f"{output.get('ename', 'Error')}: {output.get('evalue', '')}".rstrip(": ")
    trace = _own_frames(strip_ansi("\n".join(output.get("traceback") or ())))
    return cut(trace if line in trace else "\n".join(filter(None, (trace, line))), cap)


def _own_frames(trace: str) -> str:
    """Return a traceback without what went on inside libraries, which says little about the code."""
    kept: list[str] = []
    foreign = left_out = 0
    for line in trace.split("\n"):
        if _FRAME.match(line):
            foreign = _FOREIGN.search(line) is not None
            left_out += foreign
        elif not line.startswith((" ", "-->", "→")) and line.strip():
            foreign = False
        if not foreign:
            kept.append(line)
    return "\n".join(kept) if left_out else trace


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(str(part) for part in text)


def _size(output: Output) -> int:
    if output["output_type"] == "stream":
        return len(_joined(output["text"]).encode("utf-8", "replace"))
    if output["output_type"] == "error":
        return sum(len(str(line).encode("utf-8", "replace")) for line in output.get("traceback") or ())
    return sum(len(str(value).encode("utf-8", "replace")) for value in (output.get("data") or {}).values())


def _shrunk(output: Output, room: int) -> Output:
    """Return an output in about ``room`` bytes (a mark is always kept); UTF-8 may take four bytes a character."""
    chars = max(room // 4, 60)
    if output["output_type"] == "stream":
        return output | {"text": cut(_joined(output["text"]), chars)}
    if output["output_type"] == "error":
        return output | {"traceback": cut("\n".join(output.get("traceback") or ()), chars).split("\n")}
    kept: dict[str, Any] = {}
    for mime, value in (output.get("data") or {}).items():
        size = len(str(value).encode("utf-8", "replace"))
        if mime == "text/plain":
            kept[mime] = cut(_joined(value), chars)
        elif size <= room:
            kept[mime] = value
            room -= size
        else:
            note = f"… {mime} of {size} bytes left out …"
            kept["text/plain"] = "\n".join(filter(None, (kept.get("text/plain", ""), note)))
    return output | {"data": kept}
