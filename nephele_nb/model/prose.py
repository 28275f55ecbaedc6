"""Recovers calls that a model wrote as text instead of making them; it never takes one out of a longer answer.

A call is recovered where the whole answer is nothing but calls (bare JSON, or JSON in a fence), or where the answer
ends with calls in fences, or in tags that exist for nothing else. Each must name a tool that was offered and bring
arguments that fit. Text that may still turn out to be a call is held back while it streams, so it is never shown as
an answer. A call with words after it stays text; that it was written is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .arguments import UnreadableArgumentsError, read_arguments, write_arguments
from .thinking import in_code

NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
OTHER_KEYS = {"type", "id"}
OPENERS = tuple(f'{{"{key}"' for key in (*NAME_KEYS, *ARGUMENT_KEYS, *OTHER_KEYS))
TAGS = ("<tool_call>", "<function_call>", "<function=", "[TOOL_CALLS]")
TAG = re.compile(r"(?m)^[ \t]*(?=" + "|".join(map(re.escape, TAGS)) + ")")
FENCE = re.compile(r"(`{3,}|~{3,})[\w-]*[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*\1[ \t]*(?=\r?\n|\Z)", re.DOTALL)
FENCE_LINE = re.compile(r"(?m)^[ \t]*(?=`{1,3}|~{1,3})")
FENCE_START = re.compile(r"(?:`{1,3}|~{1,3})[\w-]*")
WRAPPED = re.compile(r"<(tool_call|function_call)>(?P<inside>.*?)(?:</\1>|\Z)", re.DOTALL)
FUNCTION = re.compile(r"<function=(?P<name>[\w.-]+)>(?P<inside>.*?)(?:</function>|\Z)", re.DOTALL)
PARAMETER = re.compile(r"\s*<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>\s*", re.DOTALL)
BETWEEN = re.compile(r"[\s;,]*")
TRIPLE = re.compile(r'"""(.*?)"""', re.DOTALL)
DOUBLED = re.compile(r"^\{\{(?=\s*\")")


@dataclass(frozen=True, slots=True)
class Written:
    """One call as it was written; ``arguments`` is the text of a JSON object."""

    name: str
    arguments: str


class ProseCalls:
    """Watches the text of one answer for calls to the tools in ``specs``."""

    def __init__(self, specs: Sequence[Mapping[str, Any]] = ()) -> None:
        functions = [spec.get("function", {}) for spec in specs]
        self._schemas: dict[str, Any] = {str(f.get("name")): f.get("parameters") or {} for f in functions}
        self._shown: list[str] = []
        self._begun = False
        self._line = ""
        self._held = ""

    @property
    def shown(self) -> str:
        """The text that was given out."""
        return "".join(self._shown)

    def told(self) -> bool:
        """Tell whether the text that was given out holds a call in a fence, which does not run."""
        shown = self.shown if self._schemas else ""
        return any(self._calls(found["inside"]) for found in FENCE.finditer(shown) if found["inside"].strip())

    def feed(self, text: str) -> str:
        """Return what of the text so far may be shown now."""
        if not self._schemas:
            self._shown.append(text)
            return text
        self._held += text
        return self._show(self._certain())

    def restart(self) -> str:
        """Forget the text so far, which was thinking, and return what of it was held back."""
        held, self._shown, self._held, self._begun, self._line = self._held, [], "", False, ""
        return held

    def finish(self, called: bool) -> tuple[str, list[Written]]:
        """Return what was held back and is text, or the calls it is; ``called`` says that there are real ones."""
        calls = [] if called or not self._held.strip() else self._calls(self._held)
        if calls:
            self._held = ""
        return self._show(len(self._held)), calls

    def _show(self, count: int) -> str:
        ready, self._held = self._held[:count], self._held[count:]
        if ready:
            self._shown.append(ready)
            self._begun = self._begun or not ready.isspace()
            _, newline, last = ready.rpartition("\n")
            self._line = last if newline else self._line + last
        return ready

    def _certain(self) -> int:
        """Return how many of the held characters can be no part of a call."""
        held = self._held
        if not self._begun and _may_be_json(held):
            return 0
        if not any(mark in held for mark in "<[`~"):
            return len(held)
        for found in TAG.finditer(held):
            if self._at_line_start(found.start()) and not in_code(self.shown + held[: found.start()]):
                return self._before_fence(found.start())
        line = held.rfind("\n") + 1
        tail = held[line:].lstrip()
        unsure = tail and any(tag.startswith(tail) for tag in TAGS) and self._at_line_start(line)
        return self._before_fence(line if unsure and not in_code(self.shown + held[:line]) else len(held))

    def _before_fence(self, certain: int) -> int:
        """Return where, before ``certain``, a fence begins from which on there may be nothing but calls."""
        held = self._held
        for found in FENCE_LINE.finditer(held, 0, certain):
            at = found.start()
            whole = self._at_line_start(at) and not in_code(self.shown + held[:at])
            if whole and self._may_be_calls(held[at:]):
                return at
        return certain

    def _may_be_calls(self, text: str) -> bool:
        """Tell whether a text that begins with a fence may be nothing but calls in fences."""
        closed = FENCE.match(text.lstrip()) if _may_be_json(text) else None
        if closed is None:
            return _may_be_json(text)
        rest = closed.string[closed.end() :].lstrip()
        return bool(self._calls(closed["inside"])) and (not rest or (rest[0] in "`~" and self._may_be_calls(rest)))

    def _at_line_start(self, at: int) -> bool:
        _, newline, last = self._held[:at].rpartition("\n")
        return not (last if newline else self._line + last).strip()

    def _calls(self, text: str) -> list[Written]:
        """Return the calls that make up all of a text; none where anything else stands in it."""
        calls: list[Written] = []
        text = text.strip().removeprefix("[TOOL_CALLS]")
        at = BETWEEN.match(text).end()  # type: ignore[union-attr]
        while at < len(text):
            found, end = self._next(text, at)
            if not found:
                return []
            calls += found
            at = BETWEEN.match(text, end).end()  # type: ignore[union-attr]
        return calls

    def _next(self, text: str, at: int) -> tuple[list[Written], int]:
        if fence := FENCE.match(text, at) or WRAPPED.match(text, at):
            return self._calls(fence["inside"]), fence.end()
        if function := FUNCTION.match(text, at):
            parts = PARAMETER.findall(function["inside"])
            whole = not PARAMETER.sub("", function["inside"]).strip()
            call = self._fitting(function["name"], dict(parts)) if whole else None
            return [call] if call else [], function.end()
        try:
            value, end = _decoded(text, at)
        except (ValueError, RecursionError):
            return [], at
        entries = value if isinstance(value, list) else [value]
        calls = [self._call(entry) for entry in entries]
        return [call for call in calls if call] if all(calls) else [], end

    def _call(self, entry: Any) -> Written | None:
        if not isinstance(entry, dict):
            return None
        if isinstance(entry.get("function"), dict) and set(entry) <= {"function", *OTHER_KEYS}:
            return self._call(entry["function"])
        names = [key for key in NAME_KEYS if isinstance(entry.get(key), str)]
        given = [key for key in ARGUMENT_KEYS if key in entry]
        if len(names) != 1 or len(given) > 1 or not set(entry) <= {*names, *given, *OTHER_KEYS}:
            return None
        arguments = entry[given[0]] if given else {}
        try:
            arguments = read_arguments(arguments) if isinstance(arguments, str) else arguments
        except UnreadableArgumentsError:
            return None
        return self._fitting(entry[names[0]], arguments)

    def _fitting(self, name: str, arguments: Any) -> Written | None:
        """Return the call where it names a tool and its arguments fit that tool's schema."""
        name = name if name in self._schemas else re.split(r"[./:]", name)[-1]
        schema = self._schemas.get(name)
        if schema is None or not isinstance(arguments, dict):
            return None
        known = schema.get("properties") or {}
        if not set(schema.get("required") or ()) <= set(arguments) or (known and not set(arguments) <= set(known)):
            return None
        words = [key for key, part in known.items() if part.get("type") == "string" and key in arguments]
        if not all(isinstance(arguments[key], str) for key in words):
            return None
        try:
            return Written(name, write_arguments(read_arguments(json.dumps(arguments))))
        except UnreadableArgumentsError:
            return None


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins at ``at`` and where it ends; raises ValueError and RecursionError.

    Forgives what small models write: all of it in doubled braces, as one chat template shows it, and code between
    three quotes.
    """
    decoder = json.JSONDecoder(strict=False)
    try:
        return decoder.raw_decode(text, at)
    except ValueError:
        rest = text[at:].strip()
        single = DOUBLED.sub("{", rest)
        repaired = TRIPLE.sub(lambda found: json.dumps(found[1].strip("\r\n")), single)
        value, end = decoder.raw_decode(repaired)
        if repaired == rest or repaired[end:].strip() not in ("", "}" if single != rest else ""):
            raise
        return value, len(text)


def _may_be_json(text: str) -> bool:
    """Tell whether a text so far may be the beginning of nothing but calls."""
    seen = text.lstrip()
    fence = FENCE_START.match(seen)
    if fence:
        rest = seen[fence.end() :]
        if not rest:
            return True
        seen = rest.lstrip()
        if not rest[:1].isspace():
            return False
    packed = re.sub(r"\s+", "", seen[:200]).removeprefix("[").replace("{{", "{", 1)
    return any(opener.startswith(packed) or packed.startswith(opener) for opener in OPENERS)
