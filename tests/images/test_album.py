"""Pictures are kept once by their hash, and found again by nothing but a reference of ours."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from nephele_nb.images import Album, prepare
from nephele_nb.images.album import PREFIX, content
from tests.images.painting import quarters, saved


def test_the_same_picture_is_kept_once_and_outlasts_the_album(tmp_path: Path) -> None:
    picture = prepare(quarters())
    references = {Album(tmp_path / "images").keep(picture) for _ in range(3)}
    (reference,) = references
    assert len(list((tmp_path / "images").iterdir())) == 1
    url = Album(tmp_path / "images").url(reference)
    assert url == f"data:image/jpeg;base64,{base64.b64encode(picture.data).decode()}"


def test_a_moving_picture_has_a_still(tmp_path: Path) -> None:
    data = saved(quarters(), "GIF", save_all=True, append_images=[Image.new("RGB", (64, 32), "red")])
    album = Album(tmp_path)
    reference = album.keep(prepare(data))
    moving, still = album.url(reference), album.url(reference, still=True)
    assert moving is not None
    assert still is not None
    assert moving.startswith("data:image/gif")
    with Image.open(io.BytesIO(base64.b64decode(still.partition(",")[2]))) as image:
        assert (image.format, image.size) == ("JPEG", (64, 32))


@pytest.mark.parametrize(
    "reference",
    [f"{PREFIX}../../secret.jpg", f"{PREFIX}{'a' * 32}.txt", f"{PREFIX}{'a' * 32}.jpg", "data:image/png;base64,AA", ""],
)
def test_nothing_else_is_found_by_a_reference(tmp_path: Path, reference: str) -> None:
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    assert Album(tmp_path / "a" / "b").url(reference) is None


def test_where_nothing_can_be_written_pictures_last_as_long_as_the_album(tmp_path: Path) -> None:
    (tmp_path / "images").write_text("in the way")
    album = Album(tmp_path / "images")
    assert album.url(album.keep(prepare(quarters()))) is not None


def test_figures_that_can_not_be_read_are_named(tmp_path: Path) -> None:
    good = f"data:image/png;base64,{base64.b64encode(saved(quarters(), 'PNG')).decode()}"
    kept = Album(tmp_path).keep_figures([good, "data:image/png;base64,iVBORw0KGgo=", good])
    assert len(kept.references) == 2
    assert len(kept.refused) == 1


def test_a_message_without_pictures_stays_text() -> None:
    assert content("hello", ()) == "hello"
    assert [part["type"] for part in content("hello", ["a", "b"])] == ["text", "image_url", "image_url"]  # type: ignore[index]
