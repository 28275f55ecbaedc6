"""Pictures that tests draw, and what came out of them."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

from PIL import Image

from nephele_nb.images import Picture

CASES = Path(__file__).parent.parent / "fixtures" / "images"
WHITE, BLACK, RED, BLUE, GREEN = (255, 255, 255), (0, 0, 0), (255, 0, 0), (0, 0, 255), (0, 255, 0)


def quarters() -> Image.Image:
    """Return 64 × 32 pixels that look different whichever way they lie: blue, red above green, white."""
    image = Image.new("RGB", (64, 32), WHITE)
    image.paste(BLUE, (0, 0, 32, 16))
    image.paste(RED, (32, 0, 64, 16))
    image.paste(GREEN, (0, 16, 32, 32))
    return image


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    """Return an image as the bytes of a file."""
    sink = io.BytesIO()
    image.save(sink, form, **options)
    return sink.getvalue()


def seen(picture: Picture, *places: tuple[int, int]) -> list[Any]:
    """Return the colours at some places of a picture as it is sent."""
    with Image.open(io.BytesIO(picture.data)) as image:
        assert image.format == "JPEG"
        assert image.size == (picture.width, picture.height)
        return [image.convert("RGB").getpixel(place) for place in places]


def near(colour: Any, wanted: Any, most: int = 8) -> bool:
    """Tell whether a colour is what was wanted, as nearly as JPEG keeps it."""
    return all(abs(a - b) <= most for a, b in zip(colour, wanted, strict=True))


def png(width: int, height: int, body: bytes = b"\0" * 100) -> bytes:
    """Return a PNG that says it has so many pixels, whatever it holds."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")
