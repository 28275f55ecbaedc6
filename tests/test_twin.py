"""What stays in a saved notebook is readable, fixed, and dead."""

from __future__ import annotations

import mistune
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from nephele_nb import events as ev
from nephele_nb.run import undo_mark
from nephele_nb.strings import Strings
from nephele_nb.twin import markdown, safe
from nephele_nb.types import Source, Usage

SAY = Strings("en")


def test_a_round_reads_in_its_order_with_its_sources_last() -> None:
    events = [
        ev.RoundStart("why did sales fall?", "agent", "byok"),
        ev.StreamChunk("Let me look."),
        ev.ToolStart("c", "run_python", {"code": "x"}),
        ev.ApprovalRequest("a", "c", "run_python", "print(1)", "", [], 1.0),
        ev.ApprovalResolved("a", "edited", "print(2)", "-1+2"),
        ev.ToolFinish("c", "run_python", True, "2", 0.1),
        ev.StreamChunk("Stock ran out [1]."),
        ev.StreamChunk(undo_mark("r1")),
        ev.LoopDone("answer", Usage(), [Source(1, "note", "n-1", "Supplier")]),
    ]
    text = markdown([ev.stamp(e, "r1", n) for n, e in enumerate(events)])
    assert text == (
        "> why did sales fall?\n\nLet me look.\n\n```python\nprint(2)\n```\n\n```text\n2\n```\n\n"
        "Stock ran out [1].\n\n**Sources**\n\n1. Supplier"
    )


def test_a_round_that_has_left_the_context_says_so() -> None:
    events = [
        ev.RoundStart("why?", "agent", "byok", "", round_id="a", seq=0),
        ev.StreamChunk("first", round_id="a", seq=1),
        ev.RoundStart("why?", "agent", "byok", "", round_id="b", seq=0),
        ev.StreamChunk("second", round_id="b", seq=1),
    ]
    marked = "> why?\n\n*Earlier attempt; it was asked again below.*\n\nfirst\n\n---\n\n> why?\n\nsecond"
    assert markdown(events, "en", {"a": "retried"}) == marked


def test_what_did_not_run_is_kept_as_such() -> None:
    events = [
        ev.RoundStart("q", "agent", "byok"),
        ev.ToolStart("c", "run_python", {}),
        ev.ApprovalRequest("a", "c", "run_python", "rm()", "", [], 1.0),
        ev.ApprovalResolved("a", "rejected", None, ""),
        ev.ToolFinish("c", "run_python", False, "rejected", 0.0),
    ]
    assert markdown(events) == "> q\n\n*run_python: rejected, not run*\n\n```python\nrm()\n```"
    assert "waiting for approval" in markdown(events[:3])
    assert "没有运行" in markdown([ev.RoundStart("为什么？", "agent", "byok"), *events[1:]])


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("`<b>` and ``<i> ` x``", "`<b>` and ``<i> ` x``"),
        ("```html\n<i>\n```\n<i>", "```html\n<i>\n```\n&lt;i>"),
        ("[x](javascript:alert(1))", "[x] (javascript:alert(1))"),
        ("[x]( java&#115;cript:y)", "[x] ( java&#115;cript:y)"),
        ("[x]: data:text/html,y", "[x] : data:text/html,y"),
        (
            "[ok](https://a.b/c) [file](notes/a.md) [up](../x.md)",
            "[ok](https://a.b/c) [file](notes/a.md) [up](../x.md)",
        ),
        ("![i](https://x/?secret)", "[i](https://x/?secret)"),
        ("$5 and $6", "$5 and $6"),
        ("1. so:\n\n   ```py\n   a < b\n   ```\n\nand `c<d`", "1. so:\n\n   ```py\n   a < b\n   ```\n\nand `c<d`"),
        ('```py"><b>\na < b', "```py\na < b\n```"),
        ("a ` b\n\n<i> ` c", "a ` b\n\n&lt;i> ` c"),
        ("> ```\n<i>\n> ```", "> ```\n&lt;i>\n> ```"),
        ("- a\n  ```\n<i>\n  ```", "- a\n  ```\n&lt;i>\n  ```"),
        ("```\na\r```\r<i>\n```", "```\na\n```\n&lt;i>\n```\n```"),
        ("$$\n```\n$$\n<i>\n```", "$$\n```\n$$\n&lt;i>\n```"),
        ("|a|\n|-|\n|`a | <i> b`|", "|a|\n|-|\n|`a | &lt;i> b`|"),
    ],
)
def test_foreign_markdown_is_dead(written: str, kept: str) -> None:
    assert safe(written) == kept


PIECES = [
    "`",
    "``",
    "```",
    "````",
    "~~~",
    " ",
    "   ",
    "    ",
    "\n",
    "\n\n",
    "\r",
    "\t",
    "- ",
    "1. ",
    "> ",
    "|",
    "*",
    "_",
]
PIECES += ["$", "$$", "\\", "\\[", "a", "py", '[x]: y "', "<img src=x onerror=a>", "<img src=x onerror=a>"]


@settings(deadline=None, max_examples=400, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), min_size=3, max_size=25).map("".join))
def test_no_reader_finds_markup_in_what_others_wrote(written: str) -> None:
    kept = safe(written)
    assert "<img" not in str(mistune.create_markdown(escape=False, plugins=["table"])(kept))
    assert "<img" not in MarkdownWithMath(renderer=IPythonRenderer(escape=False)).render(kept)
