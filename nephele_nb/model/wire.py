"""What is sent: a request body from the history, and what an endpoint's refusals teach about it; pure, no network."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from nephele_nb.events import plain
from nephele_nb.types import Message

from .encoding import Made
from .sight import Sight, holds_moving, holds_pictures, refuses, shown, with_figures
from .window import learn_limit

NO_ANSWER = "(no answer)"
FILLER = "(no reasoning was kept)"
TOOLS_LEFT_OUT = "the endpoint takes no tools for this model; the request went without them"
WANTED = r"missing|required|must be|passed back|needs? to be|\bexpected"
UNWANTED = r"\bnot\b|n't\b|remove|unsupported|unknown|unexpected|unrecognized|forbidden|extra"
TOOLLESS = (
    r"(not|n't) support\w*[^.]{0,40}\b(tool|function)|support (tool|function)|tool choice requires|requires --jinja"
    r"|(tools?|functions?)\b[^.]{0,30}(not supported|unsupported|not allowed)"
    r"|(unknown|unrecognized|unexpected|unsupported|extra)[^.]{0,40}\btools\b"
)
MOST_SQUEEZED = 4
SIMPLE = {"role", "content", "reasoning_content", "_origin"}
ID_SHAPE = r"tool.?call.{0,20}\bid\b.*length|\bid\b.*too long|too long.*\bid\b"


@dataclass(frozen=True, slots=True)
class Quirks:
    """How one endpoint wants its requests.

    ``reasoning`` and ``signatures`` (opaque fields on tool calls) go back to the endpoint that issued them
    (``own``), with every tool-calling turn (``all``), or ``never``. ``moving`` says that it takes pictures that move,
    ``seen`` that it has taken a picture. ``window`` is how many tokens it said it takes (0: it said nothing),
    ``squeezed`` how often what we took for that was still too much.
    """

    reasoning: Literal["own", "all", "never"] = "own"
    signatures: Literal["own", "all", "never"] = "own"
    stream_options: bool = True
    tools: bool = True
    tool_choice: bool = True
    short_ids: bool = False
    images: bool = True
    moving: bool = True
    seen: bool = False
    window: int = 0
    squeezed: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What requests to this endpoint have to do without, in words."""
        return () if self.tools else (TOOLS_LEFT_OUT,)


def request_body(
    messages: Sequence[Message],
    *,
    model: str,
    origin: str = "",
    tools: Sequence[Mapping[str, Any]] = (),
    tool_choice: Any = None,
    quirks: Quirks = Quirks(),
    sight: Sight | None = None,
    made: Made | None = None,
) -> dict[str, Any]:
    """Return the body of one streaming request; ``origin`` names the endpoint that will get it.

    ``made`` holds what was made of each message and tool last time, for the same origin, quirks and sight.
    """
    body: dict[str, Any] = {"model": model, "stream": True}
    sight = replace(sight or Sight(), pictures=quirks.images, moving=quirks.moving)
    made = made or Made()
    body["messages"] = made.messages.of(with_figures(messages, sight), lambda m: _sent(m, origin, quirks, sight))
    if quirks.stream_options:
        body["stream_options"] = {"include_usage": True}
    with_tools = bool(tools) and quirks.tools and (quirks.tool_choice or tool_choice != "none")
    if with_tools:
        body["tools"] = made.tools.of(tools, plain)
    if with_tools and tool_choice is not None and quirks.tool_choice:
        body["tool_choice"] = tool_choice
    return body


def learn(quirks: Quirks, status: int, error_text: str, body: Mapping[str, Any]) -> Quirks | None:
    """Return the quirks with the one change that this refusal asks for, or None where it asks for none we know."""
    if status not in (400, 404, 413, 422, 500):
        return None
    text = error_text.lower()
    if refuses(text) and holds_pictures(body["messages"]):
        return _without_pictures(quirks, body)
    if limit := learn_limit(text, body["messages"]):
        if not quirks.window or limit < quirks.window:
            return replace(quirks, window=limit, squeezed=0)
        return replace(quirks, squeezed=quirks.squeezed + 1) if quirks.squeezed < MOST_SQUEEZED else None
    changed = _learn_tools(quirks, text, body) if status in (404, 500) else _learn(quirks, text, body)
    return None if changed == quirks else changed


