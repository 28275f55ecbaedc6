"""What a person does in a view by hand: adds files by a path, cancels that, forgets a card, takes a round back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nephele_nb.intake import Intake, running
from nephele_nb.strings import Strings
from tests.loop.session import PATIENCE_S, Session
from tests.loop.test_face import View

Start = Callable[..., Session]


def notes_in(folder: Path, count: int = 3) -> Path:
    for n in range(count):
        (folder / f"note{n}.md").write_text(f"# Note {n}\n\nWords about subject {n}.")
    return folder


def added(view: View, path: str) -> list[dict[str, Any]]:
    """Add a path by the view's message; returns what it heard of that, the end last."""
    with view.came:
        view.sent.clear()
        view.face.hear({"type": "add", "path": path})
        assert view.came.wait_for(lambda: any(m.get("running") is False for m in view.sent), PATIENCE_S)
        return [m for m in view.sent if m["type"] == "intake"]


def test_a_folder_is_added_with_its_progress_and_what_was_skipped(session: Start, tmp_path: Path) -> None:
    s = session(["x"])
    folder = notes_in(tmp_path)
    (folder / "odd.xyz").write_text("?")
    steps = added(View(s), f"  {folder} ")
    assert {(m["done"], m["total"]) for m in steps} >= {(5, 5)}
    assert "3 added" in steps[-1]["report"][0]
    assert any("odd.xyz" in line and ".xyz" in line for line in steps[-1]["report"])
    assert running(s.agent) is None


def test_a_path_that_is_none_is_a_sentence(session: Start, tmp_path: Path) -> None:
    view = View(session(["x"]))
    assert "no such" in added(view, str(tmp_path / "no such"))[-1]["fault"]
    view.face.hear({"type": "add", "path": "   "})
    assert "path" in view.wait("state")["state"]["notice"]


def test_a_taking_in_is_cancelled_between_two_files_and_goes_on_next_time(session: Start, tmp_path: Path) -> None:
    s = session(["x"])
    folder = notes_in(tmp_path, 30)
    heard: list[dict[str, Any]] = []

    def cancel_at_once(message: dict[str, Any]) -> None:
        heard.append(message)
        view.face.hear({"type": "cancel_add"})

    view = View(s)
    intake = Intake(s.agent, str(folder), cancel_at_once, Strings("en"))
    worker = threading.Thread(target=intake.run)
    worker.start()
    worker.join(PATIENCE_S)
    assert heard[-1]["report"] == [Strings("en")("intake_cancelled")]
    assert s.agent.library.stats()["notes"] < 30
    added(view, str(folder))
    assert s.agent.library.stats()["notes"] == 30


def test_no_second_taking_in_begins_beside_the_first(session: Start, tmp_path: Path) -> None:
    s = session(["x"])
    Intake(s.agent, "waits", lambda message: None, Strings("en"))
    view = View(s)
    view.face.hear({"type": "add", "path": str(tmp_path)})
    assert "already" in view.wait("state")["state"]["notice"]


def test_a_card_is_forgotten_and_brought_back(session: Start) -> None:
    s = session(["x"])
    card = s.agent.memory.write("Likes tea", "Green", "user", "Body.")
    view = View(s)
    view.face.hear({"type": "forget", "id": card, "after": {"view": "memory", "target": "", "ticket": 3}})
    page = view.wait("page")["page"]
    assert (page["items"], page["ticket"]) == ([], 3)
    assert "Likes tea" in view.wait("state")["state"]["notice"]
    view.sent.clear()
    newest = s.agent.journal.worked()[-1]
    view.face.hear({"type": "undo", "round_id": newest, "after": {"view": "journal", "target": ""}})
    assert view.wait("page")["page"]["rounds"][-1]["operations"][0]["fate"] in ("open", "taken")
    assert [c.title for c in s.agent.memory.list()] == ["Likes tea"]


def test_a_card_that_is_gone_is_said(session: Start) -> None:
    view = View(session(["x"]))
    view.face.hear({"type": "forget", "id": "no such card", "after": {"view": "memory"}})
    assert "no such card" in view.wait("state")["state"]["notice"]
