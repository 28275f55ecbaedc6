"""Reads the arguments of a tool call, however they were encoded; it never evaluates code and never invents a value."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

FENCE = re.compile(r"\s*(`{3,}|~{3,})[\w+.#-]*[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*\1\s*", re.DOTALL)
NOT_JSON = "its arguments are not a JSON object: send the call again, with arguments as one whole JSON object"


class UnreadableArgumentsError(ValueError):
    """The arguments can't be read as an object; the text says so to the model."""


def read_arguments(text: str) -> dict[str, Any]:
    """Return the object that ``text`` stands for; raises UnreadableArgumentsError.

    Takes JSON, JSON in a JSON string, raw newlines inside strings, a Python literal, a fence around any of them;
    nothing and ``null`` are an empty object.
    """
    value: Any = text
    for _ in range(3):
        if value is None or (isinstance(value, str) and not value.strip()):
            return {}
        if not isinstance(value, str):
            break
        value = _decode(value)
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise UnreadableArgumentsError(NOT_JSON)
    return _unfence_code(value)


def write_arguments(value: dict[str, Any]) -> str:
    """Return the object as strict JSON text; raises UnreadableArgumentsError for what JSON can't hold."""
    try:
        return _join_surrogates(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableArgumentsError(NOT_JSON) from error


def is_whole_object(text: str) -> bool:
    """Tell whether ``text`` is already one complete JSON object."""
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def unfence(code: str) -> str:
    """Return code without the one markdown fence around all of it, else as it is."""
    found = FENCE.fullmatch(code)
    if not found or re.search(r"(?m)^\s*(```|~~~)", found["inside"]):
        return code
    return found["inside"]


def _decode(text: str) -> Any:
    for candidate in dict.fromkeys((text, unfence(text))):
        try:
            return json.loads(candidate, strict=False)
        except (ValueError, RecursionError):
            pass
        try:
            return _python_literal(candidate.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            pass
    raise UnreadableArgumentsError(NOT_JSON)


def _python_literal(text: str) -> Any:
    if not text.startswith("{"):
        raise ValueError("not a dict")
    with warnings.catch_warnings():
        # An odd escape in the model's text is no warning for the user's cell.
        warnings.simplefilter("ignore")
        return ast.literal_eval(text)


def _unfence_code(value: dict[str, Any]) -> dict[str, Any]:
    code = value.get("code")
    return value | {"code": unfence(code)} if isinstance(code, str) else value


def _join_surrogates(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
