"""The journal keeps what it was told, whatever happens to the file's end."""

from __future__ import annotations

from pathlib import Path

import pytest

from nephele_nb.conversation import Conversation
from nephele_nb.errors import NepheleError
from nephele_nb.events import (
    ApprovalRequest,
    ApprovalResolved,
    LoopDone,
    RoundStart,
    StreamChunk,
    ToolFinish,
    ToolStart,
)
from nephele_nb.events import stamp as numbered
from nephele_nb.journal import Journal, Operation, name_for_notebook
from nephele_nb.record import Record, read
from nephele_nb.strings import Strings
from nephele_nb.types import Inverse, Usage

SAY = Strings("en")


def test_everything_comes_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "talk")
    event = StreamChunk("结果是「四十二」👩‍🔬 é", round_id="r", seq=0)
    operation = Operation("r", "c", "create_note", "t", Inverse("remove_note", {"content_id": "n"}))
    journal.event(event)
    journal.message({"role": "user", "content": "x"})
    journal.message({"role": "assistant", "content": "half"})
    journal.message({"role": "assistant", "content": "whole"}, replaces=1)
    journal.operation(operation)
    journal.close()
    record = read(tmp_path / "talk.jsonl")
    assert record.events == [event]
    assert [m["content"] for m in record.messages] == ["x", "whole"]
    assert record.operations == [operation]
    assert Journal(tmp_path, "talk").operations("r") == [operation]


def test_two_agents_never_write_one_file(tmp_path: Path) -> None:
    first, second = Journal(tmp_path, "talk"), Journal(tmp_path, "talk")
    assert (first.path.name, second.path.name) == ("talk.jsonl", "talk-2.jsonl")
    first.close()
    assert Journal(tmp_path, "talk").path == first.path


def test_a_cut_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"message": {"role": "user", "content": "x"}}\n{"message": {"role"', encoding="utf-8")
    journal = Journal(tmp_path, "talk")
    journal.message({"role": "assistant", "content": "y"})
    journal.close()
    record = read(path)
    assert [m["content"] for m in record.messages] == ["x", "y"]
    assert record.broken_lines == 1


def test_a_round_cut_off_by_the_kernels_end_is_closed(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "talk")
    events = [
        RoundStart("q", "agent", "byok"),
        ToolStart("c1", "run_python", {"code": "x"}),
        ApprovalRequest("a1", "c1", "run_python", "x", "", [], 1.0),
    ]
    for seq, event in enumerate(events):
        journal.event(numbered(event, "r", seq))
    call = {"id": "c1", "type": "function", "function": {"name": "run_python", "arguments": "{}"}}
    journal.message({"role": "user", "content": "q"})
    journal.message({"role": "assistant", "content": None, "tool_calls": [call]})
    journal.close()

    reopened = Conversation(tmp_path, "talk", SAY)
    added = reopened.events[3:]
    assert [e.kind for e in added] == ["ApprovalResolved", "ToolFinish", "LoopError", "LoopDone"]
    assert [e.seq for e in added] == [3, 4, 5, 6]
    assert isinstance(added[0], ApprovalResolved)
    assert added[0].outcome == "cancelled"
    assert [m["role"] for m in reopened.history.messages] == ["user", "assistant", "tool", "assistant"]
    reopened.close()
    again = Conversation(tmp_path, "talk", SAY)
    assert len(again.events) == 7
    again.close()


def test_a_finished_conversation_is_left_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "talk")
    for seq, event in enumerate([RoundStart("q", "agent", "byok"), LoopDone("answer", Usage(), [])]):
        journal.event(numbered(event, "r", seq))
    journal.close()
    assert len(Conversation(tmp_path, "talk", SAY).events) == 2


def test_a_notebook_has_a_conversation_of_its_own() -> None:
    one, other = name_for_notebook("/data/work/销售 März.ipynb"), name_for_notebook("/data/other/销售 März.ipynb")
    assert one == name_for_notebook("/data/work/销售 März.ipynb")
    assert one != other
    assert "/" not in one
    assert name_for_notebook(None) != name_for_notebook(None)


def test_tool_finish_is_on_disk_at_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "talk")
    journal.event(StreamChunk("x", round_id="r", seq=0))
    journal.event(ToolFinish("c", "t", True, "ok", 0.1, round_id="r", seq=1))
    assert len(read(journal.path).events) == 2


def test_a_full_disk_is_told_and_the_conversation_goes_on(tmp_path: Path) -> None:
    """``/dev/full`` takes no byte: the first flush fails, the journal says so, and nothing raises."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    journal = Journal(tmp_path, "talk")
    journal.path, journal.record = full, Record(started=1.0)
    journal.event(ToolFinish("c", "t", True, "ok", 0.1, round_id="r", seq=0))
    assert "No space left" in journal.fault
    journal.message({"role": "user", "content": "x"})


def test_a_home_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(NepheleError, match="NEPHELE_HOME"):
        Journal(tmp_path / "file" / "journal", "talk")
