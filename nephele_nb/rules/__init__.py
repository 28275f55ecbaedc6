"""Rules: phrases that turn a plain command into one tool call with no model; they never run the call."""

from __future__ import annotations

from .book import FORCE, Rulebook, forced
from .rule import Candidate, Ruling

__all__ = ["FORCE", "Candidate", "Rulebook", "Ruling", "forced"]
