"""Calls written as text are recovered where they are the whole answer, and only there; endless answers are ended."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nephele_nb.model.prose import ProseCalls, Written
from nephele_nb.model.scripted import ScriptedModel, Step
from nephele_nb.model.tail import LONGEST, Tail
from tests.model import transcripts as t
from tests.model.conversation import at, hear_once, run
from tests.model.providers import STRICT
from tests.model.test_streams import every_way


def spec(name: str, **properties: str) -> dict[str, object]:
    schema = {"properties": {key: {"type": kind} for key, kind in properties.items()}, "required": [*properties][:1]}
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **schema}}}


SPECS = [spec("run_python", code="string", description="string"), spec("search_notes", query="string", k="integer")]
SPECS.append({"type": "function", "function": {"name": "get_stats", "parameters": {"properties": {}}}})
RUN = '{"name": "run_python", "arguments": {"code": "x = 1"}}'
X1 = Written("run_python", '{"code": "x = 1"}')
BUDGET = Written("search_notes", '{"query": "budget"}')
SEARCH = '{"name": "search_notes", "arguments": {"query": "budget"}}'

CALLS: dict[str, tuple[str, list[Written]]] = {
    "bare": (RUN, [X1]),
    "bare with space around": (f"\n\n {RUN}\n\n\n", [X1]),
    "fenced": (f"```json\n{RUN}\n```", [X1]),
    "fenced without a language": (f"```\n{RUN}\n```\n", [X1]),
    "fenced with tildes": (f"~~~json\n{RUN}\n~~~", [X1]),
    "two bare": (f"{RUN}\n{SEARCH}", [X1, BUDGET]),
    "two fenced": (f"```json\n{RUN}\n```\n\n```json\n{SEARCH}\n```", [X1, BUDGET]),
    "two in one fence": (f"```json\n{RUN}\n{SEARCH}\n```", [X1, BUDGET]),
    "twins": (f"{RUN}\n{RUN}", [X1, X1]),
    "a list": (f"[{RUN}, {SEARCH}]", [X1, BUDGET]),
    "tagged": (f"<tool_call>\n{RUN}\n</tool_call>", [X1]),
    "two tagged": (f"<tool_call>{RUN}</tool_call>\n<tool_call>{SEARCH}</tool_call>", [X1, BUDGET]),
    "an open tag": (f"<tool_call>\n{RUN}", [X1]),
    "a marked list": (f"[TOOL_CALLS][{RUN}]", [X1]),
    "parameters": ('{"name": "run_python", "parameters": {"code": "x = 1"}}', [X1]),
    "a function inside": (f'{{"type": "function", "function": {RUN}}}', [X1]),
    "arguments as text": ('{"name": "run_python", "arguments": "{\\"code\\": \\"x = 1\\"}"}', [X1]),
    "raw newlines": (RUN.replace("x = 1", "x = 1\ny = 2"), [Written("run_python", '{"code": "x = 1\\ny = 2"}')]),
    "a namespaced name": (RUN.replace("run_python", "functions.run_python"), [X1]),
    "no arguments": ('{"name": "get_stats"}', [Written("get_stats", "{}")]),
    "as elements": (
        "<tool_call>\n<function=run_python>\n<parameter=code>\nx = 1\n</parameter>\n</function>\n</tool_call>",
        [X1],
    ),
    "doubled braces": (f"{{{RUN}}}", [X1]),
    "doubled braces, closed once": (f"{{{RUN}", [X1]),
    "doubled braces in a fence": (f"```json\n{{{RUN}}}\n```", [X1]),
    "three quotes": (
        RUN.replace('"x = 1"', '"""\nx = 1\ny = "2"\n"""'),
        [Written("run_python", '{"code": "x = 1\\ny = \\"2\\""}')],
    ),
    "elements alone": ("<function=run_python>\n<parameter=code>x = 1</parameter>\n</function>", [X1]),
}  # fmt: skip
LED = {
    "fenced after words": (f"I will compute it.\n\n```json\n{RUN}\n```", "I will compute it.\n\n", [X1]),
    "two fenced after code": (
        f"```python\ny = 2\n```\nThen:\n```json\n{RUN}\n```\n\n```\n{SEARCH}\n```\n",
        "```python\ny = 2\n```\nThen:\n",
        [X1, BUDGET],
    ),
    "tagged after words": (f"I will compute it.\n\n<tool_call>\n{RUN}\n</tool_call>", "I will compute it.\n\n", [X1]),
}
TEXT = {
    "an answer that shows JSON": f"A call looks like this:\n```json\n{RUN}\n```\nand is then run.",
    "JSON first, words after": f"```json\n{RUN}\n```\nThis would run your code.",
    "words between fences": f'First:\n```json\n{RUN}\n```\nThen:\n```json\n{{"a": 1}}\n```',
    "a fence of another tool": 'Do this:\n```json\n{"name": "rm", "arguments": {}}\n```',
    "words before bare JSON": f"Do this: {RUN}",
    "an unknown tool": '{"name": "delete_all", "arguments": {}}',
    "a missing argument": '{"name": "run_python", "arguments": {"description": "d"}}',
    "an unknown argument": '{"name": "run_python", "arguments": {"code": "x", "why": "y"}}',
    "an argument of another kind": '{"name": "run_python", "arguments": {"code": ["x"]}}',
    "a record of something": '{"name": "run_python", "arguments": {"code": "x"}, "price": 3}',
    "plain JSON": '{"name": "Anna", "age": 3}',
    "cut JSON": RUN[:-2],
    "a list of numbers": "[1, 2, 3]",
    "a citation": "[1] says so.",
    "code": "```python\nx = 1\n```",
    "a tag in a fence": f"This is the form:\n```\n<tool_call>\n{RUN}\n</tool_call>\n```",
    "a tag within a line": f"Write <tool_call>{RUN}</tool_call> to call.",
    "words after a tag": f"<tool_call>{RUN}</tool_call>\nis how a call is written.",
    "less than": "a\n<b and c > d",
}


def read(text: str, cuts: list[int], called: bool = False) -> tuple[str, list[Written]]:
    """Feed a text cut at some places; return what was shown and the calls."""
    prose, shown, at = ProseCalls(SPECS), "", 0
    for cut in [*sorted({c for c in cuts if 0 < c < len(text)}), len(text)]:
        shown += prose.feed(text[at:cut])
        at = cut
    rest, calls = prose.finish(called)
    assert prose.shown == shown + rest
    return shown + rest, calls


@pytest.mark.parametrize("name", CALLS)
@given(cuts=st.lists(st.integers(0, 200)))
def test_calls_are_recovered_and_never_shown(name: str, cuts: list[int]) -> None:
    text, calls = CALLS[name]
    shown, found = read(text, cuts)
    assert found == calls
    assert shown.strip() == ""


@pytest.mark.parametrize("name", LED)
@given(cuts=st.lists(st.integers(0, 200)))
def test_words_before_a_tag_stay(name: str, cuts: list[int]) -> None:
    text, words, calls = LED[name]
    assert read(text, cuts) == (words, calls)


@pytest.mark.parametrize("name", TEXT)
@given(cuts=st.lists(st.integers(0, 200)))
def test_what_merely_looks_like_a_call_is_text(name: str, cuts: list[int]) -> None:
    assert read(TEXT[name], cuts) == (TEXT[name], [])


def test_plain_text_is_not_held_back() -> None:
    prose = ProseCalls(SPECS)
    assert [prose.feed(word) for word in ("The ", "answer ", "[1] ", "is ", "a < b")] == [
        "The ", "answer ", "[1] ", "is ", "a < b",
    ]  # fmt: skip


def test_text_beside_real_calls_stays_text() -> None:
    assert read(RUN, [], called=True) == (RUN, [])


def test_without_tools_nothing_is_a_call() -> None:
    prose = ProseCalls([])
    assert prose.feed(RUN) == RUN
    assert prose.finish(False) == ("", [])


@pytest.mark.parametrize("name", CALLS)
def test_a_recovered_call_goes_the_way_of_any_other(name: str) -> None:
    text, calls = CALLS[name]
    with ScriptedModel([Step(say=text)], rules=STRICT) as model:
        heard = run(hear_once(at(model), tools=SPECS))
    assert heard.reply is not None
    assert [(c.name, c.arguments, c.fault) for c in heard.reply.calls] == [(c.name, c.arguments, None) for c in calls]
    assert heard.text.strip() == ""
    assert [c["function"]["name"] for c in heard.reply.message["tool_calls"]] == [c.name for c in calls]


THOUGHTS = {
    "a field": t.stream(t.chunk({"reasoning_content": RUN}), t.say("No need."), t.end()),
    "tags": t.stream(t.say(f"<think>{RUN}</think>"), t.say("No need."), t.end()),
    "an orphan end": t.stream(t.say(RUN), t.say("</think>No need."), t.end()),
}


@pytest.mark.parametrize("name", THOUGHTS)
def test_a_call_in_thinking_is_only_a_thought(name: str) -> None:
    for heard in run(every_way(THOUGHTS[name])):
        assert heard.reply is not None
        assert heard.reply.calls == ()
        assert (heard.text, heard.thinking) == ("No need.", RUN)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_a_recovered_call_of_a_cut_answer_does_not_run(finish: str) -> None:
    with ScriptedModel([Step(raw=t.stream(t.say(RUN), t.end(finish)))]) as model:
        heard = run(hear_once(at(model), tools=SPECS))
    assert heard.reply is not None
    assert [bool(c.fault) for c in heard.reply.calls] == [True]


def test_an_unconfirmed_call_does_not_run() -> None:
    with ScriptedModel([Step(raw=t.stream(t.say(RUN), done=False))]) as model:
        heard = run(hear_once(at(model), tools=SPECS))
    assert heard.error is not None
    assert heard.error.code == "cut"


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("Yes." + "\n" * 5000, "blank"),
        ("Yes." + " \t\n" * 2000, "blank"),
        ("Well. " + "and so on " * 2000, "loop"),
        ("结果" * 5000, "loop"),
        ("-" * 9000, "loop"),
        ("".join(f"line {n}\n" for n in range(20_000)), ""),
        ("| 0 | 0 |\n" * 100, ""),
        ("".join(f"{n} " for n in range(100_000)), "long"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000, 10**9])
def test_an_answer_without_end_is_ended_at_the_same_place_however_cut(text: str, ended: str, size: int) -> None:
    whole, tail = Tail(), Tail()
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    given = "".join(tail.take(piece) for piece in pieces)
    assert given == whole.take(text)
    assert (tail.ended, whole.ended) == (ended, ended)
    assert text.startswith(given)
    assert len(given) <= LONGEST


def test_endless_newlines_after_a_call_end_the_stream_and_the_call_runs() -> None:
    endless = t.stream(t.say(RUN), *(t.say("\n" * 64) for _ in range(5000)), done=False)
    with ScriptedModel([Step(raw=endless)], delay_s=0.001) as model:
        heard = run(hear_once(at(model), tools=SPECS))
        request = model.requests[0]
    assert heard.reply is not None
    assert [c.fault for c in heard.reply.calls] == [None]
    assert request.pieces_sent < 2000


@pytest.mark.parametrize("field", ["content", "reasoning_content"])
def test_endless_words_are_cut_and_said(field: str) -> None:
    endless = t.stream(*(t.chunk({field: "and so on "}) for _ in range(3000)), done=False)
    for heard in run(every_way(endless)):
        assert heard.reply is not None
        assert (heard.reply.finish_reason, heard.reply.cut) == ("loop", True)
        assert len(heard.text + heard.thinking) == 4096


def test_endless_arguments_never_run() -> None:
    first = t.call('{"code": "', "run_python", index=0, id="e")
    endless = t.stream(first, *(t.call("x = 1; ", index=0) for _ in range(3000)), t.end("tool_calls"))
    with ScriptedModel([Step(raw=endless)]) as model:
        heard = run(hear_once(at(model), tools=SPECS))
    assert heard.reply is not None
    assert "repeated itself" in (heard.reply.calls[0].fault or "")
    assert json.loads(heard.reply.calls[0].arguments) == {}
