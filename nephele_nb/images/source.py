"""What a picture may be given as: a path, bytes, a data URL, a Pillow image, a figure, an array; it decodes none.

The type of a file is read from its bytes, never from its name.
"""

from __future__ import annotations

import base64
import binascii
import io
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

from ..errors import SettingError

LARGEST_FILE = 100_000_000
"""Bytes of one file."""
FORMS = "a path, bytes, a data URL, a Pillow image, a matplotlib figure or a numpy array"
NOT_PICTURES = (
    (rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!doctype\s+svg[^>]*>\s*)?<svg[\s>]", "an SVG drawing; render it as PNG"),
    (rb"\s*(<!doctype\s+html|<html|<head|<body)", "a web page, not a picture; download the picture itself"),
    (rb"\s*<\?xml", "XML, not a picture"),
    (rb"%PDF-", "a PDF; render the page as PNG, or add it to the library as a note"),
    (rb"PK\x03\x04", "a zip archive or an office file; take the picture out of it"),
    (rb"%!PS|\xc5\xd0\xd3\xc6", "PostScript; render it as PNG"),
    (
        rb".{4}ftyp(heic|heix|heim|heis|hevc|hevx|mif1|msf1)",
        "a HEIC picture; save it as JPEG first",
    ),
    (rb".{4}ftyp(?!avi[fs])", "a film, not a picture; take a frame of it"),
    (rb"\x1aE\xdf\xa3|RIFF.{4}AVI ", "a film, not a picture; take a frame of it"),
    (rb"version https://git-lfs", "a pointer of Git LFS; fetch the file itself"),
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is sent; ``note`` says in words what the user should know of it, and is mostly empty."""

    data: bytes = field(repr=False)
    mime: str
    name: str
    width: int
    height: int
    note: str = ""


def refusal(name: str, why: str) -> SettingError:
    """Return the error for a picture that can't be taken."""
    return SettingError(f"{name} can't be attached: {why}.")


def given(image: Any) -> tuple[str, Any]:
    """Return a picture's name and its bytes, Pillow image or array; raises SettingError for anything else."""
    if isinstance(image, str) and image[:5].lower() == "data:":
        return "the picture", _from_data_url(image)
    if isinstance(image, str) and re.match(r"https?://", image, re.IGNORECASE):
        raise refusal(image[:80], "an address isn't fetched; download the picture and give its path")
    if isinstance(image, str | os.PathLike):
        return _from_path(image)
    if isinstance(image, bytes | bytearray | memoryview):
        return "the picture", bytes(image)
    if _is_a(image, "PIL.Image", "Image"):
        return Path(str(getattr(image, "filename", "") or "")).name or "the picture", image
    figure = image if hasattr(image, "savefig") else getattr(image, "figure", None)
    if _is_a(figure, "matplotlib.figure", "FigureBase"):
        return "the figure", _drawn(figure)
    if _is_a(image, "numpy", "ndarray"):
        return "the array", image
    raise SettingError(f"{type(image).__name__} is no picture; give {FORMS}.")


def not_a_picture(data: bytes) -> str:
    """Return in words what bytes are instead of a picture, or an empty string."""
    if not data:
        return "it is empty"
    head = data[:2000].removeprefix(b"\xef\xbb\xbf")
    return next((f"it is {what}" for form, what in NOT_PICTURES if re.match(form, head, re.IGNORECASE | re.DOTALL)), "")


def _is_a(value: Any, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _from_path(path: str | os.PathLike[str]) -> tuple[str, bytes]:
    try:
        file = Path(path).expanduser()
        name = file.name or str(path)
        if not str(path).strip() or not file.exists():
            raise refusal(repr(str(path)), "there is no such file; check the path")
        if not file.is_file():
            raise refusal(name, "it is a folder; name a file in it" if file.is_dir() else "it is no ordinary file")
        if (size := file.stat().st_size) > LARGEST_FILE:
            raise refusal(name, f"it has {size / 1e6:,.0f} MB, and {LARGEST_FILE / 1e6:,.0f} MB is the most")
        return name, file.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:
        raise refusal(repr(str(path)[:200]), f"it can't be read ({error})") from error


def _from_data_url(url: str) -> bytes:
    head, comma, body = url.partition(",")
    try:
        if not comma:
            raise ValueError("it has no comma")
        if head.lower().endswith(";base64"):
            return base64.b64decode("".join(unquote_to_bytes(body).decode("ascii").split()), validate=True)
        return unquote_to_bytes(body)
    except (ValueError, binascii.Error) as error:
        raise refusal("the data URL", f"it is broken ({error})") from error


def _drawn(figure: Any) -> bytes:
    root = figure.get_figure(root=True) if hasattr(figure, "subfigures") and hasattr(figure, "get_figure") else figure
    sink = io.BytesIO()
    root.savefig(sink, format="png", facecolor=root.get_facecolor())
    return sink.getvalue()
