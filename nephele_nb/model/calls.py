"""Assembles tool calls from streamed fragments, whatever labels a server puts on them; it never runs one."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nephele_nb.types import Message, ToolCall

from .arguments import UnreadableArgumentsError, is_whole_object, read_arguments, write_arguments

NO_NAME = "it names no tool: send the call again with the tool's name"


@dataclass(slots=True)
class Slot:
    """One call that is still coming in."""

    index: int | None = None
    id: str | None = None
    name: str = ""
    arguments: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


class CallAssembler:
    """Sorts fragments into calls by index, id, name or arrival.

    A new id that comes with a name starts a new call, and so does a fresh name once the call it would join already
    has a whole JSON object; an empty string counts as absent. ``taken`` are ids that the history uses already.
    """

    def __init__(self, tool_names: Collection[str] = (), taken: Iterable[str] = ()) -> None:
        self._tools = frozenset(tool_names)
        self._taken = set(taken)
        self._slots: list[Slot] = []

    def __bool__(self) -> bool:
        return bool(self._slots)

    def feed(self, fragment: Any) -> None:
        """Take one entry of a delta's ``tool_calls``."""
        if not isinstance(fragment, Mapping):
            return
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        name = _text(function.get("name"))
        arguments = function.get("arguments")
        if isinstance(arguments, Mapping | list):
            arguments = json.dumps(arguments, ensure_ascii=False)
        slot = self._slot(_index(fragment.get("index")), _text(fragment.get("id")), name, _text(arguments))
        slot.name = self._join_name(slot.name, name)
        slot.arguments = _join_arguments(slot.arguments, _text(arguments))
        if extra := fragment.get("extra_content"):
            slot.extra["extra_content"] = extra

    def finish(self, fault: str | None = None) -> tuple[ToolCall, ...]:
        """Return the calls in order, each with an id of its own; ``fault`` is put on all of them."""
        return tuple(self._call(slot, fault) for slot in self._slots)

    def _slot(self, index: int | None, call_id: str, name: str, arguments: str) -> Slot:
        slot = self._matching(index, call_id)
        if slot is None or self._starts_anew(slot, call_id, name, arguments):
            same_id = slot is not None and slot.id == call_id
            slot = Slot(index, None if same_id else call_id or None)
            self._slots.append(slot)
        elif slot.id is None and call_id:
            slot.id = call_id
        return slot

    def _matching(self, index: int | None, call_id: str) -> Slot | None:
        newest = list(reversed(self._slots))
        if call_id and (own := next((s for s in newest if s.id == call_id), None)):
            return own
        if index is not None:
            return next((s for s in newest if s.index == index), None)
        return newest[0] if newest else None

    def _starts_anew(self, slot: Slot, call_id: str, name: str, arguments: str) -> bool:
        if call_id and slot.id and call_id != slot.id:
            return bool(name) or is_whole_object(slot.arguments)
        if not name:
            return False
        if is_whole_object(slot.arguments):
            repeated = bool(call_id) and arguments.strip() == slot.arguments.strip()
            return not repeated if arguments.strip() else name != slot.name
        return name != slot.name and {name, slot.name} <= self._tools and slot.name + name not in self._tools

    def _join_name(self, held: str, piece: str) -> str:
        if not piece or piece == held:
            return held
        if held + piece not in self._tools and piece in self._tools:
            return piece
        return held + piece

    def _call(self, slot: Slot, fault: str | None) -> ToolCall:
        name = self._known_name(slot.name.strip())
        try:
            arguments = write_arguments(read_arguments(slot.arguments))
        except UnreadableArgumentsError as error:
            arguments, fault = "{}", fault or str(error)
        if not name:
            name, fault = "unknown", fault or NO_NAME
        return ToolCall(self._own_id(slot.id), name, arguments, fault, slot.extra)

    def _known_name(self, name: str) -> str:
        """Return the tool that is meant; any other name is brought into the form that strict servers take back."""
        last = re.split(r"[./:]", name)[-1]
        if name not in self._tools and last in self._tools:
            return last
        return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64]

    def _own_id(self, call_id: str | None) -> str:
        if call_id is None or call_id in self._taken:
            # Nine letters and digits: the one form that every strict server accepts.
            numbered = (f"call{n:05d}" for n in range(1, 100_000))
            call_id = next(made for made in numbered if made not in self._taken)
        self._taken.add(call_id)
        return call_id


def history_entry(call: ToolCall) -> Message:
    """Return the call as it stands in an assistant message."""
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function, **call.extra}


def _join_arguments(held: str, piece: str) -> str:
    if held.strip() == "{}":
        # Some gateways open with an empty object and then stream the real one.
        return piece if piece.strip() else held
    if held and held.strip() == piece.strip() and is_whole_object(held):
        return held
    return held + piece


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _index(value: Any) -> int | None:
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
