"""The memory cards: one markdown file each, in home/memory; it never decides what is worth remembering."""

from .card import TYPES, Card
from .folder import Memory, Written

__all__ = ["TYPES", "Card", "Memory", "Written"]
