"""Strict providers as rules on a request body: each says what such a provider would answer, or None."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Body = Mapping[str, Any]
Rule = Callable[[Body], str | None]
STANDARD_KEYS = frozenset(
    {"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "audio", "function_call"}
)


def pair_tool_calls(body: Body) -> str | None:
    """Each call of an assistant has exactly one result, before anything else is said."""
    waiting: list[str] = []
    for place, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                return f"messages[{place}]: a tool message that answers no open tool call"
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            return f"messages[{place}]: tool_call_ids without a response: {waiting}"
        waiting = [call.get("id") for call in message.get("tool_calls") or ()]
        if not all(isinstance(i, str) and i for i in waiting) or len(set(waiting)) < len(waiting):
            return f"messages[{place}]: tool call ids are empty or not unique: {waiting}"
    return f"tool_call_ids without a response: {waiting}" if waiting else None


def args_json(body: Body) -> str | None:
    """Arguments are the text of a JSON object."""
    for place, call in calls(body):
        arguments = call["function"].get("arguments")
        try:
            if isinstance(arguments, str) and isinstance(json.loads(arguments), dict):
                continue
        except ValueError:
            pass
        return f"messages[{place}]: arguments is not a JSON object string: {arguments!r}"
    return None


def content_or_calls(body: Body) -> str | None:
    for place, message in enumerate(body["messages"]):
        if message["role"] == "assistant" and not message.get("content") and not message.get("tool_calls"):
            return f"messages[{place}]: content or tool_calls must be set"
    return None


def echo_reasoning(body: Body) -> str | None:
    """A turn that calls tools brings its reasoning back."""
    for place, message in enumerate(body["messages"]):
        if message.get("tool_calls") and not message.get("reasoning_content"):
            return f"messages[{place}]: reasoning_content must be passed back"
    return None


def forbid_extra(body: Body) -> str | None:
    for place, message in enumerate(body["messages"]):
        if extra := sorted(set(message) - STANDARD_KEYS):
            return f"messages[{place}]: extra inputs are not permitted: {extra}"
    return None


def forbid_extra_on_calls(body: Body) -> str | None:
    for place, call in calls(body):
        if extra := sorted(set(call) - {"id", "type", "function", "index"}):
            return f"messages[{place}].tool_calls: unknown property {extra}"
    return None


def echo_extra_content(body: Body) -> str | None:
    for place, call in calls(body):
        if not (call.get("extra_content") or {}).get("google", {}).get("thought_signature"):
            return f"messages[{place}]: function call is missing a thought signature"
    return None


def tool_id_9(body: Body) -> str | None:
    for _, call in calls(body):
        if not re.fullmatch(r"[A-Za-z0-9]{9}", call.get("id") or ""):
            return f"Tool call id was {call.get('id')} but must be a-z, A-Z, 0-9, with a length of 9."
    return None


def no_tools(body: Body) -> str | None:
    return f"{body.get('model')} does not support tools" if "tools" in body else None


def no_tool_choice_none(body: Body) -> str | None:
    return "tool_choice: 'none' is not supported" if body.get("tool_choice") == "none" else None


def no_stream_options(body: Body) -> str | None:
    return "unknown parameter: stream_options" if "stream_options" in body else None


def tools_not_empty(body: Body) -> str | None:
    return "tools: array must not be empty" if body.get("tools") == [] else None


def whole_characters(body: Body) -> str | None:
    try:
        json.dumps(body, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        return f"lone surrogate in the request: {error.reason}"
    return None


def calls(body: Body) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each tool call of the history with the place of its message."""
    for place, message in enumerate(body["messages"]):
        for call in message.get("tool_calls") or ():
            yield place, call


for unprocessable in (forbid_extra, forbid_extra_on_calls):
    unprocessable.status = 422  # type: ignore[attr-defined]
STRICT = (pair_tool_calls, args_json, content_or_calls, tools_not_empty, whole_characters)
