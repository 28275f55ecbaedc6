"""The readable twin of a conversation: markdown for a saved notebook; it holds no id, time or count that changes.

What a model, a note or a tool wrote can't become live markup here: outside code, ``<`` is written as text, links
to anything but the web, mail and files beside the notebook are no links, and a picture is a link to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .events import (
    ApprovalRequest,
    ApprovalResolved,
    Event,
    LoopDone,
    LoopError,
    RoundStart,
    Steer,
    StreamChunk,
    StreamReset,
    ToolFinish,
    ToolStart,
)
from .run import undo_mark
from .strings import Strings
from .types import Source

MARK = re.compile(r"<!--UNDO:[^>]*-->")
FENCE = r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\2[`~]*[ \t]*$|\Z)"
CODE = re.compile(rf"({FENCE}|(?<!`)(`+)(?!`).+?(?<!`)\3(?!`))", re.DOTALL | re.MULTILINE)
ALLOWED = r"(?:https?:|mailto:|#|\.{0,2}/|[\w%./-]+[)\s])"
LINK = re.compile(rf"\](\(|:)(?=\s*<?\s*(?!{ALLOWED}))", re.IGNORECASE)


@dataclass(slots=True)
class _Part:
    """What one round leaves to read."""

    question: str
    text: list[str] = field(default_factory=list)
    step: int = 0
    """Where the text of the running step begins."""
    code: dict[str, str] = field(default_factory=dict)
    ran: list[tuple[str, str]] = field(default_factory=list)
    sources: Sequence[Source] = ()


def markdown(events: Iterable[Event], say: Strings) -> str:
    """Return the rounds in ``events`` as markdown: question, code that ran, answer, sources."""
    return "\n\n---\n\n".join(_written(part, say) for part in _parts(events))


def safe(text: str) -> str:
    """Return markdown written by others with its raw HTML and its odd links made plain text."""
    pieces: list[str] = []
    at = 0
    for found in CODE.finditer(text):
        pieces += [_plain(text[at : found.start()]), found.group(0)]
        at = found.end()
    return "".join([*pieces, _plain(text[at:])])


def _plain(text: str) -> str:
    return LINK.sub(r"] \1", text.replace("<", "&lt;").replace("![", "["))


def _parts(events: Iterable[Event]) -> list[_Part]:
    parts: list[_Part] = []
    requests: dict[str, ApprovalRequest] = {}
    for event in events:
        if isinstance(event, RoundStart):
            parts.append(_Part(event.text))
        if not parts:
            continue
        part = parts[-1]
        if isinstance(event, StreamChunk):
            part.text.append(event.text if event.text != undo_mark(event.round_id) else "")
        elif isinstance(event, ToolStart) and part.text and part.text[-1] != "\n\n":
            part.text.append("\n\n")
        elif isinstance(event, StreamReset):
            del part.text[part.step :]
        elif isinstance(event, Steer):
            part.text.append(f"\n\n{_quoted(event.text)}\n\n")
        elif isinstance(event, ApprovalRequest):
            requests[event.approval_id] = event
        elif isinstance(event, ApprovalResolved) and event.code is not None:
            part.code[requests[event.approval_id].call_id] = event.code
        elif isinstance(event, ToolFinish) and event.call_id in part.code:
            part.step = len(part.text)
            part.ran.append((part.code.pop(event.call_id), event.result))
        elif isinstance(event, LoopError):
            part.text.append(f"\n\n{event.message}")
        elif isinstance(event, LoopDone):
            part.sources = event.sources
    return parts


def _written(part: _Part, say: Strings) -> str:
    ran = [f"{_fenced(code, 'python')}\n\n{_fenced(_short(result), 'text')}" for code, result in part.ran]
    answer = safe(MARK.sub("", "".join(part.text)).strip())
    sources = "\n".join(f"{s.n}. {safe(s.title)}" for s in part.sources)
    listed = f"**{say('twin_sources')}**\n\n{sources}" if sources else ""
    return "\n\n".join(piece for piece in (safe(_quoted(part.question)), *ran, answer, listed) if piece)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _short(text: str, cap: int = 2000) -> str:
    if len(text) <= cap:
        return text
    return f"{text[: cap // 2]}\n… {len(text) - cap} …\n{text[-cap // 2 :]}"
