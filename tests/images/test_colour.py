"""What was transparent is white, and every range and colour space comes out as a screen shows it."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

from nephele_nb.images import prepare
from tests.images.painting import BLACK, CASES, GREEN, RED, WHITE, near, quarters, saved, seen

RAMP = np.tile(np.linspace(0, 65535, 512).astype(np.uint16), (64, 1))


def half() -> Image.Image:
    """Return black at the left, and nothing at the right."""
    image = Image.new("RGBA", (20, 20), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (0, 0, 10, 20))
    return image


def one_colour(mode: str, clear: Any, form: str = "PNG") -> bytes:
    """Return a picture of which one colour stands for transparent."""
    image = Image.new(mode, (20, 20), clear)
    image.paste(Image.new(mode, (10, 20), 0), (0, 0))
    return saved(image, form, transparency=clear)


@pytest.mark.parametrize(
    "given",
    [
        half(),
        half().convert("LA"),
        half().convert("LA").convert("La"),
        half().convert("RGBa"),
        half().quantize(8),
        saved(half(), "PNG"),
        saved(half().convert("LA"), "PNG"),
        saved(half().quantize(4), "PNG"),
        saved(half(), "WEBP", lossless=True),
        saved(half(), "GIF"),
        one_colour("L", 7),
        one_colour("RGB", (7, 7, 7)),
        one_colour("I;16", 7),
    ],
    ids="RGBA LA La RGBa palette png png-LA png-palette webp gif tRNS-L tRNS-RGB tRNS-16".split(),
)
def test_U02_what_is_transparent_is_white(given: Any) -> None:
    left, right = seen(prepare(given), (2, 10), (17, 10))
    assert near(left, BLACK)
    assert near(right, WHITE)


def test_U02_black_labels_on_a_clear_ground_can_be_read() -> None:
    picture = prepare(CASES / "U02_rgba_black_text.png")
    with Image.open(io.BytesIO(picture.data)) as image:
        grey = np.asarray(image.convert("L"))
    assert (grey > 250).mean() > 0.5
    assert (grey < 60).any()


def test_what_is_half_transparent_is_half_white() -> None:
    assert near(seen(prepare(Image.new("RGBA", (20, 20), (0, 0, 0, 128))), (3, 3))[0], (127, 127, 127))


def test_U03_the_middle_of_a_16_bit_ramp_is_grey() -> None:
    left, middle, right = seen(prepare(CASES / "U03_gray16_ramp.png"), (0, 30), (256, 30), (511, 30))
    assert near(left, BLACK)
    assert near(middle, (128, 128, 128))
    assert near(right, WHITE)


@pytest.mark.parametrize(
    "values",
    [
        RAMP,
        RAMP // 16,
        RAMP / 65535,
        RAMP / 65.535,
        (RAMP / 655).astype(np.float16),
        RAMP.astype(float) - 30_000,
        RAMP.astype(np.int32),
        (RAMP.astype(np.int32) - 32_768).astype(np.int16),
        RAMP.astype(np.uint64) * 10**12,
        np.where(RAMP.max() == RAMP, np.inf, RAMP / 1.0),
    ],
    ids="u16 12-bit unit thousand half negative i32 i16 u64 infinite".split(),
)
def test_U03_one_channel_of_any_range_is_seen_whole(values: Any) -> None:
    left, middle = seen(prepare(values), (0, 30), (256, 30))
    assert near(left, BLACK)
    assert near(middle, (128, 128, 128))


@pytest.mark.parametrize(
    "image",
    [
        Image.fromarray(RAMP),
        Image.fromarray((RAMP / 655).astype(np.float32)),
        Image.fromarray(RAMP.astype(np.int32)),
        Image.frombytes("I;16B", (512, 64), RAMP.astype(">u2").tobytes()),
    ],
    ids="I16 F I I16B".split(),
)
def test_U03_deep_images_and_their_files_are_seen_whole(image: Image.Image) -> None:
    forms: list[Any] = [image, saved(image, "TIFF")]
    for form in forms:
        left, middle, right = seen(prepare(form), (0, 30), (256, 30), (511, 30))
        assert near(left, BLACK)
        assert near(middle, (128, 128, 128))
        assert near(right, WHITE)


def test_U03_bilevel_and_booleans_are_black_and_white() -> None:
    image = Image.new("1", (20, 20), 0)
    image.paste(1, (0, 0, 10, 20))
    flags = np.zeros((20, 20), bool)
    flags[:, :10] = True
    for given in (image, saved(image, "PNG"), saved(image, "TIFF", compression="group4"), flags):
        left, right = seen(prepare(given), (2, 10), (17, 10))
        assert near(left, WHITE)
        assert near(right, BLACK)


def test_a_range_of_one_value_is_no_fault() -> None:
    assert near(seen(prepare(np.full((8, 8), 0.5)), (3, 3))[0], (128, 128, 128))
    assert near(seen(prepare(np.full((8, 8), -7.0)), (3, 3))[0], (128, 128, 128))
    assert near(seen(prepare(np.full((8, 8), np.nan)), (3, 3))[0], BLACK)


def test_colours_of_arrays_go_from_nothing_to_one_or_to_the_depth() -> None:
    for values in (
        np.full((8, 8, 3), [1.0, 0.0, 0.0]),
        np.full((8, 8, 3), [255.0, 0.0, 0.0]),
        np.full((8, 8, 3), [65535, 0, 0], np.uint16),
        np.full((8, 8, 3), [255, 0, 0], np.uint8),
        np.full((8, 8, 4), [255, 0, 0, 255], np.uint8),
        np.full((8, 8, 4), [1.0, 0.0, 0.0, 1.0]),
    ):
        assert near(seen(prepare(values), (3, 3))[0], RED)
    assert near(seen(prepare(np.zeros((8, 8, 4))), (3, 3))[0], WHITE)
    assert near(seen(prepare(np.full((8, 8, 1), 200, np.uint8)), (3, 3))[0], (200, 200, 200))


def test_CMYK_is_right_with_Adobe_values_and_without() -> None:
    red = Image.new("CMYK", (20, 20), (0, 255, 255, 0))
    adobe = saved(red, "JPEG")
    at = adobe.index(b"\xff\xee")
    length = struct.unpack(">H", adobe[at + 2 : at + 4])[0]
    assert b"Adobe" in adobe[at : at + 10]
    turned = saved(Image.new("CMYK", (20, 20), (255, 0, 0, 255)), "JPEG")
    at = turned.index(b"\xff\xee")
    plain = turned[:at] + turned[at + 2 + length :]
    assert all(near(seen(prepare(given), (5, 5))[0], RED) for given in (red, adobe, plain, saved(red, "TIFF")))


@pytest.mark.parametrize("mode", ["YCbCr", "HSV", "LAB", "P", "RGBX"])
def test_other_colour_spaces_are_shown_as_they_look(mode: str) -> None:
    red = Image.new("RGB", (20, 20), RED)
    if mode == "LAB":
        image = ImageCms.profileToProfile(
            red, ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB"
        )
    else:
        image = red.convert(mode)
    assert image is not None
    assert near(seen(prepare(image), (5, 5))[0], RED)


def swapped_profile() -> bytes:
    """Return a profile of a screen whose red and green have changed places."""
    data = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    tags = {}
    for n in range(struct.unpack(">I", data[128:132])[0]):
        at = 132 + 12 * n
        tags[bytes(data[at : at + 4])] = at
    red, green = tags[b"rXYZ"], tags[b"gXYZ"]
    data[red + 4 : red + 12], data[green + 4 : green + 12] = data[green + 4 : green + 12], data[red + 4 : red + 12]
    return bytes(data)


def test_a_colour_profile_is_applied_and_a_broken_one_passed_over() -> None:
    red = Image.new("RGB", (20, 20), RED)
    profile = swapped_profile()
    assert near(seen(prepare(saved(red, "PNG", icc_profile=profile)), (5, 5))[0], GREEN)
    clear = red.convert("RGBA")
    clear.putalpha(0)
    assert near(seen(prepare(saved(clear, "PNG", icc_profile=profile)), (5, 5))[0], WHITE)
    for broken in (b"junk", profile[:200]):
        assert near(seen(prepare(saved(red, "PNG", icc_profile=broken)), (5, 5))[0], RED)
    grey = saved(Image.new("L", (20, 20), 99), "PNG", icc_profile=profile)
    assert near(seen(prepare(grey), (5, 5))[0], (99, 99, 99))
    cmyk = saved(Image.new("CMYK", (20, 20), (0, 255, 255, 0)), "JPEG", icc_profile=profile)
    assert near(seen(prepare(cmyk), (5, 5))[0], RED)
    assert quarters().mode == "RGB"
