"""Numbers of an answer know their data: what is changed makes its own numbers stale, and no other."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nephele_nb.events import LoopDone, ToolFinish
from nephele_nb.face import Face
from nephele_nb.freshness import stale
from nephele_nb.model.scripted import Call, Step
from nephele_nb.run import Run
from tests.loop.session import PATIENCE_S, Session, python

Start = Callable[..., Session]
Space = dict[str, Any]


def set_(name: str, value: object) -> Callable[[Space], None]:
    return lambda space: space.__setitem__(name, value)


def sales() -> pd.DataFrame:
    return pd.DataFrame({"region": ["E", "W", "E"], "n": [117, 231, 342]})


def put(space: Space, where: tuple[int, str], value: int) -> None:
    space["df"].loc[where] = value


CASES: list[tuple[str, Space, list[str], str, Callable[[Space], None], list[int]]] = [
    ("a cell of one frame", {"df": sales(), "other": [1, 2]}, ["print(df.n.sum())", "print(sum(other) + 500)"],
     "690 and 503", lambda s: put(s, (0, "n"), 1), [0]),
    ("a frame bound anew", {"df": sales(), "k": 411}, ["print(df.n.max())", "print(k)"], "342 and 411",
     set_("df", sales().head(1)), [0]),
    ("a plain number", {"k": 411, "m": 512}, ["print(k * 2)", "print(m * 2)"], "822 and 1024", set_("m", 0), [1]),
    ("an item of a list", {"xs": [101, 202], "ys": [303]}, ["print(sum(xs))", "print(sum(ys))"], "303 and 303.0",
     lambda s: s["ys"].append(1), [1]),
    ("a value of a dict", {"d": {"a": 123}, "e": {"a": 456}}, ["print(d['a'])", "print(e['a'])"], "123 and 456",
     lambda s: s["d"].update(a=0), [0]),
    ("an element of an array", {"a": np.arange(100), "b": np.ones(77)}, ["print(a.sum())", "print(b.sum())"],
     "4950 and 77", lambda s: s["a"].__setitem__(50, 7), [0]),
    ("a polars frame", {"p": pl.DataFrame({"x": [250, 251]}), "k": 411}, ["print(p['x'].sum())", "print(k)"],
     "501 and 411", set_("p", pl.DataFrame({"x": [1]})), [0]),
    ("what the code made and used", {"df": sales()}, ["total = df.n.sum()\nprint(total)", "print(len(df) + 900)"],
     "690 and 903", set_("total", 5), [0]),
    ("a name that no code read", {"df": sales(), "k": 1}, ["print(df.n.sum())"], "690", set_("k", 2), []),
    ("nothing at all", {"df": sales()}, ["print(df.n.sum())"], "690", lambda s: None, []),
    ("the same value once more", {"df": sales()}, ["print(df.n.sum())"], "690", set_("df", sales()), []),
    ("a name that is gone", {"df": sales()}, ["print(df.n.sum())"], "690", lambda s: s.pop("df"), []),
]  # fmt: skip


def old(s: Session) -> dict[str, list[str]]:
    return stale(s.agent, s.agent.conversation.events)


def until(ready: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.02)


def calls(run: Run) -> list[str]:
    return [e.call_id for e in run.events if isinstance(e, ToolFinish)]


@pytest.mark.parametrize(("name", "space", "code", "answer", "change", "wanted"), CASES, ids=[c[0] for c in CASES])
def test_what_is_changed_makes_its_own_numbers_stale_and_no_other(
    session: Start,
    name: str,
    space: Space,
    code: list[str],
    answer: str,
    change: Callable[[Space], None],
    wanted: list[int],
) -> None:
    s = session([*map(python, code), f"They are {answer}."], namespace=space, approve="always")
    run, _ = s.ask()
    done = run.events[-1]
    assert isinstance(done, LoopDone)
    assert [link.text for link in done.numbers] == answer.split(" and ")
    assert old(s) == {}
    change(s.names)
    found = [calls(run)[n] for n in wanted]
    assert old(s) == ({run.round_id: found} if found else {})


def test_a_table_that_has_a_new_version_makes_its_numbers_stale(session: Start) -> None:
    scan = Step(calls=[Call("scan_table", {"name": "t"})])
    s = session([scan, "It holds 4711 and nothing else, not 42."])
    s.agent.library.add_table("t", [{"n": 4711}])
    run, _ = s.ask()
    done = run.events[-1]
    assert isinstance(done, LoopDone)
    assert [link.text for link in done.numbers] == ["4711"]
    s.agent.library.compact()
    assert old(s) == {}
    s.agent.library.add_table("t", [{"n": 1}])
    assert old(s) == {run.round_id: calls(run)}
    s.agent.library.remove("t")
    assert old(s) == {}


def test_a_frame_of_the_notebook_that_was_scanned_is_looked_at_too(session: Start) -> None:
    scan = Step(calls=[Call("scan_table", {"name": "df"})])
    s = session([scan, "The largest is 342."], namespace={"df": sales()})
    run, _ = s.ask()
    assert old(s) == {}
    put(s.names, (2, "n"), 0)
    assert old(s) == {run.round_id: calls(run)}


def test_a_reopened_conversation_knows_its_numbers(session: Start) -> None:
    space: Space = {"df": sales()}
    s = session([python("print(df.n.sum())"), "It is 690."], namespace=space, approve="always")
    run, _ = s.ask()
    s.agent.close()
    again = session(["x"], namespace=space)
    assert old(again) == {}
    put(space, (0, "n"), 1)
    assert old(again) == {run.round_id: calls(run)}


def test_a_view_of_one_round_says_at_the_next_that_its_numbers_are_out_of_date(session: Start) -> None:
    s = session([python("print(df.n.sum())"), "It is 690.", "Next."], namespace={"df": sales()}, approve="always")
    told: list[dict[str, Any]] = []
    run = s.agent.ask("go")
    view = Face(s.agent, told.append, only=run)
    s.agent.listen(view.show)
    s.finish(run)
    put(s.names, (0, "n"), 1)
    s.ask("and now?")
    wanted = {run.round_id: calls(run)}
    until(lambda: any(m["type"] == "state" and m["state"]["stale"] == wanted for m in told))
    heard = [e for m in told if m["type"] == "events" for e in m["events"]]
    assert {e["round_id"] for e in heard} == {run.round_id}


def test_a_view_that_is_opened_again_says_so_at_once(session: Start) -> None:
    s = session([python("print(df.n.sum())"), "It is 690."], namespace={"df": sales()}, approve="always")
    run, _ = s.ask()
    put(s.names, (0, "n"), 1)
    told: list[dict[str, Any]] = []
    Face(s.agent, told.append).hear({"type": "hello"})
    until(lambda: any(m["type"] == "state" and m["state"]["stale"] == {run.round_id: calls(run)} for m in told))


def test_what_goes_wrong_while_something_opens_is_told(session: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    s = session(["x"])
    told: list[dict[str, Any]] = []

    def broken(*_: object) -> None:
        raise RuntimeError("no page today")

    monkeypatch.setattr("nephele_nb.wishes.page", broken)
    Face(s.agent, told.append).hear({"type": "open", "view": "notes"})
    until(lambda: any("no page today" in m.get("state", {}).get("notice", "") for m in told))
