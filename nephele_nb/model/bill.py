"""What one request came to, told by the server or estimated where its stream ended before that; plain values."""

from __future__ import annotations

from dataclasses import dataclass, field

from nephele_nb.types import Usage

from .meters import Meters


@dataclass(slots=True)
class Bill:
    """Filled in by the client as a request goes on, however it ends; ``steps`` is 0 while nothing can be billed."""

    usage: Usage = field(default_factory=Usage)
    estimated: bool = False
    """True where the server told no usage, so that the tokens are counted by their length."""
    meters: Meters = field(default_factory=Meters)
