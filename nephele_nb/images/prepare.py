"""One picture made ready to be sent: checked, upright, on white, small enough; it never changes the user's file.

A moving picture stays as it is. Whatever can't be decoded is refused in words, and a picture of too many pixels
before it is decoded.
"""

from __future__ import annotations

import io
import struct
import threading
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import SettingError
from .colour import from_array, on_white
from .source import Picture, given, not_a_picture, refusal

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST_SIDE = 1536
QUALITY = 85
MOST_PIXELS = 89_000_000
LARGEST_MOVING = 20_000_000
"""Bytes of a moving picture, which is sent whole."""
MOST_PICTURES = 16
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP", "DIB", "ICO", "PPM", "JPEG2000", "AVIF", "PSD")
"""What is decoded; the rest either runs other programs or is no picture of pixels."""
MOVING = {"GIF": "image/gif", "WEBP": "image/webp", "PNG": "image/png"}
ORIENTATION = 0x0112
BROKEN = (
    OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, LookupError, TypeError, ArithmeticError,
    AttributeError, RuntimeError, MemoryError, NotImplementedError, AssertionError, Warning,
)  # fmt: skip
"""What decoders raise for broken bytes."""


def listed(images: Any) -> list[Any]:
    """Return what was given as a list, one picture alone too."""
    found = list(images) if isinstance(images, list | tuple) else [] if images is None else [images]
    if len(found) > MOST_PICTURES:
        raise SettingError(f"{len(found)} pictures are too many for one message; {MOST_PICTURES} are the most.")
    return found


def prepare(image: Any) -> Picture:
    """Return a picture as it is sent; raises SettingError, which says what is wrong and what to do.

    A still becomes a JPEG of at most 1536 pixels a side, never enlarged; a moving GIF, WebP or APNG stays byte for
    byte.
    """
    name, source = given(image)
    if not isinstance(source, bytes):
        return _of_object(name, source)
    with _opened(name, source) as opened:
        mime = MOVING.get(opened.format or "") if getattr(opened, "is_animated", False) else None
        if mime and len(source) <= LARGEST_MOVING:
            opened.load()
            return Picture(source, mime, name, *opened.size)
        note = "it is too large to be sent moving, so its first frame is" if mime else _pages(opened)
        return _still(name, opened, note)


def first_frame(data: bytes) -> Picture:
    """Return the first frame of a moving picture as a still on white; raises SettingError."""
    with _opened("the picture", data) as opened:
        return _still("the picture", opened, "")


def figure(data: bytes) -> Picture:
    """Return a figure that code drew; one that is small, opaque and in sRGB stays as it is. Raises SettingError."""
    with _opened("the figure", data) as opened:
        mime = {"PNG": "image/png", "JPEG": "image/jpeg"}.get(opened.format or "")
        moving = getattr(opened, "is_animated", False)
        opened.load()
        if mime and not moving and _sends_well(opened):
            return Picture(data, mime, "the figure", *opened.size)
    return prepare(data)


def _sends_well(image: Image) -> bool:
    plain = image.mode in ("RGB", "L") and "transparency" not in image.info
    if image.mode == "RGBA":
        plain = image.getchannel("A").getextrema() == (255, 255)
    return plain and max(image.size) <= LONGEST_SIDE and "icc_profile" not in image.info and _orientation(image) == 1


@contextmanager
def _opened(name: str, data: bytes) -> Iterator[Image]:
    """Open a picture's bytes; whatever its decoder raises, then or later, is told in words."""
    import PIL.Image

    if why := not_a_picture(data):
        raise refusal(name, why)
    PIL.Image.init()
    formats = [name for name in FORMATS if name in PIL.Image.OPEN]
    bomb = (PIL.Image.DecompressionBombError, PIL.Image.DecompressionBombWarning)
    try:
        with _quiet(), PIL.Image.open(io.BytesIO(data), formats=formats) as image:
            _check_size(name, image.size)
            yield image
    except SettingError:
        raise
    except bomb as error:
        raise refusal(name, f"it has more than {MOST_PIXELS / 1e6:.0f} million pixels; make it smaller") from error
    except PIL.UnidentifiedImageError as error:
        what = (
            "an AVIF picture, which this Pillow can't read" if data[4:12] == b"ftypavif" else "no picture we can read"
        )
        raise refusal(name, f"it is {what} (its bytes begin with {data[:8]!r}); save it as PNG or JPEG") from error
    except BROKEN as error:
        raise refusal(name, f"it is broken or cut off ({str(error) or type(error).__name__})") from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep a decoder's warnings out of the user's cell; the filters are the process's, and the main thread's to set."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _check_size(name: str, size: tuple[int, int]) -> None:
    width, height = size
    if width * height > MOST_PIXELS:
        most = f"{MOST_PIXELS / 1e6:.0f} million is the most; make it smaller"
        raise refusal(name, f"it has {width * height / 1e6:,.0f} million pixels, and {most}")
    if not width or not height:
        raise refusal(name, "it has no pixels")


def _of_object(name: str, source: Any) -> Picture:
    """Return a picture from a Pillow image or an array."""
    try:
        if not hasattr(source, "getexif"):
            _check_size(name, (*source.shape, 1, 1)[:2])
            return _encoded(name, on_white(from_array(source)), "")
        with _quiet():
            _check_size(name, source.size)
            source.load()
            return _encoded(name, _upright(on_white(source), _orientation(source)), "")
    except SettingError:
        raise
    except BROKEN as error:
        raise refusal(name, str(error) or type(error).__name__) from error


def _still(name: str, image: Image, note: str) -> Picture:
    image.draft(image.mode, (2 * LONGEST_SIDE, 2 * LONGEST_SIDE))
    image.load()
    turn = _orientation(image)
    if image.mode == "CMYK" and image.format == "JPEG" and "adobe" not in image.info:
        from PIL import ImageChops

        # Pillow takes every such file for Adobe's, whose values are turned round.
        image = ImageChops.invert(image)
    return _encoded(name, _upright(on_white(image), turn), note)


def _encoded(name: str, image: Image, note: str) -> Picture:
    from PIL.Image import Resampling

    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Resampling.LANCZOS)
    image.info = {}
    sink = io.BytesIO()
    image.save(sink, "JPEG", quality=QUALITY)
    return Picture(sink.getvalue(), "image/jpeg", name, *image.size, note)


def _orientation(image: Image) -> int:
    """Return how the picture lies, 1 to 8; 1 where its metadata are missing, broken or say what can't be."""
    try:
        value = image.getexif().get(ORIENTATION)
    except BROKEN:
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _upright(image: Image, orientation: int) -> Image:
    from PIL.Image import Transpose

    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    return image.transpose(turns[orientation]) if orientation in turns else image


def _pages(image: Image) -> str:
    pages = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    return f"it is the first of {pages} pages" if pages > 1 else ""
