"""The events of a round: the one contract between Python and TypeScript; it never sends or stores them.

Each event is a frozen value with a ``kind`` (its class name), the ``round_id`` and a ``seq`` that starts at 0 in
each round and grows by one. ``to_dict`` gives strict JSON and ``from_dict`` takes it back. A round has one
RoundStart first and one LoopDone last; each ToolStart has one ToolFinish.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar

from .errors import nearest
from .types import Decider, Finish, Mode, NumberLink, Outcome, Output, Source, Tier, Usage

E = TypeVar("E", bound="Event")


@dataclass(frozen=True, slots=True)
class Event:
    """What all events share; ``seq`` is -1 until the round that owns the event has numbered it."""

    round_id: str = field(default="", kw_only=True)
    seq: int = field(default=-1, kw_only=True)

    @property
    def kind(self) -> str:
        return type(self).__name__

    def to_dict(self) -> dict[str, Any]:
        """Return ``kind`` and all fields as strict JSON values (no NaN, no lone surrogates, no tuples)."""
        kind = self.kind
        return {"kind": kind, **{name: plain(getattr(self, name)) for name in FIELDS[kind]}}


@dataclass(frozen=True, slots=True)
class RoundStart(Event):
    """A round begins; ``host`` names the endpoint the message goes to, empty when it stays on this machine."""

    text: str
    mode: Mode
    tier: Tier
    host: str = ""
    pictures: int = 0  # named in the text's last paragraph


@dataclass(frozen=True, slots=True)
class StreamChunk(Event):
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class StreamReset(Event):
    """What this step has streamed as text turned out to be thinking."""


@dataclass(frozen=True, slots=True)
class Steer(Event):
    """The user wrote while the round ran; it is heard at the next step."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingChunk(Event):
    """A piece of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolStart(Event):
    """A tool call was understood; ``arguments`` is a JSON object."""

    call_id: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolOutput(Event):
    """One output of a running tool in nbformat form: a figure, a table, or lines that code has printed so far."""

    call_id: str
    output: Output


@dataclass(frozen=True, slots=True)
class ToolFinish(Event):
    """A tool call has ended; ``result`` is the text the model gets, ``elapsed_s`` leaves out waiting for the user."""

    call_id: str
    tool: str
    ok: bool
    result: str
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class ApprovalRequest(Event):
    """A call waits for the user until ``expires_at`` (Unix seconds); ``code`` is what would run, if it is code.

    ``for_round`` says that a word may be given for the whole round, since the effects are known.
    """

    approval_id: str
    call_id: str
    tool: str
    code: str | None
    description: str
    effects: list[str]
    expires_at: float
    for_round: bool = False


@dataclass(frozen=True, slots=True)
class ApprovalResolved(Event):
    """An approval was decided; ``code`` is what runs and ``diff`` how it differs from the proposal.

    ``for_round`` says that the word also holds for what later in the round can do no more than this.
    """

    approval_id: str
    outcome: Outcome
    code: str | None
    diff: str
    by: Decider = "user"
    for_round: bool = False


@dataclass(frozen=True, slots=True)
class Progress(Event):
    """Long work moves on; ``total`` is None where it isn't known."""

    label: str
    done: float
    total: float | None


@dataclass(frozen=True, slots=True)
class SubagentUpdate(Event):
    """A sub-agent moved on: waiting, running, done, failed, timeout or cancelled.

    ``text`` is the tool it uses while it runs, and what it brought back in the end.
    """

    task_id: str
    title: str
    state: str
    steps: int = 0
    tokens: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class NavigateView(Event):
    """The view should show something: chat, notes, note, table, graph, memory or journal."""

    view: str
    target: str


@dataclass(frozen=True, slots=True)
class RateLimitUpdate(Event):
    """A quota moved; ``scope`` is ``stamina`` or ``provider``, ``reset_s`` seconds until it is full again."""

    scope: str
    limit: float | None
    remaining: float | None
    reset_s: float | None


@dataclass(frozen=True, slots=True)
class StaminaCost(Event):
    """What one request took from the stamina quota."""

    amount: float
    remaining: float


@dataclass(frozen=True, slots=True)
class CreditsUpdate(Event):
    """Credits spent by one request, and the balance after it."""

    spent: float
    balance: float


@dataclass(frozen=True, slots=True)
class LoopError(Event):
    """The round failed in a way the user should read."""

    code: str
    message: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class LoopDone(Event):
    """The round is over: how it ended, what it used, what the answer cites, which of its numbers came out of a call."""

    finish: Finish
    usage: Usage
    sources: list[Source]
    numbers: list[NumberLink] = field(default_factory=list)
    cost: dict[str, float] = field(default_factory=dict)  # by credits or currency; empty where no price is known


KINDS: dict[str, type[Event]] = {
    c.__name__: c
    for c in (
        RoundStart,
        Steer,
        StreamChunk,
        StreamReset,
        ThinkingChunk,
        ToolStart,
        ToolOutput,
        ToolFinish,
        ApprovalRequest,
        ApprovalResolved,
        Progress,
        SubagentUpdate,
        NavigateView,
        RateLimitUpdate,
        StaminaCost,
        CreditsUpdate,
        LoopError,
        LoopDone,
    )
}
FIELDS = {name: tuple(f.name for f in fields(kind)) for name, kind in KINDS.items()}


def stamp(event: E, round_id: str, seq: int) -> E:
    """Return the event as number ``seq`` of its round."""
    if isinstance(event, StreamChunk | ThinkingChunk):
        # The many small ones take the short way.
        return type(event)(event.text, round_id=round_id, seq=seq)
    return replace(event, round_id=round_id, seq=seq)


def to_dict(event: Event) -> dict[str, Any]:
    """Return the event as strict JSON values."""
    return event.to_dict()


def from_dict(data: Mapping[str, Any]) -> Event:
    """Return the event that ``to_dict`` wrote; raises ValueError for a kind or a field that doesn't exist."""
    values = dict(data)
    kind = str(values.pop("kind", ""))
    cls = KINDS.get(kind)
    if cls is None:
        raise ValueError(f"unknown event kind {kind!r}{nearest(kind, KINDS)}")
    if kind == "LoopDone":
        values["usage"] = Usage(**values["usage"])
        values["sources"] = [_source(s) for s in values["sources"]]
        values["numbers"] = [NumberLink(**link) for link in values.get("numbers", ())]
    try:
        return cls(**values)
    except TypeError as error:
        raise ValueError(f"{kind} does not have these fields: {error}") from error


def _source(data: Mapping[str, Any]) -> Source:
    values: dict[str, Any] = dict(data)
    for name in ("span", "rows"):
        if values.get(name) is not None:
            values[name] = tuple(values[name])
    return Source(**values)


def plain(value: Any) -> Any:
    """Return a value as strict JSON: tuples become lists, unknown objects their ``str``, NaN and infinity words."""
    if isinstance(value, str):
        return value if value.isascii() else _whole(value)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(plain(str(k))): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    return plain(str(value))


def _whole(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text
