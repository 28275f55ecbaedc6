"""A picture that is sent is upright, small enough, and bare of what its file said besides."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from nephele_nb.errors import SettingError
from nephele_nb.images import listed, prepare
from nephele_nb.images.prepare import LARGEST_MOVING, MOST_PICTURES, figure
from tests.images.painting import BLUE, CASES, GREEN, RED, WHITE, near, png, quarters, saved, seen

ORIENTATION, GPS = 0x0112, 0x8825
LAID = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""How a camera held that way lays the pixels down."""


def marked(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return exif


@pytest.mark.parametrize("case", [3, 6, 8])
def test_U01_a_phone_photo_stands_upright_and_is_bare(case: int) -> None:
    path = CASES / f"U01_exif{case}.jpg"
    before = path.read_bytes()
    picture = prepare(path)
    assert (picture.width, picture.height) == ((1536, 768) if case == 3 else (768, 1536))
    with Image.open(io.BytesIO(picture.data)) as image:
        assert dict(image.getexif()) == {}
        assert not {"exif", "xmp", "icc_profile", "comment"} & image.info.keys()
        corner = image.getpixel((10, 10))
    if case == 6:
        assert near(corner, BLUE)
    assert path.read_bytes() == before


@pytest.mark.parametrize("form", ["JPEG", "PNG", "TIFF", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_each_orientation_is_applied_in_each_form(form: str, orientation: int) -> None:
    laid = quarters().transpose(LAID[orientation]) if orientation in LAID else quarters()
    data = saved(laid, form, exif=marked(orientation))
    with Image.open(io.BytesIO(data)) as opened:
        for picture in (prepare(data), prepare(opened)):
            assert (picture.width, picture.height) == (64, 32)
            corners = seen(picture, (8, 4), (56, 4), (8, 28), (56, 28))
            assert all(map(near, corners, (BLUE, RED, GREEN, WHITE)))


@pytest.mark.parametrize("value", [0, 9, 77, 65535])
def test_an_orientation_that_can_not_be_is_ignored(value: int) -> None:
    assert all(map(near, seen(prepare(saved(quarters(), "JPEG", exif=marked(value))), (8, 4), (56, 4)), (BLUE, RED)))


@pytest.mark.parametrize("exif", [b"Exif\0\0II*\0\xff\xff\xff\x7fgarbage", b"Exif\0\0XXXXXXXX", b"Exif\0\0"])
def test_broken_metadata_leave_the_picture_as_it_lies(exif: bytes) -> None:
    assert near(seen(prepare(saved(quarters(), "JPEG", exif=exif)), (8, 4))[0], BLUE)


def test_metadata_are_left_behind() -> None:
    exif = marked(1)
    exif.get_ifd(GPS)[1] = "N"
    data = saved(quarters(), "JPEG", exif=exif, comment=b"at home", xmp=b"<x:xmpmeta>secret</x:xmpmeta>")
    sent = prepare(data).data
    assert b"secret" not in sent
    assert b"at home" not in sent
    assert b"Exif" not in sent


@pytest.mark.parametrize(
    ("size", "sent"),
    [
        ((3000, 1500), (1536, 768)),
        ((1500, 3000), (768, 1536)),
        ((1536, 10), (1536, 10)),
        ((40, 30), (40, 30)),
        ((4000, 1), (1536, 1)),
    ],
)
def test_the_longest_side_is_bounded_and_nothing_is_enlarged(size: tuple[int, int], sent: tuple[int, int]) -> None:
    picture = prepare(Image.new("RGB", size, "teal"))
    assert (picture.width, picture.height) == sent
    with Image.open(io.BytesIO(picture.data)) as image:
        assert image.size == sent


@pytest.mark.parametrize(("form", "mime"), [("GIF", "image/gif"), ("WEBP", "image/webp"), ("PNG", "image/png")])
def test_a_moving_picture_is_sent_as_it_is(form: str, mime: str) -> None:
    frames = [Image.new("RGB", (30, 20), colour) for colour in ("red", "blue", "lime")]
    data = saved(frames[0], form, save_all=True, append_images=frames[1:])
    picture = prepare(data)
    assert (picture.mime, picture.data, picture.width, picture.height) == (mime, data, 30, 20)
    assert prepare(saved(frames[0], form)).mime == "image/jpeg"


def test_a_moving_picture_that_is_too_large_is_sent_as_its_first_frame_and_says_so() -> None:
    frames = [Image.effect_noise((1500, 1500), 120) for _ in range(12)]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert len(data) > LARGEST_MOVING
    picture = prepare(data)
    assert picture.mime == "image/jpeg"
    assert "first frame" in picture.note


def test_a_paged_picture_says_which_page_it_is() -> None:
    pages = [Image.new("RGB", (30, 20), colour) for colour in ("red", "blue")]
    picture = prepare(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]))
    assert near(seen(picture, (5, 5))[0], RED)
    assert "first of 2 pages" in picture.note


def test_the_type_is_read_from_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(saved(quarters(), "WEBP", lossless=True))
    assert prepare(path).name == "photo.png"
    assert near(seen(prepare(str(path)), (8, 4))[0], BLUE)


def test_whatever_form_a_picture_has_it_is_taken() -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot([1, 2])
    data = saved(quarters(), "PNG")
    url = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    forms: list[Any] = [data, bytearray(data), memoryview(data), url, quarters(), np.asarray(quarters())]
    assert {(prepare(form).width, prepare(form).height) for form in forms} == {(64, 32)}
    assert prepare(figure).width == prepare(axes).width == 640
    assert prepare(plt.figure().subfigures(1, 2)[0]).name == "the figure"
    plt.close("all")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- drawn -->\n<svg>", "SVG"),
        (b"%PDF-1.4", "PDF"),
        (b"\n<!DOCTYPE html><html>", "web page"),
        (b"PK\x03\x04", "zip"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "PostScript"),
        (b"\0\0\0\x18ftypheic", "HEIC"),
        (b"\0\0\0\x18ftypisom", "film"),
        (b"hello", "no picture"),
        (saved(quarters(), "PNG")[:-60], "broken"),
        (saved(Image.effect_noise((300, 300), 90), "JPEG")[:3000], "broken"),
        (png(50_000, 50_000), "million pixels"),
        (png(10_000, 10_000), "million pixels"),
        (png(100, 100), "broken"),
        (saved(quarters(), "PNG")[:8], "no picture"),
    ],
)
def test_what_is_no_whole_picture_is_refused_in_words(data: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(data)
    with pytest.raises(SettingError, match=why):
        prepare(path)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("nowhere.png", "no such file"),
        ("", "no such file"),
        (".", "folder"),
        ("https://example.org/a.png", "download"),
        ("data:image/png;base64,@@@", "broken"),
        ("data:image/png", "comma"),
        (5, "a path, bytes"),
        ({"a": 1}, "a path, bytes"),
        (np.zeros(5), "no picture"),
        (np.zeros((0, 3)), "no pixels"),
        (np.zeros((2, 2, 7)), "no picture"),
        (np.array([["a"]]), "no picture"),
        ("a\0b", "no such file"),
    ],
)
def test_what_is_no_picture_is_refused_in_words(given: Any, why: str) -> None:
    with pytest.raises(SettingError, match=why):
        prepare(given)


def test_one_picture_alone_counts_as_a_list() -> None:
    assert listed(None) == []
    assert listed("a.png") == ["a.png"]
    assert len(listed(np.zeros((3, 3)))) == 1
    with pytest.raises(SettingError, match="too many"):
        listed(["a.png"] * (MOST_PICTURES + 1))


def test_a_good_figure_is_kept_as_it_is_and_another_made_so() -> None:
    sharp = saved(Image.new("RGBA", (60, 40), (200, 0, 0, 255)), "PNG")
    clear = saved(Image.new("RGBA", (60, 40), (0, 0, 0, 0)), "PNG")
    assert figure(sharp).data == sharp
    assert near(seen(figure(clear), (5, 5))[0], WHITE)
    assert figure(saved(Image.new("RGB", (3000, 100)), "PNG")).width == 1536
