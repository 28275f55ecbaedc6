"""The readable twin of a conversation: markdown for a saved notebook; it holds no id, time or count that changes.

What a model, a note or a tool wrote can't become live markup here: outside code, ``<`` is written as text, links
to anything but the web, mail and files beside the notebook are no links, and a picture is a link to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

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
from .strings import Strings, language_of
from .types import Source, Why

MARK = re.compile(r"<!--UNDO:[^>]*-->")
FENCE = re.compile(r"( *)(`{3,}|~{3,})([^\n]*)")
RUN = re.compile(r"`+")
FORMULA = re.compile(r"\\\$\$|\$\$.*?\$\$|\\\[.*?\\\]|\\begin\{.*?\\end\{", re.DOTALL)
ALLOWED = r"(?:https?:|mailto:|#|\.{0,2}/|[\w%./-]+[)\s])"
LINK = re.compile(rf"\](\(|:)(?=\s*<?\s*(?!{ALLOWED}))", re.IGNORECASE)


@dataclass(slots=True)
class _Piece:
    """Some of what a round says, or a ``block`` that is written already."""

    text: str
    block: bool = False


@dataclass(slots=True)
class _Part:
    """What one round leaves to read, in order."""

    question: str
    say: Strings
    pieces: list[_Piece] = field(default_factory=list)
    step: int = 0
    """Where the running step begins."""
    asked: dict[str, tuple[ApprovalRequest, _Piece]] = field(default_factory=dict)
    approved: dict[str, tuple[str, _Piece]] = field(default_factory=dict)
    """By call, the code that runs and where it stands."""
    sources: Sequence[Source] = ()


def markdown(events: Iterable[Event], setting: str = "auto", aside: Mapping[str, Why] | None = None) -> str:
    """Return the rounds in ``events`` as markdown: question, code that ran, answer, sources.

    One that has left the model's context (``aside``) is there too, and says so.
    """
    return "\n\n---\n\n".join(_written(part) for part in _parts(events, setting, aside or {}))


def spoken(events: Iterable[Event], setting: str) -> Strings:
    """Speak the language of the conversation's first message: a view does not change it from round to round."""
    first = next((e.text for e in events if isinstance(e, RoundStart)), "")
    return Strings(language_of(first, setting))


