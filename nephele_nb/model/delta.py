"""What a model call gives back, piece by piece and whole; plain values that never know where they came from."""

from __future__ import annotations

from dataclasses import dataclass

from nephele_nb.types import Message, ToolCall, Usage

from .meters import Meters
from .sight import Unseen


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer; ``restart`` says that all text given so far in this call has turned out to be thinking."""

    text: str
    restart: bool = False


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of the model's thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The endpoint asked for patience: ``reason`` is ``rate_limit`` or ``server``, ``seconds`` are still to wait."""

    reason: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Loading:
    """A model on this machine is being loaded, for ``seconds`` so far."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Metered:
    """What the endpoint said about quotas, credits and stamina, in answer to this request or a refusal of it."""

    meters: Meters


@dataclass(frozen=True, slots=True)
class LeftOut:
    """``count`` of the oldest messages had no room in the model's window, and the request went without them."""

    count: int


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer of the model.

    ``message`` is what goes into the history, valid for a strict provider whatever was streamed; where the model said
    nothing and called nothing its content is empty. ``cut`` says that the answer is not whole (output limit, content
    filter, unclosed thinking); calls of a cut reply all carry a ``fault``. ``notes`` say in words what the request
    had to leave out for this endpoint, ``unseen`` which of the user's pictures. ``told`` says that the text holds a
    call with words after it, which does not run.
    """

    text: str
    thinking: str
    calls: tuple[ToolCall, ...]
    finish_reason: str | None
    usage: Usage
    cut: bool
    message: Message
    notes: tuple[str, ...] = ()
    unseen: Unseen = ""
    told: bool = False


Piece = TextDelta | ThinkingDelta
Delta = TextDelta | ThinkingDelta | Waiting | Loading | Metered | LeftOut | Reply
