"""Arguments in any encoding become one JSON object, or a fault that the model can mend; nothing is evaluated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nephele_nb.model.arguments import UnreadableArgumentsError, read_arguments, unfence
from tests.model import transcripts as t
from tests.model.test_streams import every_way, run

TWO_LINES = "x = 1\ny = 2"
L04 = {
    "L04": (t.kept("L04_double_encoded.turn1"), {"code": "x = 1"}),
    "L04b": (t.kept("L04b_args_object.turn1"), {"code": "x = 1"}),
    "L04c": (t.kept("L04c_args_empty_string.turn1"), {}),
    "L04d-null": (t.stream(t.call("null", "get_stats", index=0, id="s"), t.end("tool_calls")), {}),
    "L04d-absent": (t.stream(t.call(None, "get_stats", index=0, id="s"), t.end("tool_calls")), {}),
    "L04e-raw-newlines": (
        t.stream(t.call('{"code": "x = 1\ny = 2"}', "run_python", index=0, id="s"), t.end("tool_calls")),
        {"code": TWO_LINES},
    ),
    "L04f-python-repr": (
        t.stream(t.call("{'code': 'x = 1', 'fast': True}", "run_python", index=0, id="s"), t.end("tool_calls")),
        {"code": "x = 1", "fast": True},
    ),
    "L04g-fenced-code": (
        t.stream(
            t.call(json.dumps({"code": f"```python\n{TWO_LINES}\n```"}), "run_python", index=0, id="s"),
            t.end("tool_calls"),
        ),
        {"code": TWO_LINES},
    ),
}


@pytest.mark.parametrize("name", L04)
def test_family(name: str) -> None:
    raw, right = L04[name]
    for heard in run(every_way(raw)):
        assert heard.reply is not None
        (call,) = heard.reply.calls
        assert call.fault is None
        assert json.loads(call.arguments) == right


@pytest.mark.parametrize(
    "text",
    [
        "[1, 2]",
        "7",
        '"words"',
        '{"code": "x',
        "{'code': __import__('os').getcwd()}",
        "{1: 2}",
        "run it",
        '{"a": 1} more',
    ],
)
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(UnreadableArgumentsError, match="whole JSON object"):
        read_arguments(text)


def test_a_python_expression_is_never_run(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    with pytest.raises(UnreadableArgumentsError):
        read_arguments(f"{{'code': open({str(witness)!r}, 'w')}}")
    assert not witness.exists()


def test_odd_escapes_in_a_python_repr_warn_nobody() -> None:
    assert read_arguments(r"{'pattern': '\d+'}") == {"pattern": r"\d+"}


def test_deep_nesting_is_refused_and_not_a_crash() -> None:
    with pytest.raises(UnreadableArgumentsError):
        read_arguments('{"a": ' + "[" * 100_000)


def test_what_json_cannot_hold_is_a_fault() -> None:
    raw = t.stream(t.call('{"limit": NaN}', "get_stats", index=0, id="s"), t.end("tool_calls"))
    heard = run(every_way(raw))[0]
    assert heard.reply is not None
    assert heard.reply.calls[0].fault is not None
    assert heard.reply.calls[0].arguments == "{}"


@pytest.mark.parametrize(
    ("code", "right"),
    [
        ("```\nx\n```", "x"),
        ("~~~python\nx\n~~~\n", "x"),
        ("x = '''\n```\na\n```\n'''", "x = '''\n```\na\n```\n'''"),
        ("```python\na\n```\ntext\n```python\nb\n```", "```python\na\n```\ntext\n```python\nb\n```"),
        ("```python\n  if x:\n    y\n```", "  if x:\n    y"),
        ("```", "```"),
        ("print(1)\n", "print(1)\n"),
    ],
)
def test_only_a_fence_around_all_of_it_is_removed(code: str, right: str) -> None:
    assert unfence(code) == right
