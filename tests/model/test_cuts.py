"""Every kept transcript, cut anywhere and ended anywhere: pieces never depend on the cut, and no half call runs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nephele_nb.errors import ModelError
from nephele_nb.model.assemble import Assembler
from nephele_nb.model.delta import Piece, Reply, TextDelta
from nephele_nb.model.reading import Reading
from nephele_nb.model.tiers import endpoint
from tests.model import transcripts as t
from tests.model.conversation import TOOLS
from tests.model.rightness import CALLS, ENDS
from tests.model.test_prose import CALLS as WRITTEN
from tests.model.test_prose import SPECS

WHERE = endpoint("byok", "http://127.0.0.1:9/v1", "", "m")
KEPT = sorted(path.stem for path in t.FIXTURES.glob("*.sse"))
STREAMS = {name: t.kept(name) for name in KEPT}
STREAMS |= {name: raw for name, (raw, _) in (CALLS | ENDS).items()}
STREAMS |= {f"written: {name}": t.stream(t.say(text), t.end()) for name, (text, _) in WRITTEN.items()}


def read(data: bytes, cuts: list[int]) -> tuple[str, str, Reply | ModelError]:
    """Feed a body cut at some places; return text, thinking, and how it ended."""
    reading = Reading(WHERE, Assembler([*TOOLS, *SPECS]))
    pieces: list[Piece] = []
    at = 0
    for cut in [*sorted({c for c in cuts if 0 < c < len(data)}), len(data)]:
        if not reading.over:
            pieces += reading.feed(data[at:cut])
        at = cut
    last, outcome = reading.close()
    text = thinking = ""
    for piece in [*pieces, *last]:
        if isinstance(piece, TextDelta):
            thinking, text = (thinking + text, piece.text) if piece.restart else (thinking, text + piece.text)
        else:
            thinking += piece.text
    return text, thinking, outcome


def told(outcome: Reply | ModelError) -> object:
    return (outcome.code, str(outcome)) if isinstance(outcome, ModelError) else outcome


@pytest.mark.parametrize("name", STREAMS)
@given(cuts=st.lists(st.integers(1, 4000), max_size=40))
@settings(max_examples=25)
def test_the_cut_makes_no_difference(name: str, cuts: list[int]) -> None:
    whole, cut = read(STREAMS[name], []), read(STREAMS[name], cuts)
    assert (*cut[:2], told(cut[2])) == (*whole[:2], told(whole[2]))


@pytest.mark.parametrize("name", STREAMS)
@given(data=st.data())
@settings(max_examples=25)
def test_an_early_end_runs_nothing_that_the_whole_does_not(name: str, data: st.DataObject) -> None:
    raw = STREAMS[name]
    _, _, whole = read(raw, [])
    end = data.draw(st.integers(0, len(raw)))
    _, _, outcome = read(raw[:end], [end // 2])
    runnable = [] if isinstance(whole, ModelError) else [(c.name, c.arguments) for c in whole.calls if not c.fault]
    if isinstance(outcome, Reply):
        assert [(c.name, c.arguments) for c in outcome.calls if not c.fault] in ([], runnable)
