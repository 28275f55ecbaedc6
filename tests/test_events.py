"""The events' JSON is the one contract with the view: the same fixture is parsed by both test suites."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.events import KINDS, ToolStart, from_dict, stamp

FIXTURE = Path(__file__).parent / "fixtures" / "events.json"
EVENTS: list[dict[str, Any]] = json.loads(FIXTURE.read_text(encoding="utf-8"))


def test_the_fixture_holds_every_kind() -> None:
    assert {event["kind"] for event in EVENTS} == set(KINDS)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event["kind"]))
def test_an_event_comes_back_as_it_was(event: dict[str, Any]) -> None:
    assert from_dict(event).to_dict() == event


def test_the_fixture_is_one_round_numbered_from_zero() -> None:
    assert [event["seq"] for event in EVENTS] == list(range(len(EVENTS)))
    assert len({event["round_id"] for event in EVENTS}) == 1


def test_what_json_cannot_say_is_said_in_words() -> None:
    event = stamp(ToolStart("c", "t", {"nan": math.nan, "pair": (1, 2), "half": "\ud83d"}), "r", 0)
    text = json.dumps(event.to_dict(), allow_nan=False)
    assert json.loads(text.encode("utf-8"))["arguments"] == {"nan": "nan", "pair": [1, 2], "half": "?"}


def test_an_unknown_kind_names_the_nearest() -> None:
    with pytest.raises(ValueError, match="StreamChunk"):
        from_dict({"kind": "StreamChunks", "text": ""})


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match="StreamChunk"):
        from_dict({"kind": "StreamChunk", "text": "", "txt": ""})
