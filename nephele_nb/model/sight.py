"""What a request shows of a conversation's pictures: themselves, a still, or words in their place; pure, no network."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nephele_nb.types import Message

FIGURES = "[figures of the code that ran follow]"
LEFT_OUT = "[a picture is left out here: this endpoint takes none]"
GONE = "[a picture is left out here: its file is no longer there]"
OURS = "nephele-picture:"
REFUSED = r"image|vision|multimodal|multi-modal"
PLAIN_ONLY = (
    r"content.{0,80}(string|str\b|text)|(expected|must be|should be|valid) (a )?(string|str)\b|invalid type: sequence"
)
APNG_HEAD = 400
"""Characters of a PNG's data URL within which its animation is announced."""

Unseen = Literal["", "pictures_unseen", "pictures_still"]
Look = Callable[[str, bool], str | None]
"""Gives the data URL of a picture's reference, of its first frame where the flag says so; None where it is gone."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What one endpoint may be shown."""

    pictures: bool = True
    moving: bool = True
    figures: bool = True
    look: Look | None = None

    def url(self, reference: str) -> str | None:
        """Return what is sent for a picture, or None where it is gone."""
        if self.look is None or not reference.startswith(OURS):
            return reference
        url = self.look(reference, False)
        return self.look(reference, True) if url and not self.moving and moves(url) else url


def with_figures(messages: Sequence[Message], sight: Sight) -> Iterator[Message]:
    """Yield the messages, each block of tool results followed by its figures: results themselves can hold none.

    The assistant's line between keeps user and assistant in turn.
    """
    figures: list[str] = []
    for message in [*messages, None]:
        if figures and (message is None or message["role"] != "tool"):
            yield {"role": "assistant", "content": FIGURES}
            yield {"role": "user", "content": [_picture(url) for url in figures]}
            figures = []
        if message is not None:
            yield message
            figures += message.get("_images", ()) if sight.pictures and sight.figures else ()


def shown(content: Sequence[Mapping[str, Any]], sight: Sight) -> list[dict[str, Any]]:
    """Return a message's parts as they are sent."""
    return [_part(part, sight) for part in content]


def holds_pictures(messages: Sequence[Message]) -> bool:
    """Tell whether there is a picture in messages as they are sent."""
    return any(True for _ in _urls(messages))


def holds_moving(messages: Sequence[Message]) -> bool:
    """Tell whether one of the pictures in messages as they are sent moves."""
    return any(moves(url) for url in _urls(messages))


def refuses(text: str) -> bool:
    """Tell whether a refusal (in small letters) speaks of pictures, or of content that must be plain text."""
    return bool(re.search(REFUSED, text) or re.search(PLAIN_ONLY, text))


def unseen(messages: Sequence[Message], sight: Sight) -> Unseen:
    """Return what the endpoint could not see of the pictures the user sent last."""
    asked = [m for m in messages if m["role"] == "user" and isinstance(m["content"], list)][-1:]
    urls = list(_urls(asked))
    if not urls or (sight.pictures and sight.moving):
        return ""
    if not sight.pictures:
        return "pictures_unseen"
    seen = (sight.look(url, False) if sight.look and url.startswith(OURS) else url for url in urls)
    return "pictures_still" if any(moves(url) for url in seen if url) else ""


def moves(url: str) -> bool:
    """Tell whether a data URL holds a picture that moves."""
    head, _, body = url.partition(",")
    if head.startswith(("data:image/gif", "data:image/webp")):
        return True
    try:
        return head.startswith("data:image/png") and b"acTL" in base64.b64decode(body[:APNG_HEAD])
    except binascii.Error:
        return False


def _urls(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            if part.get("type") == "image_url":
                yield part["image_url"]["url"]


def _part(part: Mapping[str, Any], sight: Sight) -> dict[str, Any]:
    if part.get("type") != "image_url":
        return dict(part)
    if not sight.pictures:
        return {"type": "text", "text": LEFT_OUT}
    url = sight.url(part["image_url"]["url"])
    return _picture(url) if url else {"type": "text", "text": GONE}


def _picture(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}
