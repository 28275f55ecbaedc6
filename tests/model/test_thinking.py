"""Thinking is told from the answer, in fields and in tags, wherever the stream was cut."""

from __future__ import annotations

import pytest

from nephele_nb.model.assemble import Assembler
from nephele_nb.model.client import Reply, TextDelta, ThinkingDelta
from tests.model import transcripts as t
from tests.model.conversation import Heard
from tests.model.test_streams import every_way, run

TAGS = {
    "S11": (
        "<think>weigh a < b and b > c then </think>\n\nANSWER: a < c",
        "ANSWER: a < c",
        "weigh a < b and b > c then ",
    ),
    "S11b-orphan-close": ("some plan\n</think>\n\nANSWER", "ANSWER", "some plan\n"),
    "S11b-bare-close": ("</think>\n\nANSWER", "ANSWER", ""),
    "S11c-unclosed": ("<think>first this, then", "", "first this, then"),
    "S11d-inline-code": (
        "Write `<think>` before and `</think>` after.",
        "Write `<think>` before and `</think>` after.",
        "",
    ),
    "S11d-fence": ("So:\n```xml\n<think>x</think>\n```\nDone", "So:\n```xml\n<think>x</think>\n```\nDone", ""),
    "S11d-begins-with-fence": ("```\n<think>x</think>\n```", "```\n<think>x</think>\n```", ""),
    "S11d-in-prose": ("They emit <think> and </think> marks", "They emit <think> and </think> marks", ""),
    "S11f-empty": ("<think>\n\n</think>\n\nANSWER", "ANSWER", ""),
    "S11g-twice": ("<think>a</think><think>b</think>ANSWER", "ANSWER", "ab"),
    "S11h-other-names": ("[THINK]plan[/THINK]ANSWER", "ANSWER", "plan"),
    "S11i-thought": ("<thought>plan</thought>ANSWER", "ANSWER", "plan"),
    "S11j-lower-than": ("<", "<", ""),
    "S11k-almost-a-tag": ("a </thin b", "a </thin b", ""),
    "S11l-white-start": ("\n  <think>plan</think> ANSWER", "ANSWER", "plan"),
    "S11m-plain-white-start": ("\n\n  code", "\n\n  code", ""),
    "S11n-only-white": ("\n\n", "", ""),
    "S11o-half-a-tag-at-the-end": ("<think>plan</thi", "", "plan</thi"),
}


def assemble(pieces: list[str], field: str = "content") -> tuple[Heard, Reply]:
    assembler, heard = Assembler(), Heard()
    for piece in pieces:
        for delta in assembler.feed(t.chunk({field: piece})):
            heard.take(delta)
    last, reply = assembler.finish(terminal=True)
    for delta in last:
        heard.take(delta)
    return heard, reply


@pytest.mark.parametrize("name", TAGS)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 1000])
def test_tags(name: str, size: int) -> None:
    content, text, thinking = TAGS[name]
    heard, reply = assemble([content[i : i + size] for i in range(0, len(content), size)])
    assert (reply.text, reply.thinking) == (text, thinking)
    assert (heard.text, heard.thinking) == (text, thinking)
    assert "reasoning_content" not in reply.message


def test_thinking_that_never_closed_is_marked_cut() -> None:
    assert assemble(["<think>first this"])[1].cut
    assert not assemble(["<think>first this</think>Yes"])[1].cut


def test_a_plain_sign_is_not_held_back() -> None:
    assembler = Assembler()
    assert assembler.feed(t.say("a <")) == [TextDelta("a ")]
    assert assembler.feed(t.say(" b")) == [TextDelta("< b")]


def test_text_before_a_lone_closing_tag_is_taken_back() -> None:
    assembler = Assembler()
    assert assembler.feed(t.say("some plan")) == [TextDelta("some plan")]
    assert assembler.feed(t.say("</think>ANSWER")) == [TextDelta("", restart=True), TextDelta("ANSWER")]


FIELDS = {
    "S12": (t.kept("S12_reasoning_content"), "think A then B", "ANSWER"),
    "S12b-reasoning": (
        t.stream(t.chunk({"reasoning": "think A"}), t.chunk({"reasoning": " then B"}), t.say("ANSWER"), t.end()),
        "think A then B",
        "ANSWER",
    ),
    "S12c-both-and-details": (
        t.stream(
            t.chunk(
                {
                    "reasoning_content": "think A",
                    "reasoning": "think A",
                    "reasoning_details": [{"type": "reasoning.text", "text": "think A"}],
                }
            ),
            t.say("ANSWER"),
            t.end(),
        ),
        "think A",
        "ANSWER",
    ),
    "S12c-both-in-turn": (
        t.stream(
            t.chunk({"reasoning": "think A"}), t.chunk({"reasoning_content": "think A"}), t.say("ANSWER"), t.end()
        ),
        "think A",
        "ANSWER",
    ),
    "S12e-details-only": (
        t.stream(t.chunk({"reasoning_details": [{"text": "think A"}]}), t.say("ANSWER"), t.end()),
        "think A",
        "ANSWER",
    ),
    "S11e-field-then-tag": (
        t.stream(t.chunk({"reasoning_content": "think A"}), t.say("</think>\n\nANSWER"), t.end()),
        "think A",
        "ANSWER",
    ),
}


@pytest.mark.parametrize("name", FIELDS)
def test_fields(name: str) -> None:
    raw, thinking, text = FIELDS[name]
    for heard in run(every_way(raw)):
        assert heard.reply is not None
        assert (heard.reply.thinking, heard.reply.text) == (thinking, text)
        assert (heard.thinking, heard.text) == (thinking, text)
        assert heard.reply.message["reasoning_content"] == thinking


def test_thinking_alone_is_a_cut_reply_without_text() -> None:
    raw = t.stream(t.chunk({"reasoning_content": "on and on"}), t.end("length"))
    for heard in run(every_way(raw)):
        assert heard.reply is not None
        assert (heard.reply.text, heard.reply.thinking, heard.reply.cut) == ("", "on and on", True)


def test_both_kinds_of_thinking_are_joined() -> None:
    assembler = Assembler()
    given = assembler.feed(t.chunk({"reasoning": "field, "})) + assembler.feed(t.say("<think>tag</think>Yes"))
    assert given == [ThinkingDelta("field, "), ThinkingDelta("tag"), TextDelta("Yes")]
    assert assembler.finish(terminal=True)[1].thinking == "field, tag"
