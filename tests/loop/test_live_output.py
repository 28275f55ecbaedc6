"""What running code prints is told while it runs, in whole lines and within bounds; short runs tell of none."""

from __future__ import annotations

from collections.abc import Callable

from nephele_nb.events import ToolOutput
from nephele_nb.run import Run
from nephele_nb.tools import live_output
from tests.loop.session import Session, python

Start = Callable[..., Session]

SLOW = """
import time
print("first")
print("half", end="")
time.sleep(2.5)
print(" and half")
time.sleep(2.5)
"""


def pieces(run: Run) -> list[str]:
    return [str(e.output["text"]) for e in run.events if isinstance(e, ToolOutput)]


def test_lines_are_told_while_the_code_runs(session: Start) -> None:
    s = session([python(SLOW), "Done."], approve="always")
    run, _ = s.ask()
    assert pieces(run) == ["first\n", "half and half\n"]
    assert "first\nhalf and half" in s.results()[0]


def test_a_short_run_tells_of_none(session: Start) -> None:
    s = session([python("print('quick')"), "Done."], approve="always")
    run, _ = s.ask()
    assert pieces(run) == []
    assert "quick" in s.results()[0]


def test_much_that_is_printed_is_told_within_bounds(session: Start) -> None:
    code = "import time\nfor n in range(20_000):\n    print('line', n)\ntime.sleep(3)"
    s = session([python(code), "Done."], approve="always")
    run, _ = s.ask()
    told = pieces(run)
    assert 1 <= len(told) <= live_output.MOST_BATCHES
    assert all(len(piece) <= live_output.LONGEST_BATCH + 2 for piece in told)
    assert told[-1].endswith("line 19999\n")


def test_no_key_is_told_in_a_piece(session: Start) -> None:
    secret = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
    code = f"import time\nprint({secret[:20]!r}, end='')\ntime.sleep(2)\nprint({secret[20:]!r})\ntime.sleep(2)"
    s = session([python(code), "Done."], approve="always", api_key=secret)
    run, _ = s.ask()
    assert pieces(run)
    assert secret[20:] not in "".join(pieces(run))
