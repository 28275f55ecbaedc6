"""Pictures kept by their hash in one folder, and named in messages by a short reference; it never decides who sees one.

A message holds ``nephele-picture:<hash>.<ending>``, so that neither history nor journal grows with a picture.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import SettingError
from .prepare import figure, first_frame
from .source import Picture, given

PREFIX = "nephele-picture:"
REFERENCE = re.compile(rf"{PREFIX}([0-9a-f]{{32}})\.(jpg|png|gif|webp)")
MIMES = {"jpg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp"}
ENDINGS = {mime: ending for ending, mime in MIMES.items()}


@dataclass(frozen=True, slots=True)
class Kept:
    """Figures as they were kept: their references, and in words why others were not."""

    references: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class Album:
    """The pictures of one home; where its folder can't be written they last as long as the kernel."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._urls: dict[tuple[str, bool], str] = {}

    def keep(self, picture: Picture) -> str:
        """Keep a picture and return its reference, the same for the same bytes."""
        name = f"{sha256(picture.data).hexdigest()[:32]}.{ENDINGS[picture.mime]}"
        path = self._folder / name
        try:
            if not path.exists():
                self._folder.mkdir(parents=True, exist_ok=True)
                part = path.with_suffix(f".{id(picture):x}.part")
                part.write_bytes(picture.data)
                part.replace(path)
        except OSError:
            self._urls[(PREFIX + name, False)] = _data_url(picture.mime, picture.data)
        return PREFIX + name

    def kept(self, image: Any) -> Any:
        """Return the picture that a reference names, as a data URL; anything else as it is."""
        named = isinstance(image, str) and REFERENCE.fullmatch(image)
        return (named and self.url(image)) or image

    def keep_figures(self, urls: Sequence[str]) -> Kept:
        """Keep figures that come as data URLs; blocks for as long as decoding takes."""
        references: list[str] = []
        refused: list[str] = []
        for url in urls:
            try:
                references.append(self.keep(figure(given(url)[1])))
            except SettingError as error:
                refused.append(str(error))
        return Kept(tuple(references), tuple(refused))

    def url(self, reference: str, still: bool = False) -> str | None:
        """Return a kept picture as a data URL, its first frame where ``still``; None where it is no longer there."""
        key = (reference, still)
        if key not in self._urls and (found := REFERENCE.fullmatch(reference)):
            with suppress(OSError, SettingError):
                data, mime = (self._folder / f"{found[1]}.{found[2]}").read_bytes(), MIMES[found[2]]
                if still and mime != "image/jpeg":
                    frame = first_frame(data)
                    data, mime = frame.data, frame.mime
                self._urls[key] = _data_url(mime, data)
        return self._urls.get(key)


def content(text: str, references: Sequence[str]) -> str | list[dict[str, Any]]:
    """Return the content of a user's message: its text, or parts where pictures go with it."""
    if not references:
        return text
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    return parts + [{"type": "image_url", "image_url": {"url": reference}} for reference in references]


def _data_url(mime: str, data: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"
