"""The cards as the system prompt names them, one line each; it never shows a body.

A line is data: it holds no line break and no mark that could end the block it stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, zip_longest

from .card import TYPES, Card, one_line

MOST = 100
"""Cards in the index."""
LONGEST = 8_000
"""Characters of the index."""
LONGEST_LINE = 240


def index(cards: Sequence[Card]) -> tuple[str, int]:
    """Return the index of cards that are in order, by type, and how many of them it has no room for.

    The newest of each type come in before the second newest of any.
    """
    by_type = {kind: list(group) for kind, group in groupby(cards, key=lambda card: card.type)}
    chosen: set[str] = set()
    room = LONGEST
    for row in zip_longest(*by_type.values()):
        for card in row:
            if card is None:
                continue
            room -= len(line(card)) + 1
            if room < 0 or len(chosen) >= MOST:
                return _written(by_type, chosen), len(cards) - len(chosen)
            chosen.add(card.id)
    return _written(by_type, chosen), 0


def line(card: Card) -> str:
    """Return one card's line."""
    summary = f": {card.summary}" if card.summary else ""
    text = one_line(f"{card.id} | {card.title}{summary}").translate({ord("<"): "‹", ord(">"): "›"})
    return f"- {text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 1] + '…'}"


def _written(by_type: dict[str, list[Card]], chosen: set[str]) -> str:
    parts = []
    for kind in TYPES:
        lines = [line(card) for card in by_type.get(kind, []) if card.id in chosen]
        parts += [f"{kind}:", *lines] if lines else []
    return "\n".join(parts)
