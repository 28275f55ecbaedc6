"""A search can be narrowed to a kind, tags, a folder and a time; a filter that means nothing is refused in words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from nephele_nb.errors import LibraryError
from nephele_nb.library import Library

LATE = dt.datetime(2025, 3, 10, 23, 30, tzinfo=ZoneInfo("Asia/Tokyo"))
A, B, T, Q = "in/a.md", "in/sub/b.md", "table:bamboo", "O'Brien's/q.md"


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    place = tmp_path_factory.mktemp("filters")
    library = Library(place / "library", embedder="none")
    (place / "in" / "sub").mkdir(parents=True)
    (place / "O'Brien's").mkdir()
    front = "---\ndate: {0}\nupdated: {0}\ntags: [{1}]\n---\nbamboo"
    (place / "in" / "a.md").write_text(front.format(LATE.isoformat(), "Tea, x y"))
    (place / "in" / "sub" / "b.md").write_text(front.format("2025-03-11", "tea, 臺灣"))
    (place / "O'Brien's" / "q.md").write_text(front.format("2025-03-12T08:00:00-05:00", "O'B"))
    library.add(place / "in", progress=False)
    library.add(place / "O'Brien's", progress=False)
    library.add_table("bamboo", [{"a": 1}])
    yield library
    library.close()


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, {A, B, Q, T}), ({"kinds": "table"}, {T}), ({"kinds": ["note"]}, {A, B, Q}),
        ({"kinds": ["note", "table"]}, {A, B, Q, T}), ({"kinds": []}, {A, B, Q, T}),
        ({"tags": "tea"}, {A, B}), ({"tags": ["#TEA", "X  Y"]}, {A}), ({"tags": ["台湾"]}, {B}), ({"tags": "o'b"}, {Q}),
        ({"tags": "x' OR 1=1 --"}, set()), ({"tags": ["tea", "absent"]}, set()),
        ({"folder": "in"}, {A, B}), ({"folder": "in/"}, {A, B}), ({"folder": "in/sub"}, {B}), ({"folder": "i"}, set()),
        ({"folder": "O'Brien's"}, {Q}), ({"folder": "%"}, set()),
        ({"until": "2025-03-10"}, {A}), ({"since": "2025-03-11", "until": "2025-03-11"}, {B}),
        ({"since": "2025-03-10T23:30:00+09:00", "until": "2025-03-10T14:30:00Z"}, {A}),
        ({"since": "2025-03-10T14:30:01", "until": "2025-03-11 00:00"}, {B}), ({"since": LATE, "until": LATE}, {A}),
        ({"until": LATE - dt.timedelta(seconds=1)}, set()), ({"until": LATE.timestamp()}, {A}),
        ({"since": dt.date(2025, 3, 11), "until": dt.date(2025, 3, 11)}, {B}),
        ({"since": "2025-03-12T13:00:00Z", "until": "2025-03-12", "kinds": "note"}, {Q}),
        ({"since": "2025-03-12T13:00:01Z", "until": "2025-03-12", "kinds": "note"}, set()),
        ({"since": "2025-03-11", "until": "2025-03-10"}, set()),
        ({"tags": "tea", "folder": "in/sub", "kinds": "note", "since": "2025-01-01"}, {B}),
    ],
)  # fmt: skip
def test_a_search_is_narrowed(lib: Library, filters: dict[str, Any], found: set[str]) -> None:
    hits = lib.search("bamboo", **filters)
    assert {hit.content_id for hit in hits} == found
    assert hits.reason == ("" if found else "none")


def test_a_folder_on_disk_is_named_by_its_path(lib: Library) -> None:
    place = Path(str(lib.read(B).path)).parent
    for folder in (place, str(place), f"{place}/"):
        assert {hit.content_id for hit in lib.search("bamboo", folder=folder)} == {B}


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"since": "2025-03"}, "'2025-03' is neither a day nor a time; write it as 2025-03-31"),
        ({"until": "yesterday"}, "neither a day nor a time"),
        ({"since": "2025-03-10T25:00"}, "neither a day nor a time"),
        ({"since": ""}, "neither a day nor a time"), ({"since": float("nan")}, "nan is no moment"),
        ({"until": [1]}, r"\[1\] is no moment"), ({"since": True}, "True is no moment"),
        ({"kinds": ["notes"]}, r"no kind 'notes' \(did you mean 'note'\?\)"), ({"kinds": "x' OR 1=1"}, "no kind"),
    ],
)  # fmt: skip
def test_a_filter_that_means_nothing_is_refused(lib: Library, filters: dict[str, Any], said: str) -> None:
    with pytest.raises(LibraryError, match=said):
        lib.search("bamboo", **filters)
