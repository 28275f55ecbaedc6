"""What each odd stream should come to: a transcript and the right reply, or the right kind of failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nephele_nb.types import Usage
from tests.model import transcripts as t

X1 = ("run_python", t.CODE)
Y2 = ("run_python", '{"code": "y = 2"}')
BUDGET = ("search_notes", '{"query": "budget"}')
LIMIT = "output limit"


@dataclass(frozen=True, slots=True)
class Right:
    """The right end of a stream; ``error`` is a code, ``fault`` a part of what every call's fault says."""

    text: str = ""
    thinking: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    ids: tuple[str, ...] | None = None
    fault: str | None = None
    cut: bool = False
    error: str | None = None
    usage: Usage | None = None


def three_calls(ids: bool, index: Any = 0) -> bytes:
    pieces = [(X1, "call_a1"), (Y2, "call_a2"), (BUDGET, "call_a3")]
    return t.stream(
        *(t.call(args, name, index=index, **({"id": i} if ids else {})) for (name, args), i in pieces),
        t.end("tool_calls"),
    )


COUNTED = Usage(input=120, output=24, total=144, steps=1)
CALLS: dict[str, tuple[bytes, Right]] = {
    "S01": (
        t.kept("S01_parallel_all_index0.turn1"),
        Right(calls=(X1, Y2, BUDGET), ids=("call_a1", "call_a2", "call_a3"), usage=COUNTED),
    ),
    "S01b-no-ids": (three_calls(ids=False), Right(calls=(X1, Y2, BUDGET))),
    "S01c-no-ids-no-index": (three_calls(ids=False, index=None), Right(calls=(X1, Y2, BUDGET))),
    "S01d-twins-without-ids": (
        t.stream(t.call(t.CODE, "run_python", index=0), t.call(t.CODE, "run_python", index=0), t.end("tool_calls")),
        Right(calls=(X1, X1)),
    ),
    "S01e-argument-less-first": (
        t.stream(t.call("", "get_stats", index=0), t.call(t.CODE, "run_python", index=0), t.end("tool_calls")),
        Right(calls=(("get_stats", "{}"), X1)),
    ),
    "S01f-same-id-for-all": (
        t.stream(
            t.call(t.CODE, "run_python", index=0, id="call_0"),
            t.call('{"query": "budget"}', "search_notes", index=1, id="call_0"),
            t.end("tool_calls"),
        ),
        Right(calls=(X1, BUDGET)),
    ),
    "S01g-new-id-on-each-fragment": (
        t.stream(
            t.call('{"code": ', "run_python", index=0, id="r1"),
            t.call('"x = ', index=0, id="r2"),
            t.call('1"}', index=0, id="r3"),
            t.end("tool_calls"),
        ),
        Right(calls=(X1,), ids=("r1",)),
    ),
    "S01h-interleaved": (
        t.stream(
            t.call("", "run_python", index=0, id="a"),
            t.call("", "search_notes", index=1, id="b"),
            t.call('{"code": "x', index=0),
            t.call('{"query": "bud', index=1),
            t.call(' = 1"}', index=0),
            t.call('get"}', index=1),
            t.end("tool_calls"),
        ),
        Right(calls=(X1, BUDGET), ids=("a", "b")),
    ),
    "S02": (t.kept("S02_index_absent.turn1"), Right(calls=(X1,), ids=("call_b1",))),
    "S02b-index-null": (
        t.stream(
            t.call('{"code": ', "run_python", index=None, id="call_b2"),
            t.call('"x = 1"}', index=None),
            t.call('{"query": ', "search_notes", index=None, id="call_b3"),
            t.call('"budget"}', index=None),
            t.end("tool_calls"),
        ),
        Right(calls=(X1, BUDGET), ids=("call_b2", "call_b3")),
    ),
    "S02c-index-from-1": (
        t.stream(t.call('{"code": ', "run_python", index=1, id="b"), t.call('"x = 1"}', index=1), t.end("tool_calls")),
        Right(calls=(X1,), ids=("b",)),
    ),
    "S03": (t.kept("S03_name_repeated.turn1"), Right(calls=(X1,), ids=("call_c1",))),
    "S03b-name-in-pieces": (
        t.stream(
            t.call("", "run_", index=0, id="call_c2"),
            t.call("", "python", index=0),
            t.call(t.CODE, index=0),
            t.end("tool_calls"),
        ),
        Right(calls=(X1,), ids=("call_c2",)),
    ),
    "S03c-name-growing": (
        t.stream(t.call("", "run_", index=0, id="c"), t.call(t.CODE, "run_python", index=0), t.end("tool_calls")),
        Right(calls=(X1,)),
    ),
    "S03d-all-repeated-at-the-end": (
        t.stream(
            t.call('{"code": ', "run_python", index=0, id="c"),
            t.call('"x = 1"}', index=0),
            t.call(t.CODE, "run_python", index=0, id="c"),
            t.end("tool_calls"),
        ),
        Right(calls=(X1,), ids=("c",)),
    ),
    "S04": (t.kept("S04_empty_strings.turn1"), Right(calls=(X1,), ids=("call_d1",))),
    "S05": (t.kept("S05_stop_but_has_calls.turn1"), Right("I will compute it.", calls=(X1,))),
    "S05b-calls-announced-only": (t.stream(t.say("Done."), t.end("tool_calls")), Right("Done.")),
    "S05c-no-finish-but-done": (t.stream(t.say("Done.")), Right("Done.")),
    "S05d-calls-and-done-only": (t.stream(t.call(t.CODE, "run_python", index=0, id="e")), Right(calls=(X1,))),
    "L01": (t.kept("L01_two_calls.turn1"), Right("Two steps.", calls=(X1, Y2), ids=("call_p1", "call_p2"))),
    "L02c-namespaced": (
        t.stream(t.call(t.CODE, "functions.run_python", index=0, id="q"), t.end("tool_calls")),
        Right(calls=(X1,)),
    ),
    "L02d-unsendable-name": (
        t.stream(t.call(t.CODE, "run python!", index=0, id="q"), t.end("tool_calls")),
        Right(calls=(("run_python_", t.CODE),)),
    ),
    "L02e-no-name": (
        t.stream(t.call(t.CODE, index=0, id="q"), t.end("tool_calls")),
        Right(calls=(("unknown", t.CODE),), fault="names no tool"),
    ),
    "opens-with-empty-object": (
        t.stream(t.call("{}", "run_python", index=0, id="g"), t.call(t.CODE, index=0), t.end("tool_calls")),
        Right(calls=(X1,)),
    ),
    "function-call-of-old": (
        t.stream(t.chunk({"function_call": {"name": "run_python", "arguments": t.CODE}}), t.end("function_call")),
        Right(calls=(X1,)),
    ),
}
ENDS: dict[str, tuple[bytes, Right]] = {
    "S06": (t.kept("S06_empty_choices"), Right("Hello", usage=COUNTED)),
    "S07": (t.kept("S07_inband_error_midway"), Right("The first half ", error="provider")),
    "S07b-error-only": (
        t.stream({"error": {"message": "upstream disconnected", "code": 502}}),
        Right(error="provider"),
    ),
    "S07c-error-empty-choices": (
        t.stream(t.say("Half "), {"choices": [], "error": {"message": "upstream disconnected"}}),
        Right("Half ", error="provider"),
    ),
    "S07d-error-as-text": (
        t.stream(t.say("Half "), {"error": "upstream disconnected"}),
        Right("Half ", error="provider"),
    ),
    "S07e-error-after-a-call": (
        t.stream(t.call(t.CODE, "run_python", index=0, id="h"), {"error": {"message": "upstream disconnected"}}),
        Right(error="provider"),
    ),
    "S07f-null-error-is-none": (t.stream(t.chunk({"content": "Fine"}, error=None), t.end()), Right("Fine")),
    "S08": (t.kept("S08_eof_mid_text"), Right("The answer is 42 because", error="cut")),
    "S08b-mid-arguments": (
        t.stream(t.call('{"code": "import shutil; shutil.rmtree(', "run_python", index=0, id="h"), done=False),
        Right(error="cut"),
    ),
    "S08c-after-whole-arguments": (
        t.stream(t.call(t.CODE, "run_python", index=0, id="h"), done=False),
        Right(error="cut"),
    ),
    "S08d-half-a-line": (
        t.stream(t.say("The answer is"), done=False) + b'data: {"choices": [{"index": 0, "delta": {"content": " 4',
        Right("The answer is", error="cut"),
    ),
    "S08e-text-and-usage": (t.stream(t.say("All of it."), t.usage(), done=False), Right("All of it.", usage=COUNTED)),
    "S08f-call-and-usage": (
        t.stream(t.call(t.CODE, "run_python", index=0, id="h"), t.usage(), done=False),
        Right(error="cut"),
    ),
    "S08g-nothing-at-all": (b"", Right(error="cut")),
    "S08h-finish-without-done": (t.stream(t.say("Whole."), t.end(), done=False), Right("Whole.")),
    "S09": (t.kept("S09_length_cut.turn1"), Right(calls=(("run_python", "{}"),), fault=LIMIT, cut=True)),
    "S09b-cut-but-says-tool-calls": (
        t.stream(
            t.call('{"code": "for i in range(3):\\n    print(i', "run_python", index=0, id="i"), t.end("tool_calls")
        ),
        Right(calls=(("run_python", "{}"),), fault="not a JSON object"),
    ),
    "S09c-whole-json-but-length": (
        t.stream(t.call(t.CODE, "run_python", index=0, id="i"), t.end("length")),
        Right(calls=(X1,), fault=LIMIT, cut=True),
    ),
    "S09d-text-cut": (t.stream(t.say("It goes on and"), t.end("length")), Right("It goes on and", cut=True)),
    "S10": (t.kept("S10_comments_and_meta"), Right("Hi there")),
    "S10b-crlf-no-space": (
        t.stream(t.say("Hi"), t.say(" there"), t.end(), newline="\r\n", space=""),
        Right("Hi there"),
    ),
    "S10c-comment-as-data": (t.stream("data: : OPENROUTER PROCESSING\n\n", t.say("Hi"), t.end()), Right("Hi")),
    "S10d-comment-after-id": (
        t.stream("id: 1\n", t.say("Hi"), ": ping\n\n", t.say(" there"), t.end()),
        Right("Hi there"),
    ),
    "S10e-retry-only": (t.stream(t.say("Hi"), "retry: 3000\n\n", t.say(" there"), t.end()), Right("Hi there")),
    "S10f-empty-data": (t.stream(t.say("Hi"), "data:\n\n", "data\n\n", t.say(" there"), t.end()), Right("Hi there")),
    "S10g-old-mac-line-ends": (t.stream(t.say("Hi"), t.say(" there"), t.end(), newline="\r"), Right("Hi there")),
    "S10h-byte-order-mark": (b"\xef\xbb\xbf" + t.stream(t.say("Hi"), t.end()), Right("Hi")),
    "S10i-no-blank-lines": (t.stream(t.say("Hi"), t.say(" there"), t.end()).replace(b"\n\n", b"\n"), Right("Hi there")),
    "S10j-no-last-newline": (t.stream(t.say("Hi"), t.end()).rstrip(b"\n"), Right("Hi")),
    "S10k-broken-chunk": (
        t.stream(t.say("Hi"), 'data: {"choices": [\n\n', t.say(" there"), t.end()),
        Right("Hi", error="provider"),
    ),
    "S10l-line-separators-in-text": (
        b'data: {"choices": [{"delta": {"content": "a\xe2\x80\xa8b\xc2\x85c"}}]}\n\n' + t.stream(t.end()),
        Right("a\u2028b\x85c"),
    ),
    "S21": (t.kept("S21_utf8"), Right("结果是「四十二」，おわり。한글 👩‍🔬🇯🇵 é")),
    "S21b-split-surrogates": (t.stream(t.say("a \ud83d"), t.say("\ude00 b"), t.end()), Right("a 😀 b")),
    "S21c-lone-surrogate": (t.stream(t.say("a \ud83d"), t.end()), Right("a \ufffd")),
    "final": (t.kept("S_final_ok"), Right("All done.", usage=COUNTED)),
    "not-a-stream": (
        b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Whole."}, "finish_reason": "stop"}]}',
        Right("Whole."),
    ),
    "content-in-parts": (
        t.stream(
            t.chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
            t.chunk({"content": [{"type": "text", "text": "Yes"}]}),
            t.end(),
        ),
        Right("Yes", "hm"),
    ),
}
