"""Every place of the view where text from outside can appear, and texts to put there; it starts no browser."""

from __future__ import annotations

import json
import time
from typing import Any

from tests.browser.lab import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "view"
SLOT = "§"
UNSEEN = "¤"
"""Where a text is that no view shows: an id, a form of an output that another goes before."""
STATE: dict[str, Any] = {
    "tier": "byok", "model": "m", "host": "api.example.com", "mode": "agent", "language": "en", "notice": "",
    "busy": False, "single": False, "queued": 0, "library": None, "stale": {}, "aside": {}, "tiers": [],
}  # fmt: skip


def payloads() -> dict[str, str]:
    """Return the hostile texts by their names."""
    read: dict[str, str | list[tuple[str, int]]] = json.loads((FIXTURES / "payloads.json").read_text("utf-8"))
    return {
        name: text if isinstance(text, str) else "".join(part * times for part, times in text)
        for name, text in read.items()
    }


def places() -> list[dict[str, Any]]:
    """Return the places as they stand in the fixture, with ``§`` in each slot, ``¤`` in those not shown."""
    read: list[dict[str, Any]] = json.loads((FIXTURES / "places.json").read_text("utf-8"))
    return read


def filled(value: Any, text: str | Numbered) -> Any:
    """Return a JSON value with a text in each of its slots, in names too."""
    if isinstance(value, str):
        shown = value.replace(UNSEEN, text if isinstance(text, str) else "unseen")
        return shown if SLOT not in shown else shown.replace(SLOT, text if isinstance(text, str) else text.next())
    if isinstance(value, list):
        return [filled(each, text) for each in value]
    if isinstance(value, dict):
        return {filled(name, text): filled(each, text) for name, each in value.items()}
    return value


class Numbered:
    """Gives each slot a word of its own."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def next(self) -> str:
        """Return the next word."""
        self.words.append(f"slot{len(self.words)}x")
        return self.words[-1]


def scene(place: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Return what a view gets that shows a filled place: its messages in order, what is typed and pressed."""
    events = [
        {"kind": kind, "round_id": "r-1", "seq": seq, **fields}
        for seq, (kind, fields) in enumerate(place.get("events", []))
    ]
    state = {**STATE, "now": time.time(), **place.get("state", {})}
    pages = (
        [{"type": "page", "page": {"about": "", "target": "", "fault": "", **place["page"]}}] if "page" in place else []
    )
    return {
        "name": f"{name} in {place['name']}",
        "messages": [{"type": "snapshot", "state": state, "events": events}, *pages],
        "then": place.get("then", []),
        "typed": place.get("typed", ""),
        "press": place["press"],
    }