def guess(quirks: Quirks, status: int, body: Mapping[str, Any]) -> Quirks | None:
    """Return the quirks of an endpoint that says no without a reason we know: pictures may be what it can't take.

    One that fails (500) may only be out of order; pictures are held to be why where it has never taken any, and they
    come from earlier messages, which would make each one to come fail too.
    """
    if not holds_pictures(body["messages"]):
        return None
    asked = [message for message in body["messages"] if message["role"] == "user"][-1:]
    poisoned = status == 500 and not quirks.seen and not holds_pictures(asked)
    return _without_pictures(quirks, body) if poisoned or status in (400, 413, 415, 422) else None


def _without_pictures(quirks: Quirks, body: Mapping[str, Any]) -> Quirks:
    if quirks.moving and holds_moving(body["messages"]):
        return replace(quirks, moving=False)
    return replace(quirks, images=False)


def error_text(body: Any) -> str:
    """Return what an error body says, whatever its shape."""
    if isinstance(body, Mapping):
        for name in ("error", "message", "detail", "msg"):
            if body.get(name):
                return error_text(body[name])
    if isinstance(body, str):
        return body.strip()
    try:
        return json.dumps(plain(body), ensure_ascii=False) if body else ""
    except RecursionError:
        return "(JSON nested too deep to be read)"


def _learn(quirks: Quirks, text: str, body: Mapping[str, Any]) -> Quirks:
    messages = body["messages"]
    calls = [call for m in messages for call in m.get("tool_calls") or ()]
    wanted = re.search(WANTED, text) and not re.search(UNWANTED, text)
    if "reasoning" in text and calls and wanted and quirks.reasoning != "all":
        return replace(quirks, reasoning="all")
    if "reasoning" in text and any("reasoning_content" in m for m in messages):
        return replace(quirks, reasoning="never")
    if re.search(r"thought.?signature", text) and calls and quirks.signatures != "all":
        return replace(quirks, signatures="all")
    if "extra_content" in text and any("extra_content" in call for call in calls):
        return replace(quirks, signatures="never")
    if "stream_options" in text and "stream_options" in body:
        return replace(quirks, stream_options=False)
    if "tool_choice" in text and "tool_choice" in body:
        return replace(quirks, tool_choice=False)
    if re.search(ID_SHAPE, text, re.DOTALL) and calls and not quirks.short_ids:
        return replace(quirks, short_ids=True)
    return _learn_tools(quirks, text, body)


def _learn_tools(quirks: Quirks, text: str, body: Mapping[str, Any]) -> Quirks:
    return replace(quirks, tools=False) if "tools" in body and re.search(TOOLLESS, text) else quirks


def _sent(message: Message, origin: str, quirks: Quirks, sight: Sight) -> Message:
    """Return a message as it is sent: no private keys, and only what this endpoint issued or asks for."""
    content = message.get("content")
    if content and isinstance(content, str) and message.keys() <= SIMPLE:
        # Most of a long history goes this way, which takes a tenth of the time.
        return {"role": message["role"], "content": plain(content)}
    own = message.get("_origin", origin) == origin
    sent: Message = plain({k: v for k, v in message.items() if not k.startswith("_") and k != "reasoning_content"})
    if isinstance(content, list):
        sent["content"] = shown(content, sight)
    calls = sent.get("tool_calls")
    if not calls:
        sent.pop("tool_calls", None)
        if sent["role"] == "assistant" and not sent.get("content"):
            sent["content"] = NO_ANSWER
    elif quirks.reasoning == "all" or (quirks.reasoning == "own" and own):
        thought = message.get("reasoning_content") or (FILLER if quirks.reasoning == "all" else "")
        if thought:
            sent["reasoning_content"] = plain(thought)
    for call in calls or ():
        if quirks.signatures == "never" or (quirks.signatures == "own" and not own):
            call.pop("extra_content", None)
        if quirks.short_ids:
            call["id"] = _short(call["id"])
    if quirks.short_ids and "tool_call_id" in sent:
        sent["tool_call_id"] = _short(sent["tool_call_id"])
    return sent


def _short(call_id: str) -> str:
    """Return nine letters and digits that stand for an id, the same ones each time."""
    if re.fullmatch(r"[A-Za-z0-9]{9}", call_id):
        return call_id
    return hashlib.sha256(call_id.encode()).hexdigest()[:9]
