"""Rules: phrases that turn a plain command into one tool call with no model; they never run the call."""

from __future__ import annotations

from .book import Rulebook
from .rule import Candidate

__all__ = ["Candidate", "Rulebook"]
