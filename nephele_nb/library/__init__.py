"""The private library: notes, tables and the links between them, kept on this machine; it never talks to a model."""

from __future__ import annotations

from .library import Library
from .search import Hits

__all__ = ["Hits", "Library"]
