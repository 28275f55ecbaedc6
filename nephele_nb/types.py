"""The values that pass between the organs; it owns no behaviour beyond arithmetic on itself and never does I/O.

Words, each with one meaning:

round     one user message and all that follows until LoopDone; has a ``round_id``
step      one model call inside a round, with the tool calls it asked for
mode      ``chat`` (retrieve once, answer once), ``research`` and ``agent`` (loops)
tier      who answers: ``lite``, ``zephyr``, ``tempest``, ``byok``
tool      something the model may call; its ``effect`` is ``reads``, ``writes`` or ``runs``
approval  a pending question to the user about one tool call
library   the user's notes, tables and graph
note      a whole document with a ``content_id``; a *passage* is the piece of it that is embedded
hit       what search returns; a *source* is what an answer cites, numbered from 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["chat", "research", "agent"]
Tier = Literal["lite", "zephyr", "tempest", "byok"]
Effect = Literal["reads", "writes", "runs"]
Outcome = Literal["approved", "edited", "rejected", "expired", "cancelled"]
Decider = Literal["user", "policy", "round", "tape", "nobody"]
"""Who decided an approval; ``round``: an earlier word of the user's for the whole round."""
Finish = Literal["answer", "rule", "stopped", "budget", "timeout", "tool_failed", "no_progress", "error"]
Why = Literal["retried", "edited", "deleted"]
"""Why a round has left the model's context: asked again, asked in other words (or after such a one), or by hand."""
Span = tuple[int, int]
Message = dict[str, Any]
"""One Chat Completions message, as it is sent to the model and kept in the history."""
Output = dict[str, Any]
"""One nbformat v4 output: ``stream``, ``display_data``, ``execute_result`` or ``error``."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one step or, added up, of a round. ``total`` is what the provider says, else input + output."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    total: int = 0
    steps: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
            self.total + other.total,
            self.steps + other.steps,
        )


@dataclass(frozen=True, slots=True)
class Source:
    """What an answer cites: a note with a span, or a table with the version and rows that were read."""

    n: int
    kind: Literal["note", "table"]
    content_id: str
    title: str
    span: Span | None = None
    table: str | None = None
    version: int | None = None
    rows: Span | None = None


@dataclass(frozen=True, slots=True)
class NumberLink:
    """A number of an answer, as it is written there, and the call it came out of.

    ``reads`` names what that call was made of (``variable df``, ``table sales``), with the fingerprint of each then.
    """

    text: str
    call_id: str
    reads: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the model asked for it.

    ``arguments`` is the text of a JSON object, repaired where the stream's form was odd but never invented;
    ``fault`` says in words why the call cannot be run (cut, not JSON), and such a call never runs.
    ``extra`` holds opaque provider fields (a signature) that go back verbatim.
    """

    id: str
    name: str
    arguments: str
    fault: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """One found passage. ``span`` is [start, end) in characters of ``Note.text``; ``channels`` name who found it.

    ``why`` holds for each channel what it found it by: the words, the likeness (0 to 1), the title, the tag.
    """

    content_id: str
    title: str
    text: str
    score: float
    span: Span
    channels: tuple[str, ...]
    kind: Literal["note", "table"] = "note"
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A whole document. Times are Unix seconds; ``path`` is the file it came from, if any."""

    content_id: str
    title: str
    text: str
    tags: tuple[str, ...] = ()
    created: float = 0.0
    updated: float = 0.0
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """Rows read from one table: ``text`` is what the model gets (capped by line, coverage said in its last line)."""

    name: str
    text: str
    rows: list[dict[str, Any]]
    shown: int
    matched: int
    total: int
    version: int
    offset: int = 0
    columns: tuple[tuple[str, str], ...] = ()
    """Name and type of each column that was read."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One link between two content ids: its kind, and the text span in ``source`` that is the evidence."""

    source: str
    target: str
    kind: str
    span: Span | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One item met on a walk: how many links away it is, and the links that lead there."""

    content_id: str
    title: str
    kind: Literal["note", "table", "tag"]
    distance: int
    path: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What lies within ``hops`` of an item: the edges walked and the title of each content id met.

    ``nodes`` are the items met, nearest first; ``left_out`` counts the links that there was no room for.
    """

    content_id: str
    hops: int
    edges: tuple[Edge, ...]
    titles: Mapping[str, str]
    nodes: tuple[Neighbour, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """One file that did not go in, and why, in words."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class AddReport:
    """What ``Library.add`` did: names of what was added, changed or left as it was, what was skipped and why,
    and what is the same as before under another path.
    """

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    moved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inverse:
    """How to take one operation back, as data: ``op`` is a name that ``undo.py`` knows."""

    op: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back.

    ``text`` goes to the model; ``outputs`` are for the user's card; ``images`` are ``data:`` URLs for models
    that see; ``sources`` are what the call really opened, not yet numbered (``n`` = 0).
    """

    text: str
    ok: bool = True
    outputs: tuple[Output, ...] = ()
    images: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    inverse: Inverse | None = None
    numbered: Callable[[Sequence[int]], str] | None = None
    """Gives the text once the round has numbered ``sources``."""
    reads: Mapping[str, str] = field(default_factory=dict)
    """What the result was made of, by name, with the fingerprint each had: ``variable df``, ``table sales``."""
    ends_round: bool = False
    """True where the user interrupted the call itself, and so the round."""
