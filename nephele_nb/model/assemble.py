"""Assembles one reply from parsed stream chunks, whatever they look like; it reads no network and runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nephele_nb.types import Message, Usage

from .calls import CallAssembler, history_entry
from .delta import Piece, Reply, TextDelta, ThinkingDelta
from .prose import ProseCalls
from .tail import Ended, Tail
from .thinking import ThinkingSplitter

__all__ = ["Assembler", "Reply", "TextDelta", "ThinkingDelta"]

CUT_SHORT = {
    "length": "the reply was cut by the output limit: send a shorter one",
    "content_filter": "the reply was stopped by the provider's content filter",
    "loop": "the reply repeated itself without end: send a shorter one",
    "long": "the reply was longer than is taken: send a shorter one",
    "cap": "the reply reached the cap on what may be spent",
}
NOT_CONFIRMED = "the stream ended before the call was complete: send it again"
THINKING_FIELDS = ("reasoning_content", "reasoning")


class Assembler:
    """One reply in the making.

    ``tools`` are the tools the model may call, ``taken`` the call ids that the history uses already; ``origin``
    is kept with the message, so that opaque fields go back only to the endpoint that issued them. A reply of more than
    ``longest`` tokens is taken as ended there.
    """

    def __init__(
        self,
        tools: Sequence[Mapping[str, Any]] = (),
        *,
        taken: Iterable[str] = (),
        origin: str = "",
        longest: int | None = None,
    ) -> None:
        self.calls = CallAssembler([str(tool.get("function", {}).get("name")) for tool in tools], taken)
        self.usage: Usage | None = None
        self.finish_reason: str | None = None
        self._origin = origin
        self._longest = longest
        self._splitter = ThinkingSplitter()
        self._fields: dict[str, str] = {}
        self._thinking = ""
        self._high = ""
        self._prose = ProseCalls(tools)
        self._tails = {name: Tail() for name in ("text", "thinking", "arguments")}

    @property
    def ended(self) -> Ended:
        """Why the answer is taken as ended though the stream goes on; empty while it is not."""
        if self._longest is not None and self.tokens > self._longest:
            return "cap"
        return next((tail.ended for tail in self._tails.values() if tail.ended), "")

    @property
    def tokens(self) -> int:
        """About how many tokens the reply has taken so far."""
        return sum(tail.tokens for tail in self._tails.values())

    def feed(self, chunk: Mapping[str, Any]) -> list[Piece]:
        """Take one parsed chunk and return what it adds to the answer and to the thinking."""
        self._count(chunk)
        given: list[Piece] = []
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                self.finish_reason = _word(choice.get("finish_reason")) or self.finish_reason
                delta = choice.get("delta") or choice.get("message")
                if isinstance(delta, dict):
                    given += self._take(delta)
        return given

    def finish(self, terminal: bool) -> tuple[list[Piece], Reply]:
        """Return what was held back and the reply; ``terminal`` says that the stream's end was marked."""
        lost, self._high = bool(self._high), ""
        given = self._split("\ufffd" if lost else "") + self._through(self._splitter.finish())
        splitter = self._splitter
        if self.ended:
            self.finish_reason = "stop" if self.ended == "blank" else self.ended
        short = CUT_SHORT.get(self.finish_reason or "")
        rest, written = self._prose.finish(bool(self.calls))
        given += [TextDelta(rest)] if rest else []
        for call in written:
            self.calls.feed({"function": {"name": call.name, "arguments": call.arguments}})
        # Text with its usage is whole even where the end was not marked; a call never is.
        whole = terminal or (self.usage is not None and not self.calls)
        fault = short or (None if whole else NOT_CONFIRMED)
        calls = self.calls.finish(fault)
        text = self._prose.shown
        entries = [history_entry(call) for call in calls]
        return given, Reply(
            text=text,
            thinking=self._thinking + splitter.thinking,
            calls=calls,
            finish_reason=self.finish_reason,
            usage=self.usage or Usage(steps=1),
            cut=bool(fault) or splitter.unclosed,
            message=self._message(text, entries),
            told=not calls and self._prose.told(),
        )

    def _message(self, text: str, entries: list[Message]) -> Message:
        message: Message = {"role": "assistant", "content": text or (None if entries else "")}
        if entries:
            message["tool_calls"] = entries
        if self._thinking:
            message["reasoning_content"] = self._thinking
        if self._origin:
            message["_origin"] = self._origin
        return message

    def _take(self, delta: Mapping[str, Any]) -> list[Piece]:
        given: list[Piece] = []
        for field in THINKING_FIELDS:
            given += self._think(field, delta.get(field))
        if delta.get("reasoning_details"):
            given += self._think("reasoning_details", _parts(delta["reasoning_details"], "text"))
        content = delta.get("content")
        if isinstance(content, list):
            given += self._think("content", _parts(content, "thinking"))
            content = _parts([part for part in content if not _is_thinking(part)], "text")
        given += self._split(content if isinstance(content, str) else "")
        if isinstance(refusal := delta.get("refusal"), str) and refusal:
            given += self._split(refusal)
        fragments = delta.get("tool_calls")
        for fragment in fragments if isinstance(fragments, list) else [fragments] if fragments else ():
            self._call(fragment)
        if isinstance(delta.get("function_call"), dict):
            self._call({"index": 0, "function": delta["function_call"]})
        return given

    def _call(self, fragment: Any) -> None:
        function = fragment.get("function") if isinstance(fragment, dict) else None
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if isinstance(arguments, str):
            self._tails["arguments"].take(arguments)
        self.calls.feed(fragment)

    def _think(self, field: str, piece: Any) -> list[Piece]:
        """Take thinking from one field; what another field has brought already is not given twice."""
        if not isinstance(piece, str) or not piece:
            return []
        said = self._fields[field] = self._fields.get(field, "") + piece
        if len(self._fields) > 1:
            if self._thinking.startswith(said):
                return []
            if said.startswith(self._thinking):
                piece = said[len(self._thinking) :]
        piece = self._tails["thinking"].take(piece)
        self._thinking += piece
        return [ThinkingDelta(piece)] if piece else []

    def _split(self, content: str) -> list[Piece]:
        """Take a piece of content; the halves of a surrogate pair may come in two pieces."""
        content = self._high + content
        self._high = ""
        if content and "\ud800" <= content[-1] <= "\udbff":
            content, self._high = content[:-1], content[-1]
        if not content.isascii():
            content = content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        content = self._tails["text"].take(content)
        return self._through(self._splitter.feed(content)) if content else []

    def _through(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the pieces without text that may be a call."""
        given: list[Piece] = []
        for piece in pieces:
            if isinstance(piece, ThinkingDelta):
                given.append(piece)
            elif piece.restart:
                held = self._prose.restart()
                given += [piece, *([ThinkingDelta(held)] if held else [])]
            elif text := self._prose.feed(piece.text):
                given.append(TextDelta(text))
        return given

    def _count(self, chunk: Mapping[str, Any]) -> None:
        vendor = chunk.get("x_groq")
        usage = chunk.get("usage") or (vendor.get("usage") if isinstance(vendor, dict) else None)
        if isinstance(usage, dict):
            self.usage = read_usage(usage)


def read_usage(usage: Mapping[str, Any]) -> Usage:
    """Return the tokens of one step from a provider's ``usage`` object; what is missing counts 0."""
    asked, made = _number(usage.get("prompt_tokens")), _number(usage.get("completion_tokens"))
    return Usage(
        input=asked,
        output=made,
        cached=_inside(usage.get("prompt_tokens_details"), "cached_tokens")
        or _number(usage.get("prompt_cache_hit_tokens")),
        reasoning=_inside(usage.get("completion_tokens_details"), "reasoning_tokens"),
        total=_number(usage.get("total_tokens")) or asked + made,
        steps=1,
    )


def _inside(details: Any, name: str) -> int:
    return _number(details.get(name)) if isinstance(details, Mapping) else 0


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value < 1e15 else 0


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _is_thinking(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "thinking"


def _parts(parts: Any, field: str) -> str:
    """Return the texts under ``field`` of a list of content parts, nested lists included, as one."""
    if not isinstance(parts, list):
        return ""
    inside = [part.get(field) for part in parts if isinstance(part, Mapping)]
    return "".join(_parts(value, "text") if isinstance(value, list) else _word(value) for value in inside)
