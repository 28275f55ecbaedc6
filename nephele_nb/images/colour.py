"""Colour made what a screen shows: any mode of Pillow, any range of an array, as sRGB on white; it reads no file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image

DEPTHS = (8, 10, 12, 14, 16)
"""The usual depths of a camera's or a scanner's samples, in bits."""
LARGEST_PROFILE = 4_000_000


def on_white(image: Image) -> Image:
    """Return an image as 8-bit sRGB without alpha: what was transparent shows white."""
    import PIL.Image

    profile = image.info.get("icc_profile")
    image = _whole(image)
    if image.mode == "CMYK" or not image.has_transparency_data:
        return _rgb(image, profile)
    image = image.convert("LA" if image.mode in ("L", "LA", "La", "1") else "RGBA")
    alpha = image.getchannel("A")
    colour = _rgb(image.convert(image.mode[:-1]), profile)
    white = PIL.Image.new("RGB", image.size, "white")
    white.paste(colour, mask=alpha)
    return white


def from_array(array: Any) -> Image:
    """Return an array of shape (h, w), (h, w, 1), (h, w, 3) or (h, w, 4) as an image; raises ValueError in words.

    One channel is read as a plot reads it, from its least to its greatest where it holds fractions; three or four are
    colours, from 0 to 1 or from 0 to 255.
    """
    import numpy as np
    import PIL.Image

    values = np.asarray(array)
    if values.ndim == 3 and values.shape[2] == 1:
        values = values[:, :, 0]
    if values.ndim not in (2, 3) or (values.ndim == 3 and values.shape[2] not in (3, 4)):
        raise ValueError(f"an array of shape {values.shape} is no picture; (h, w), (h, w, 3) and (h, w, 4) are")
    if not values.size:
        raise ValueError("it is empty")
    if values.dtype.kind not in "buif":
        raise ValueError(f"an array of {values.dtype} is no picture; whole numbers, fractions and booleans are")
    if values.dtype.kind == "b":
        values = values.astype(np.uint8) * 255
    elif values.dtype != np.uint8:
        values = _grey(values) if values.ndim == 2 else _colours(values)
    return PIL.Image.fromarray(np.ascontiguousarray(values))


def _whole(image: Image) -> Image:
    """Return an image in a mode of 8 bits a channel."""
    import numpy as np
    import PIL.Image

    if image.mode.startswith(("I", "F")):
        values = np.asarray(image)
        grey = PIL.Image.fromarray(_grey(values))
        masked = image.info.get("transparency")
        if isinstance(masked, int):
            grey.putalpha(PIL.Image.fromarray(np.where(values == masked, 0, 255).astype(np.uint8)))
        return grey
    if image.mode in ("1", "P") and "transparency" not in image.info:
        return image.convert(_unpaletted(image))
    if image.mode in ("La", "RGBa", "PA", "P"):
        return image.convert("LA" if image.mode == "La" else "RGBA")
    return image


def _unpaletted(image: Image) -> Any:
    if image.mode == "1":
        return "L"
    return image.palette.mode if image.palette and image.palette.mode in ("RGB", "RGBA") else "RGB"


def _rgb(image: Image, profile: Any) -> Image:
    if profile and len(profile) <= LARGEST_PROFILE and (through := _profiled(image, profile)) is not None:
        return through
    if image.mode == "LAB":
        from PIL import ImageCms

        lab, screen = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
        return _made(ImageCms.profileToProfile(image, lab, screen, outputMode="RGB"))
    return image.convert("RGB")


def _profiled(image: Image, profile: bytes) -> Image | None:
    """Return an image brought from its profile to sRGB, or None where the profile is broken or of another mode."""
    from PIL import ImageCms

    try:
        own = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        screen = ImageCms.createProfile("sRGB")
        return _made(ImageCms.profileToProfile(image, own, screen, outputMode="RGB"))
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None


def _made(image: Image | None) -> Image:
    assert image is not None  # it is None only where the change was to be made in place
    return image


def _grey(values: Any) -> Any:
    """Return one channel as 8 bits: whole numbers by the depth that holds them, all else from least to greatest."""
    import numpy as np

    finite = np.isfinite(values)
    if not finite.any():
        return np.zeros(values.shape, np.uint8)
    least, most = values[finite].min(), values[finite].max()
    if values.dtype.kind in "iu" and least >= 0 and most < 1 << DEPTHS[-1]:
        depth = next(bits for bits in DEPTHS if most < 1 << bits)
        return _scaled(values, finite, 0.0, float((1 << depth) - 1))
    if least == most:
        return _scaled(values, finite, 0.0, 1.0) if 0 <= most <= 1 else np.full(values.shape, 128, np.uint8)
    return _scaled(values, finite, float(least), float(most))


def _colours(values: Any) -> Any:
    """Return colours as 8 bits a channel."""
    import numpy as np

    finite = np.isfinite(values)
    if not finite.any():
        return np.zeros(values.shape, np.uint8)
    most = values[finite].max()
    if values.dtype.kind == "f" and most <= 255:
        return _scaled(values, finite, 0.0, 1.0 if most <= 1 else 255.0)
    if values.dtype.kind in "iu" and most < 1 << DEPTHS[-1]:
        depth = next(bits for bits in DEPTHS if most < 1 << bits)
        return _scaled(values, finite, 0.0, float((1 << depth) - 1))
    return _scaled(values, finite, 0.0, max(float(most), 1.0))


def _scaled(values: Any, finite: Any, least: float, most: float) -> Any:
    import numpy as np

    with np.errstate(all="ignore"):
        share = (np.where(finite, values, least).astype(np.float64) - least) / (most - least)
    return np.rint(np.clip(share, 0.0, 1.0) * 255).astype(np.uint8)
