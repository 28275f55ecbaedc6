"""One finding of the doctor's; a plain value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, how it is, what was found, and, where it isn't well, what to do."""

    name: str
    state: State
    found: str
    remedy: str = ""
