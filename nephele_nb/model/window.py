"""Fits a conversation into a model's context window: oldest first, calls with their results; it never edits history.

Of a conversation that is too long, first the results of tools that take more than a quarter of the room lose their
middle, then the oldest messages are left out, a call never without its result, and never the system text or the
user's newest message. What is left out grows by quarters of the room, so that requests in between begin alike and a
provider's prompt cache holds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nephele_nb.types import Message

TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|maximum.{0,20}tokens|too many tokens|prompt is too long|input is too long"
    r"|exceeds?.{0,40}(context|token)|n_ctx|reduce the length",
    re.IGNORECASE,
)
LIMIT = (
    r"(?:context (?:length|window|size)|maximum|max_model_len|limit|n_ctx)\D{0,40}?(\d[\d,_]{2,})",
    r"> ?(\d[\d,_]{2,}) ?maximum",
    r"(\d[\d,_]{2,}) ?tokens? (?:limit|maximum)",
)
LEFT_OUT = "[{count} earlier messages of this conversation are left out here, for want of room]"
MIDDLE = "\n… {count} characters left out here, for want of room …\n"
FOR_THE_ANSWER = 4096
MESSAGE_TOKENS = 6
PICTURE_TOKENS = 1000
ASCII_PER_TOKEN = 3.3
SQUEEZE = 0.75


@dataclass(frozen=True, slots=True)
class Fitted:
    """The messages that go out, and how many are not among them."""

    messages: Sequence[Message]
    left_out: int = 0


def room(limit: int, tools: Sequence[Mapping[str, Any]], squeezed: int = 0) -> int:
    """Return the tokens that messages may take within ``limit``; ``squeezed`` is how often that was too much."""
    free = limit * SQUEEZE**squeezed - min(FOR_THE_ANSWER, limit / 4)
    return max(0, int(free) - sum(text_tokens(json.dumps(tool)) for tool in tools))


def fit(messages: Sequence[Message], tokens: int) -> Fitted:
    """Return what fits into ``tokens``, as nearly as it can be estimated; where nothing does, the least there can be.

    Roles still alternate, and each call has its result.
    """
    if sum(map(_length, messages)) <= tokens or sum(map(message_tokens, messages)) <= tokens:
        return Fitted(messages)
    fitted = Fitted(messages)
    for share in (4, 8, 16):
        fitted = _without_oldest([_shortened(m, tokens // share) for m in messages], tokens)
        if sum(map(message_tokens, fitted.messages)) <= tokens:
            break
    return fitted


def learn_limit(text: str, sent: Sequence[Message]) -> int | None:
    """Return the limit that a refusal names, else one a little below what was sent; None for any other refusal."""
    if not TOO_LONG.search(text):
        return None
    for pattern in LIMIT:
        if found := re.search(pattern, text, re.IGNORECASE):
            return int(re.sub(r"\D", "", found[1]))
    return int(sum(map(message_tokens, sent)) * SQUEEZE)


def request_tokens(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] = ()) -> int:
    """Return about how many tokens a whole request takes."""
    return sum(map(message_tokens, messages)) + sum(text_tokens(json.dumps(tool)) for tool in tools)


def text_tokens(text: str) -> int:
    """Return about how many tokens a text takes: rather too many than too few."""
    return counted(len(text), 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore")))


def counted(characters: int, wide: int) -> int:
    """Return about how many tokens so many characters take, of which ``wide`` are beyond ASCII."""
    return math.ceil((characters - wide) / ASCII_PER_TOKEN) + wide


def message_tokens(message: Message) -> int:
    """Return about how many tokens a message takes, its figures included."""
    pictures = len(message.get("_images") or ())
    count = MESSAGE_TOKENS + PICTURE_TOKENS * pictures
    content = message.get("content") or ""
    parts = content if isinstance(content, list) else [{"text": content}]
    count += sum(text_tokens(str(p.get("text") or "")) + PICTURE_TOKENS * ("image_url" in p) for p in parts)
    if message.get("tool_calls"):
        count += text_tokens(json.dumps(message["tool_calls"], ensure_ascii=False))
        count += text_tokens(message.get("reasoning_content") or "")
    return count


def _length(message: Message) -> int:
    """Return more tokens than a message can take, at next to no cost."""
    calls = sum(len(call["function"]["arguments"]) + 100 for call in message.get("tool_calls") or ())
    content = message.get("content") or ""
    pictures = len(message.get("_images") or ()) + (len(content) if isinstance(content, list) else 0)
    thought = len(message.get("reasoning_content") or "")
    return len(str(content)) + calls + thought + MESSAGE_TOKENS + PICTURE_TOKENS * pictures


def _without_oldest(messages: Sequence[Message], tokens: int) -> Fitted:
    excess = sum(map(message_tokens, messages)) + MESSAGE_TOKENS + text_tokens(LEFT_OUT) - tokens
    if excess <= 0:
        return Fitted(messages)
    newest = max((n for n, m in enumerate(messages) if m["role"] == "user"), default=-1)
    units = [unit for unit in list(_units(messages))[:-1] if newest not in unit]
    quarter = max(1, tokens // 4)
    wanted, dropped = math.ceil(excess / quarter) * quarter, set[int]()
    for unit in units:
        if wanted <= 0:
            break
        wanted -= sum(message_tokens(messages[n]) for n in unit)
        dropped |= set(unit)
    kept = [m for n, m in enumerate(messages) if n not in dropped]
    return Fitted(_marked(kept, len(dropped)) if dropped else kept, len(dropped))


def _units(messages: Sequence[Message]) -> Iterator[range]:
    """Yield what can only go together: a call with its results, or one message; the system text is in none."""
    start = 1 if messages and messages[0]["role"] == "system" else 0
    for n in range(start, len(messages)):
        if n + 1 == len(messages) or messages[n + 1]["role"] != "tool":
            yield range(start, n + 1)
            start = n + 1


def _marked(messages: list[Message], count: int) -> list[Message]:
    """Return the messages with a line where some are missing, in a user's turn so that roles alternate."""
    place = 1 if messages[0]["role"] == "system" else 0
    line = LEFT_OUT.format(count=count)
    first = messages[place]
    if first["role"] != "user":
        return [*messages[:place], {"role": "user", "content": line}, *messages[place:]]
    content = first["content"]
    content = f"{line}\n\n{content}" if isinstance(content, str) else [{"type": "text", "text": line}, *content]
    return [*messages[:place], first | {"content": content}, *messages[place + 1 :]]


def _shortened(message: Message, tokens: int) -> Message:
    """Return a tool's result without its middle where it takes more than ``tokens``."""
    content = message.get("content")
    if message["role"] != "tool" or not isinstance(content, str) or len(content) <= tokens:
        return message
    taken = text_tokens(content)
    if taken <= tokens:
        return message
    keep = max(80, len(content) * tokens // taken - len(MIDDLE))
    head, tail = keep * 3 // 5, keep - keep * 3 // 5
    middle = MIDDLE.format(count=len(content) - keep)
    return message | {"content": content[:head] + middle + content[len(content) - tail :]}
