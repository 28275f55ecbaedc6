"""Streams as providers really send them: builders for one odd form each, and the files that hold longer ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent.parent / "fixtures" / "model"
USAGE = {"prompt_tokens": 120, "completion_tokens": 24, "total_tokens": 144}
CODE = '{"code": "x = 1"}'


def kept(name: str) -> bytes:
    """Return a transcript from a file."""
    return (FIXTURES / f"{name}.sse").read_bytes()


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **more,
    }


def say(text: str, finish: str | None = None) -> dict[str, Any]:
    return chunk({"content": text}, finish)


def call(arguments: Any = None, name: str | None = None, **more: Any) -> dict[str, Any]:
    """Return a chunk with one fragment of a call; ``id`` and ``index`` only where given."""
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    return chunk({"tool_calls": [{**more, "function": function}]})


def end(finish: str = "stop") -> dict[str, Any]:
    return chunk({}, finish)


def usage() -> dict[str, Any]:
    return {"choices": [], "usage": USAGE}


def stream(*chunks: dict[str, Any] | str, done: bool = True, newline: str = "\n", space: str = " ") -> bytes:
    """Return the chunks as events; a string is put in as it is."""
    parts = [c if isinstance(c, str) else f"data:{space}{json.dumps(c)}{newline}{newline}" for c in chunks]
    return ("".join(parts) + (f"data:{space}[DONE]{newline}{newline}" if done else "")).encode()
