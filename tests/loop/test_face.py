"""What a view's messages do: names to complete a word with, and pictures that go with a message."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.face import Face
from tests.loop.session import PATIENCE_S, Session

Start = Callable[..., Session]
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class View:
    """The other end of a face: what it was sent, by type."""

    def __init__(self, session: Session) -> None:
        self.sent: list[dict[str, Any]] = []
        self.came = threading.Condition()
        self.face = Face(session.agent, self._take)

    def _take(self, message: dict[str, Any]) -> None:
        with self.came:
            self.sent.append(message)
            self.came.notify_all()

    def wait(self, kind: str) -> dict[str, Any]:
        """Return the last message of a type, once there is one."""
        with self.came:
            assert self.came.wait_for(lambda: any(m["type"] == kind for m in self.sent), PATIENCE_S)
            return [m for m in self.sent if m["type"] == kind][-1]

    def complete(self, prefix: str) -> list[tuple[str, str]]:
        """Return the kinds and labels offered for a word."""
        self.sent.clear()
        self.face.hear({"type": "complete", "prefix": prefix})
        answer = self.wait("choices")
        assert answer["prefix"] == prefix
        return [(choice["kind"], choice["label"]) for choice in answer["choices"]]


def test_names_that_begin_with_a_word_come_before_those_that_hold_it(session: Start) -> None:
    s = session(["x"], namespace={"old_sales": [1], "sales": [2], "helper": len, "_sales": 3})
    s.agent.library.add_table("Sales by day", [{"n": 1}])
    s.agent.library.add_note("On Sales", "text")
    view = View(s)
    assert view.complete("@sal") == [
        ("variable", "sales"),
        ("table", "Sales by day"),
        ("variable", "old_sales"),
        ("note", "On Sales"),
    ]
    texts = {choice["text"] for choice in view.wait("choices")["choices"]}
    assert texts == {"sales ", "`Sales by day` ", "old_sales ", "[[On Sales]] "}
    assert view.complete("@nothing") == []
    assert view.complete("sales") == []
    assert view.complete("@" + "x" * 1000) == []


def test_files_of_the_folder_where_code_runs_are_offered(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shop/data/sales march.csv", "shop/plan.md", "shop/.hidden", "shop/Sales.ipynb", "outside.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path / "shop")
    view = View(session(["x"], namespace={"planned": 1}))
    assert view.complete("@pla") == [("variable", "planned"), ("file", "plan.md")]
    assert view.complete("@SAL") == [("file", "Sales.ipynb")]
    assert view.complete("@da") == [("folder", "data/")]
    assert view.wait("choices")["choices"][0]["text"] == "@data/"
    assert view.complete("@data/") == [("file", "data/sales march.csv")]
    assert view.wait("choices")["choices"][0]["text"] == "`data/sales march.csv` "
    for elsewhere in ("@../", "@/", f"@{tmp_path}/", "@data/../../", "@none/", "@hidden"):
        assert view.complete(elsewhere) == []


def test_skills_are_offered_by_their_names(session: Start) -> None:
    s = session(["x"])
    known = [skill.name for skill in s.agent.skills.usable()]
    offered = View(s).complete("/")
    assert 0 < len(offered) <= 12
    assert {kind for kind, _ in offered} == {"skill"}
    assert {name for _, name in offered} <= set(known)
    assert View(s).complete(f"/{known[0]}")[0] == ("skill", known[0])


def test_many_names_are_bounded(session: Start) -> None:
    s = session(["x"], namespace={f"v{n}": n for n in range(500)})
    assert len(View(s).complete("@v")) == 12


def test_a_picture_goes_with_a_message(session: Start) -> None:
    s = session(["A dot."])
    View(s).face.hear({"type": "ask", "text": "look", "mode": "agent", "images": [f"data:image/png;base64,{DOT}"]})
    s.finish(s.agent.runs[-1])
    content = s.bodies[0]["messages"][-1]["content"]
    assert [part["type"] for part in content].count("image_url") == 1


@pytest.mark.parametrize("kind", ["path", "address", "other"])
def test_a_view_names_no_file(session: Start, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "secret.png"
    file.write_bytes(base64.b64decode(DOT))
    image = {"path": str(file), "address": "https://example.com/a.png", "other": {"path": str(file)}}[kind]
    s = session(["Nothing there."])
    View(s).face.hear({"type": "ask", "text": "look", "mode": "agent", "images": [image]})
    s.finish(s.agent.runs[-1])
    assert "image_url" not in str(s.bodies[0])


def test_what_is_no_picture_is_said(session: Start) -> None:
    view = View(session(["x"]))
    view.face.hear({"type": "ask", "text": "look", "mode": "agent", "images": ["data:image/png;base64,AAAA"]})
    assert "can't be attached" in view.wait("state")["state"]["notice"]


def test_what_one_place_of_a_view_asks_is_answered_there_alone(session: Start) -> None:
    s = session(["x"])
    view = View(s)
    view.face.hear({"type": "open", "view": "notes", "target": "", "place": "tab-1"})
    assert view.wait("page")["place"] == "tab-1"
    view.sent.clear()
    view.face.hear({"type": "open", "view": "no such view", "target": ""})
    assert "place" not in view.wait("page")
    view.face.hear({"type": "undo", "round_id": "no such round", "place": "tab-2"})
    told = view.wait("state")
    assert told["place"] == "tab-2"
    assert told["state"]["notice"]


def test_a_page_in_another_language_is_spoken_to_in_it(session: Start) -> None:
    view = View(session(["x"]))
    view.face.hear({"type": "hello", "language": "zh"})
    assert view.wait("snapshot")["state"]["language"] == "zh"
    view.face.hear({"type": "open", "view": "memory", "target": "", "place": "tab-1"})
    assert view.wait("page")["page"]["title"] == "记忆"
    other = View(session(["x"]))
    other.face.hear({"type": "hello", "language": "tlh"})
    assert other.wait("snapshot")["state"]["language"] == "en"


def test_a_language_that_was_set_is_stronger_than_the_page(session: Start) -> None:
    view = View(session(["x"], language="en"))
    view.face.hear({"type": "hello", "language": "zh"})
    assert view.wait("snapshot")["state"]["language"] == "en"


def test_a_view_is_told_without_a_count_of_everything(session: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    s = session(["x"])
    s.agent.library.add_note("Tea", "Oolong. #late")
    s.agent.library.add_table("sales", [{"units": 1}])
    monkeypatch.delattr(type(s.agent.library), "stats")
    view = View(s)
    view.face.hear({"type": "hello", "view": "v"})
    held = view.wait("snapshot")["state"]["library"]
    assert (held["notes"], held["tables"]) == (1, 1)
    assert ("table", "sales") in view.complete("@sal")
