"""A conversation is written to a file in three forms; its approved code is kept byte for byte and in order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.errors import NepheleError, SettingError
from nephele_nb.events import from_dict
from nephele_nb.export import approved_cells, export, named, report
from nephele_nb.model.scripted import Call, Step
from tests.loop.session import Session
from tests.loop.test_face import View

Start = Callable[..., Session]


def asks(code: str, description: str = "") -> Step:
    return Step(calls=[Call("run_python", {"code": code, "description": description})])


def code_of(session: Session) -> list[str]:
    return [cell["source"] for cell in approved_cells(session.agent) if cell["type"] == "code"]


def text_of(session: Session) -> str:
    return "\n\n".join(cell["source"] for cell in approved_cells(session.agent) if cell["type"] == "markdown")


def always(session: Start, script: list[Any], **more: Any) -> Session:
    return session(script, approve="always", **more)


def test_what_runs_is_kept_as_it_was_approved(session: Start) -> None:
    s = session([asks("x = 1", "One."), asks("import math\n\ny = math.pi  \r\n", "Pi."), "Done."])
    run = s.agent.ask("make x\nand y")
    s.pending(run).approve("x = 2  # edited\n\n")
    s.pending(run).approve()
    s.finish(run)
    assert approved_cells(s.agent) == [
        {"type": "markdown", "source": "> make x\n> and y\n\nOne.", "tags": ()},
        {"type": "code", "source": "x = 2  # edited\n\n", "tags": ()},
        {"type": "markdown", "source": "Pi.", "tags": ()},
        {"type": "code", "source": "import math\n\ny = math.pi  \r\n", "tags": ()},
    ]


def test_what_did_not_run_is_left_out_and_said(session: Start) -> None:
    s = session([asks("x = 1", "Sets x."), asks("z = 1"), "No.", asks("y = 1"), "Nobody."])
    run = s.agent.ask("go")
    s.pending(run).reject("no")
    assert approved_cells(s.agent) == []
    s.pending(run).approve()
    s.finish(run)
    s.agent.settings.set("confirm_timeout_s", 0.2)
    s.ask("and now?")
    assert code_of(s) == ["z = 1"]
    assert "Left out (rejected, not run): Sets x." in text_of(s)
    assert "Left out (nobody answered, not run): a piece of code without a description" in text_of(s)


@pytest.mark.parametrize("failing", ["y = 1 / 0", "items.nothing", "z = 1\n1 / 0"])
def test_failed_code_that_nothing_builds_on_is_left_out(session: Start, failing: str) -> None:
    s = always(session, [asks("items = []"), asks(failing, "Tries."), asks("z = 2\ny = 3\nlen(items)"), "Done."])
    s.ask("go")
    assert code_of(s) == ["items = []", "z = 2\ny = 3\nlen(items)"]
    assert "Left out (it ended in an error): Tries." in text_of(s)


@pytest.mark.parametrize("failing", ["items.append(1)\nitems.nothing", "more = [2]\n1 / 0"])
def test_failed_code_that_later_code_builds_on_stays(session: Start, failing: str) -> None:
    later = "total = sum(items)" if "append" in failing else "items += more"
    s = always(session, [asks("items = []"), asks(failing, "Tries."), asks(later), "Done."])
    s.ask("go")
    assert code_of(s) == ["items = []", failing, later]
    assert [cell["tags"] for cell in approved_cells(s.agent) if cell["tags"]] == [("raises-exception",)]
    assert "as it will here" in text_of(s)


def test_a_round_taken_back_is_left_out_until_it_is_brought_back(session: Start) -> None:
    s = always(session, [asks("x = 1", "Sets x."), "One.", asks("y = x + 1"), "Two."])
    s.ask("one")
    run, _ = s.ask("two")
    back = s.agent.undo()
    assert code_of(s) == ["x = 1"]
    assert "> two\n\nLeft out (taken back)" in text_of(s)
    s.agent.undo(back.undo_id)
    assert code_of(s) == ["x = 1", "y = x + 1"]
    s.agent.undo(run.round_id)
    assert code_of(s) == ["x = 1"]


def test_stopped_code_is_left_out(session: Start) -> None:
    s = session([asks("begun = True\nwhile True:\n    pass", "Waits."), asks("print(begun)"), "Done."])
    run = s.agent.ask("go")
    s.pending(run).approve()
    s.agent.bridge.wait(lambda: "begun" in s.names, 20)
    run.stop()
    s.finish(run)
    s.agent.settings.set("approve", "always")
    s.ask("and now")
    assert code_of(s) == ["print(begun)"]
    assert "Left out (it was stopped): Waits." in text_of(s)


def test_an_approved_import_is_not_hoisted_and_a_name_from_elsewhere_is_said(session: Start, tmp_path: Path) -> None:
    script = [asks("total = sum(sales)"), asks("import math\nroot = math.sqrt(total)"), "Done."]
    s = always(session, script, namespace={"sales": [1, 3]})
    s.ask("go")
    path = export(s.agent, tmp_path / "code.ipynb")
    notebook = json.loads(path.read_text("utf-8"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert "names that it doesn't make itself: `sales`." in sources[0]
    assert [s for s, c in zip(sources, notebook["cells"], strict=True) if c["cell_type"] == "code"] == [
        "total = sum(sales)",
        "import math\nroot = math.sqrt(total)",
    ]
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)


def test_markdown_and_events(session: Start, tmp_path: Path) -> None:
    s = always(session, [asks("x = 1"), "It is *one*."])
    run, _ = s.ask("make x")
    text = export(s.agent, tmp_path / "talk.md").read_text("utf-8")
    assert text.startswith("> make x\n")
    assert text.endswith("It is *one*.\n")
    assert "```python\nx = 1\n```" in text
    lines = export(s.agent, tmp_path / "talk.jsonl").read_text("utf-8").splitlines()
    assert [from_dict(json.loads(line)) for line in lines] == run.events


@pytest.mark.parametrize("end", ["md", "jsonl", "ipynb"])
def test_nothing_is_overwritten(session: Start, tmp_path: Path, end: str) -> None:
    s = always(session, [asks("x = 1"), "Done."])
    s.ask("go")
    mine = tmp_path / f"mine.{end}"
    mine.write_text("mine")
    with pytest.raises(NepheleError, match="is there already, and nothing was written"):
        export(s.agent, mine)
    assert mine.read_text() == "mine"


def test_what_cannot_be_written_is_said(session: Start, tmp_path: Path) -> None:
    s = always(session, ["Hello.", "Hello."])
    with pytest.raises(NepheleError, match="nothing to export yet"):
        export(s.agent, tmp_path / "a.md")
    s.ask("hello")
    with pytest.raises(SettingError, match=r"\.md .* \.jsonl .* \.ipynb"):
        export(s.agent, tmp_path / "a.txt")
    with pytest.raises(NepheleError, match="can't be written"):
        export(s.agent, tmp_path / "nowhere" / "a.md")
    with pytest.raises(NepheleError, match="No code was approved"):
        export(s.agent, tmp_path / "a.ipynb")
    assert list(tmp_path.glob("a.*")) == []


def test_a_free_name_is_taken_where_none_is_given(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JPY_SESSION_NAME", "work/March.ipynb")
    s = always(session, ["Hello."])
    s.ask("你好")
    assert report(s.agent) == "对话已写入 `March-chat.md`。"
    assert export(s.agent) == Path("March-chat-2.md")
    assert export(s.agent, form="events") == Path("March-events.jsonl")


def test_no_secret_is_written(session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = 'top"secret-0123'
    s = always(session, [asks(f"key = {secret!r}; spelt = 'top' + 'x'"), f"It is {secret}."], delay_s=0.001)
    s.ask("what is it?")
    monkeypatch.setenv("MY_API_KEY", secret)
    for end in ("md", "jsonl", "ipynb"):
        text = export(s.agent, tmp_path / f"a.{end}").read_text("utf-8")
        assert "0123" not in text
        assert "[secret]" in text
    assert "A secret in this code is shown as `[secret]`" in text_of(s)


def test_pieces_of_a_secret_are_put_together_among_the_events(
    session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = session(["the key is abcdefgh-0123 and no other"])
    s.ask("key?")
    monkeypatch.setenv("MY_API_KEY", "abcdefgh-0123")
    lines = export(s.agent, tmp_path / "a.jsonl").read_text("utf-8").splitlines()
    told = "".join(e["text"] for e in map(json.loads, lines) if e["kind"] == "StreamChunk")
    assert told == "the key is [secret] and no other"


def test_a_view_gets_cells_or_a_file(session: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    s = always(session, [asks("x = 1", "Sets x."), "Done."])
    s.ask("go")
    view = View(s)
    view.face.hear({"type": "export", "form": "cells"})
    assert view.wait("cells")["cells"] == approved_cells(s.agent)
    view.face.hear({"type": "export", "form": "notebook"})
    assert "`nephele-code.ipynb`" in view.wait("state")["state"]["notice"]
    assert json.loads(Path("nephele-code.ipynb").read_text("utf-8"))["cells"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("talk.md", "talk.md"),
        ("out/events.jsonl", "out/events.jsonl"),
        ("'my talk.ipynb'", "my talk.ipynb"),
        ('"talk.txt"', "talk.txt"),
        ("the sales as a table", None),
        ("my talk.md", None),
        ("sales", None),
        ("", None),
    ],
)
def test_a_file_is_one_word_with_a_known_end_or_quoted(text: str, path: str | None) -> None:
    assert named(text) == (None if path is None else Path(path))