def safe(text: str) -> str:
    """Return markdown written by others with its raw HTML and its odd links made plain text.

    A fence at the margin is code whatever surrounds it. Elsewhere a list, a quote, a formula or a sentence over
    several lines can make another thing of a backtick than what stands on its line; where that may be, nothing
    counts as code, and ``<`` reads ``&lt;`` there.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if any(re.search(r"`|~~~|^\\\$|\$\$\$", formula) for formula in FORMULA.findall(text)):
        return "\n".join(_plain(line) for line in lines)
    kept: list[str] = []
    loose: list[tuple[str, bool]] = []
    at = 0
    while at < len(lines):
        if not (opened := FENCE.fullmatch(lines[at])):
            loose.append((lines[at], False))
            at += 1
            continue
        end = _fence_end(lines, at, opened)
        if end is None:
            return "\n".join([*kept, *map(_plain, (line for line, _ in loose)), *map(_plain, lines[at:])])
        if opened[1]:
            loose += [(line, True) for line in _fence(lines[at:end])]
        else:
            kept += [*_settled(loose), *_fence(lines[at:end])]
            loose = []
        at = end
    return "\n".join([*kept, *_settled(loose)])


def _fence_end(lines: Sequence[str], at: int, opened: re.Match[str]) -> int | None:
    """Return the number after the last line of the fence that opens at ``at``; None where readers may differ."""
    indent, mark, language = opened.groups()
    if mark[0] == "`" and "`" in language:
        return None
    closing = re.compile(rf"( *){mark}[`~]*[ \t]*")
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if closed := closing.fullmatch(line):
            plain = not line.strip().strip(mark[0])
            return number + 1 if plain and (closed[1] == indent or (not indent and len(closed[1]) <= 3)) else None
        if indent and line.strip() and not line.startswith(indent):
            return None
    return None if indent else len(lines)


def _fence(lines: Sequence[str]) -> list[str]:
    """Return a fenced block with a plain word for its language, and with an end."""
    opened = FENCE.fullmatch(lines[0]) if lines else None
    if opened is None:
        return []
    indent, mark, language = opened.groups()
    word = re.match(r"[\w+#.-]*", language.strip())
    closed = len(lines) > 1 and re.fullmatch(rf" *{mark}{mark[0]}*[ \t]*", lines[-1])
    return [f"{indent}{mark}{word[0] if word else ''}", *lines[1:], *([] if closed else [mark])]


def _settled(loose: Sequence[tuple[str, bool]]) -> list[str]:
    """Return lines that are no fence at the margin; each says whether it is part of one further in."""
    text = "\n".join(line for line, fenced in loose if not fenced)
    # Some readers look for emphasis across code spans of more than one backtick.
    crossed = "``" in text and re.search("[*_]", text)
    sure = not crossed and all(fenced or _is_sure(line) for line, fenced in loose)
    return [line if fenced and sure else _line(line, sure) for line, fenced in loose]


def _is_sure(line: str) -> bool:
    """Tell whether each code span of a line begins and ends there, whatever surrounds the line."""
    text = "".join(_spans(line)[::2])
    return "\\`" not in line and not re.search(r"`|\$|~~~", text)


def _line(line: str, sure: bool) -> str:
    pieces = _spans(line) if sure and "|" not in line else [line]
    return "".join(piece if n % 2 else _plain(piece) for n, piece in enumerate(pieces))


def _spans(line: str) -> list[str]:
    """Return a line as text, code span, text, and so on; the last piece is text."""
    pieces: list[str] = []
    at = 0
    while opened := RUN.search(line, at):
        closed = next((run for run in RUN.finditer(line, opened.end()) if run[0] == opened[0]), None)
        if closed is None:
            break
        pieces += [line[at : opened.start()], line[opened.start() : closed.end()]]
        at = closed.end()
    return [*pieces, line[at:]]


def _plain(text: str) -> str:
    return LINK.sub(r"] \1", text.replace("<", "&lt;").replace("![", "["))


def _parts(events: Iterable[Event], setting: str, aside: Mapping[str, Why]) -> list[_Part]:
    parts: list[_Part] = []
    for event in events:
        if isinstance(event, RoundStart):
            say = Strings(language_of(event.text, setting))
            parts.append(_Part(event.text, say))
            if why := aside.get(event.round_id):
                parts[-1].pieces.append(_Piece(f"*{say(f'twin_{why}')}*", block=True))
        elif parts:
            _take(parts[-1], event)
    return parts


def _take(part: _Part, event: Event) -> None:
    if isinstance(event, StreamChunk) and event.text != undo_mark(event.round_id):
        part.pieces.append(_Piece(event.text))
    elif isinstance(event, ToolStart) and part.pieces and part.pieces[-1].text != "\n\n":
        part.pieces.append(_Piece("\n\n"))
    elif isinstance(event, StreamReset):
        part.pieces[part.step :] = [piece for piece in part.pieces[part.step :] if piece.block]
    elif isinstance(event, Steer):
        part.pieces.append(_Piece(quoted(safe(event.text)), block=True))
    elif isinstance(event, ApprovalRequest):
        piece = _Piece(_not_run(event, "pending", part.say), block=True)
        part.pieces.append(piece)
        part.asked[event.approval_id] = (event, piece)
    elif isinstance(event, ApprovalResolved):
        asked, piece = part.asked[event.approval_id]
        approved = event.outcome in ("approved", "edited")
        piece.text = "" if approved else _not_run(asked, event.outcome, part.say)
        if event.code is not None:
            part.approved[asked.call_id] = (event.code, piece)
    elif isinstance(event, ToolFinish):
        part.step = len(part.pieces)
        if event.call_id in part.approved:
            code, piece = part.approved.pop(event.call_id)
            piece.text = f"{_fenced(code, 'python')}\n\n{_fenced(_short(event.result), 'text')}"
    elif isinstance(event, LoopError):
        part.pieces.append(_Piece(f"\n\n{event.message}"))
    elif isinstance(event, LoopDone):
        part.sources = event.sources


def _written(part: _Part) -> str:
    body = [quoted(safe(part.question))]
    for block, pieces in groupby(part.pieces, key=lambda piece: piece.block):
        texts = [piece.text for piece in pieces]
        body += texts if block else [safe(MARK.sub("", "".join(texts)).strip())]
    listed = "\n".join(f"{s.n}. {safe(s.title)}" for s in part.sources)
    body += [f"**{part.say('twin_sources')}**\n\n{listed}"] if listed else []
    return "\n\n".join(piece for piece in body if piece)


def _not_run(asked: ApprovalRequest, outcome: str, say: Strings) -> str:
    words = f"*{safe(asked.tool)}: {say(f'twin_{outcome}')}*"
    return f"{words}\n\n{_fenced(asked.code, 'python')}" if asked.code else words


def quoted(text: str) -> str:
    """Return a text as a quotation."""
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _short(text: str, cap: int = 2000) -> str:
    if len(text) <= cap:
        return text
    return f"{text[: cap // 2]}\n… {len(text) - cap} …\n{text[-cap // 2 :]}"
