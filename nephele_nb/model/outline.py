"""How a tape is written: requests as outlines, in sections and blocks of lines, and what two differ in; pure text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from itertools import pairwise
from typing import Any

LONGEST_DIFF = 60


def written(value: Any, pad: str) -> Iterator[str]:
    """Yield a JSON value as an outline: text with line breaks or quotes stands as it is, below its name."""
    pairs = value.items() if isinstance(value, Mapping) else (("-", inside) for inside in value)
    for name, inside in pairs:
        label = f"{pad}{name}" if name == "-" else f"{pad}{name}:"
        if isinstance(inside, str) and ("\n" in inside or '"' in inside):
            yield f"{label} |"
            yield from (f"{pad}  {line}" if line else "" for line in inside.split("\n"))
        elif isinstance(inside, Mapping | list) and inside:
            yield label
            yield from written(inside, pad + "  ")
        else:
            yield f"{label} {json.dumps(inside, ensure_ascii=False)}"


def sections(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the lines of each section."""
    starts = [n for n, line in enumerate(lines) if line.startswith("=== ")] + [len(lines)]
    for start, stop in pairwise(starts):
        yield lines[start].split()[1], lines[start + 1 : stop]


def blocks_of(lines: list[str]) -> list[str]:
    """Return the blocks that a request's lines hold."""
    blocks: list[list[str]] = []
    for line in (line.removeprefix("  ") for line in lines):
        if line and not line.startswith(" "):
            blocks.append([])
        blocks[-1].append(line)
    return ["\n".join(block) for block in blocks]


def indented(text: str) -> list[str]:
    """Return a text's lines, set in."""
    return [f"  {line}" if line else "" for line in text.split("\n")]


def shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many first blocks two requests have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def difference(taped: tuple[str, ...], live: tuple[str, ...]) -> str:
    """Return what differs between two requests, bounded."""
    before, after = ("\n".join(blocks).split("\n") for blocks in (taped, live))
    lines = list(unified_diff(before, after, "on tape", "now", lineterm=""))
    more = len(lines) - LONGEST_DIFF
    return "\n".join(lines[:LONGEST_DIFF] + ([f"… and {more} more lines"] if more > 0 else []))
